import {
  didYouMean,
  nearest,
  type Diagnostic,
  type PermissionMode,
  type RuleEntry,
  type SettingValue,
} from '@toolgate/core';
import type { Node } from 'jsonc-parser';
import { pointerTo, propertiesOf, valueOf } from './json-node.ts';
import { hookEvents, isCommentKey } from './known-names.ts';
import { parseJsonc } from './parse-jsonc.ts';
import { readPermissions } from './read-permissions.ts';
import {
  kindOf,
  reportDuplicate,
  type Placed,
  type Reading,
  type SettingsFile,
} from './reading.ts';
import { recoverRules } from './recover-rules.ts';
import { boundedMessage } from './bounded-message.ts';

/** Everything one settings file says. */
export interface FileEntries {
  readonly from: SettingsFile;
  readonly rules: readonly RuleEntry[];
  readonly mode?: Placed<PermissionMode>;
  readonly directories: readonly Placed<string>[];
  /** Modes that the file switches off for everybody. */
  readonly switchedOff: readonly PermissionMode[];
  readonly values: readonly SettingValue[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Most diagnostics of one file; a hostile one could hold half a million wrong entries. */
const maxDiagnostics = 200;

/** Reads one file's text. Takes any text; a broken one gives its deny and ask rules and nothing else. */
export function fileEntries(from: SettingsFile, text: string, cut = false): FileEntries {
  const parsed = parseJsonc(text);
  const diagnostics: Diagnostic[] = [];
  const reading: Reading = {
    from,
    parsed,
    lineOf: (node) => parsed.placeOf(node.offset).line,
    report: ({ offset, pointer }, { severity = 'warning', ...rest }) => {
      if (diagnostics.length > maxDiagnostics) return;
      const { line } = parsed.placeOf(offset);
      const place = { severity, file: from.file, line, pointer };
      diagnostics.push(
        diagnostics.length < maxDiagnostics
          ? { code: rest.code, message: boundedMessage(rest.message), ...place }
          : {
              code: 'setting-invalid',
              message: 'More is wrong with this file than is listed.',
              ...place,
            },
      );
    },
  };
  const nothing = { from, rules: [], directories: [], switchedOff: [], values: [], diagnostics };
  const problem = cut ? tooLarge : parsed.problem;
  if (problem) {
    const rules = recoverRules(from, text, parsed.placeOf);
    const { line, column, message } = problem;
    diagnostics.push({
      code: cut ? 'settings-too-large' : 'settings-syntax',
      severity: 'error',
      file: from.file,
      line,
      message: `Not valid JSON at line ${line}, column ${column}: ${message}. Only its ${rules.length} readable deny and ask rules count; mend the file to use the rest.`,
    });
    return { ...nothing, rules };
  }
  if (!parsed.root) return nothing;
  if (parsed.root.type !== 'object') {
    reading.report(
      { offset: parsed.root.offset, pointer: '' },
      {
        code: 'setting-invalid',
        severity: 'error',
        message: `A settings file holds one object, this one holds ${kindOf(parsed.root)}. Nothing of it counts.`,
      },
    );
    return nothing;
  }
  const permissions = readPermissions(reading, parsed.root);
  return { ...nothing, ...permissions, values: readValues(reading, parsed.root) };
}

const tooLarge = { line: 1, column: 1, message: 'the file is larger than 1 MiB' };

function readValues(reading: Reading, root: Node): readonly SettingValue[] {
  const values = new Map<string, SettingValue>();
  for (const { key, keyOffset, value } of propertiesOf(root)) {
    const pointer = pointerTo('', key);
    const place = { offset: keyOffset, pointer };
    const onProtoKey = (offset: number) =>
      reading.report(
        { offset, pointer },
        { code: 'setting-invalid', message: 'The key "__proto__" is left out. Remove it.' },
      );
    if (key === '__proto__') onProtoKey(keyOffset);
    if (key === '__proto__' || key === 'permissions') continue;
    if (values.has(key)) reportDuplicate(reading, place, key);
    if (key === 'hooks') checkHookEvents(reading, value);
    else checkSpelling(reading, place, key);
    values.set(key, {
      key,
      value: valueOf(value, onProtoKey),
      source: reading.from.source,
      file: reading.from.file,
      line: reading.parsed.placeOf(keyOffset).line,
      pointer,
    });
  }
  return [...values.values()];
}

/** Keys whose misspelling would lose a guard in silence. */
const guards = ['permissions', 'disableAllHooks'];

function checkSpelling(
  reading: Reading,
  place: { readonly offset: number; readonly pointer: string },
  key: string,
): void {
  if (guards.includes(key) || isCommentKey(key)) return;
  const meant = /^hooks?$/i.test(key) ? 'hooks' : nearest(key, guards, 1)[0];
  if (meant !== undefined)
    reading.report(place, {
      code: 'setting-unknown',
      message: `"${key}" is not read. Did you mean "${meant}"?`,
    });
}

/** What may stand beside the events: it holds for all hooks. */
const hookDefaults = ['onFailure', 'strict'];

function checkHookEvents(reading: Reading, hooks: Node): void {
  for (const { key, keyOffset } of propertiesOf(hooks)) {
    if (
      hookEvents.includes(key) ||
      hookDefaults.includes(key) ||
      isCommentKey(key) ||
      key === '__proto__'
    )
      continue;
    const wrongCase = hookEvents.find((event) => event.toLowerCase() === key.toLowerCase());
    reading.report(
      { offset: keyOffset, pointer: pointerTo('/hooks', key) },
      {
        code: 'hook-event-unknown',
        message: wrongCase
          ? `The hook event "${key}" never happens: write it "${wrongCase}". Its hooks do not run.`
          : `There is no hook event "${key}", so its hooks do not run.${didYouMean(key, hookEvents)}`,
      },
    );
  }
}
