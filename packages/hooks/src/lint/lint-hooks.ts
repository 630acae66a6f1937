import type { Diagnostic, LintFinding, LintFix, SettingValue } from '@toolgate/core';
import { z } from 'zod';
import { configuredHandlers } from '../configured-handlers.ts';
import { hookEventNames, type HookEvent } from '../hook-events.ts';
import { commandFindings } from './command-findings.ts';
import { flatEntry } from './flat-entry.ts';
import { matcherFindings } from './matcher-findings.ts';

/** What a part of the linter found, without the file. */
export type Found = Omit<LintFinding, 'file' | 'line'> & { readonly pointer: string };

/** What matchers are compared with. */
export interface LintHooksOptions {
  /** The names of tools that a matcher may mean beside those of MCP servers. */
  readonly tools: readonly string[];
}

const object = z.record(z.string(), z.unknown());
const list = z.array(z.unknown());

/** All that is wrong with the hooks of settings files, or could be said more plainly, with a fix for each. */
export function lintHooks(
  values: readonly SettingValue[],
  { tools }: LintHooksOptions,
): readonly LintFinding[] {
  const findings: LintFinding[] = [];
  const flat = values
    .filter(({ key }) => key === 'hooks')
    .flatMap((value) => withFile(value, flatGroups(value)));
  const isFlat = new Set(flat.map(placeOf));
  const complaints: Diagnostic[] = [];
  configuredHandlers(values, { onFailure: 'continue', isStrict: false }, (diagnostic) =>
    complaints.push(diagnostic),
  );
  for (const diagnostic of complaints) {
    const group = { ...diagnostic, pointer: diagnostic.pointer?.replace(/\/hooks$/, '') ?? '' };
    if (!isFlat.has(placeOf(group)))
      findings.push({ ...renamed(diagnostic), fix: fixOf(diagnostic, values) });
  }
  findings.push(...flat);
  for (const value of values)
    if (value.key === 'hooks') findings.push(...withFile(value, groupFindings(value, tools)));
  return findings;
}

const placeOf = ({ file = '', pointer = '' }: Diagnostic): string => `${file}\n${pointer}`;

const withFile = ({ file }: SettingValue, found: readonly Found[]): readonly LintFinding[] =>
  found.map((finding) => ({ ...finding, ...(file !== undefined && { file }) }));

interface Group {
  readonly event: HookEvent;
  readonly pointer: string;
  readonly group: Readonly<Record<string, unknown>>;
}

function groupsOf({ value }: SettingValue): readonly Group[] {
  return Object.entries(object.safeParse(value).data ?? {}).flatMap(([name, groups]) => {
    const event = hookEventNames.find((known) => known === name);
    if (!event) return [];
    return (list.safeParse(groups).data ?? []).flatMap((raw, index) => {
      const group = object.safeParse(raw).data;
      return group ? [{ event, pointer: `/hooks/${event}/${index}`, group }] : [];
    });
  });
}

const flatGroups = (value: SettingValue): readonly Found[] =>
  groupsOf(value).flatMap(({ pointer, group }) => flatEntry(pointer, group) ?? []);

const groupFindings = (value: SettingValue, tools: readonly string[]): readonly Found[] =>
  groupsOf(value).flatMap(({ event, pointer, group }) => [
    ...matcherFindings(group['matcher'], { event, pointer: `${pointer}/matcher`, tools }),
    ...('hooks' in group ? [] : commandFindings(group, pointer)),
    ...(list.safeParse(group['hooks']).data ?? []).flatMap((hook, index) =>
      commandFindings(object.safeParse(hook).data, `${pointer}/hooks/${index}`),
    ),
  ]);

/** Matchers that are no matchers have codes of their own. */
function renamed(diagnostic: Diagnostic): Diagnostic {
  if (!diagnostic.pointer?.endsWith('/matcher')) return diagnostic;
  const code = diagnostic.message.includes('is a permission rule')
    ? 'matcher-permission-rule'
    : diagnostic.message.includes('no regular expression')
      ? 'matcher-no-expression'
      : diagnostic.code;
  return { ...diagnostic, code };
}

function fixOf(
  { code, pointer = '', message }: Diagnostic,
  values: readonly SettingValue[],
): LintFix {
  if (code === 'hook-event-unknown') {
    const name = pointer.slice('/hooks/'.length);
    const right = /write it "(\w+)"/.exec(message)?.[1];
    const isFree = !values.some(
      ({ value }) =>
        right !== undefined && Object.hasOwn(object.safeParse(value).data ?? {}, right),
    );
    if (right !== undefined && !name.includes('/'))
      return { message: `Write ${right}.`, ...(isFree && { edit: { op: 'rename', key: right } }) };
    return { message: 'Write the name of an event, or remove the entry.' };
  }
  if (code === 'hooks-switched-off')
    return { message: 'Remove the switch where the hooks should run.' };
  if (pointer.endsWith('/matcher'))
    return message.includes('is a permission rule')
      ? { message: 'Name the tool in "matcher", and put the rule in "if" of each hook.' }
      : { message: 'Write names such as "Bash|Edit", or a regular expression.' };
  if (/^\/hooks(?:\/\w+)?$/.test(pointer))
    return {
      message:
        'Write { "PreToolUse": [{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "…" }] }] }.',
    };
  return { message: 'Write { "type": "command", "command": "…" }, with the fields of its type.' };
}
