import type { LintFinding, LintFix, RuleEntry, SettingValue } from '@toolgate/core';
import { findNodeAtLocation } from 'jsonc-parser';
import { fileEntries } from '../file-entries.ts';
import type { SettingsFile } from '../reading.ts';
import { parseJsonc } from '../parse-jsonc.ts';
import { pointerTo } from '../json-node.ts';
import { loadFile } from '../load-file.ts';
import { keyFindings } from './key-findings.ts';
import { pathOf } from './path-of.ts';

/** A settings file that was opened to be looked at; nothing of it counts. */
export interface OpenedSettings {
  readonly file: string;
  readonly text: string;
  readonly rules: readonly RuleEntry[];
  readonly values: readonly SettingValue[];
  /** What is wrong with the file itself and its keys. */
  readonly findings: readonly LintFinding[];
  /** The line of a place; that of what holds it where there is no such place. */
  readonly lineOf: (pointer: string) => number;
}

/** Opens one settings file to look at it. A string says why it cannot be read. */
export function openSettings(place: SettingsFile): OpenedSettings | string {
  const loaded = loadFile(place.file, true);
  if (loaded.state === 'missing') return 'there is no such file';
  if (loaded.state === 'unreadable') return `it cannot be read: ${loaded.message}`;
  const { text, cut } = loaded;
  const { root, placeOf } = parseJsonc(text);
  const { rules, values, diagnostics } = fileEntries(place, text, cut);
  const { file } = place;
  const found = diagnostics.map((diagnostic): LintFinding => ({
    ...diagnostic,
    fix: fixOf(diagnostic),
  }));
  const reported = new Set(found.map(({ pointer }) => pointer));
  const keys = values.map(({ key }) => key);
  return {
    file,
    text,
    rules,
    values,
    findings: [
      ...found,
      ...keyFindings(keys, (key) => pointerTo('', key))
        .filter(({ pointer }) => !reported.has(pointer))
        .map((finding) => ({ ...finding, file })),
      ...(found.some(({ code }) => code === 'settings-syntax') ? [] : comments(text, file)),
    ],
    lineOf(pointer) {
      for (let path = pathOf(pointer); root && path.length > 0; path = path.slice(0, -1)) {
        const node = findNodeAtLocation(root, path);
        if (node)
          return placeOf((node.parent?.type === 'property' ? node.parent : node).offset).line;
      }
      return 1;
    },
  };
}

/** Read here, and not everywhere. */
function comments(text: string, file: string): readonly LintFinding[] {
  try {
    JSON.parse(text.replace(/^\uFEFF/, '') || '{}');
    return [];
  } catch {
    return [
      {
        code: 'settings-not-strict',
        severity: 'info',
        message:
          'The file has comments or trailing commas, which are read here and refused by strict readers of JSON.',
        file,
        line: 1,
        pointer: '',
        fix: { message: 'Remove them where other programs read the file.' },
      },
    ];
  }
}

const fixes: Readonly<Record<string, string>> = {
  'settings-syntax': 'Mend the JSON at that place.',
  'settings-too-large': 'Make the file smaller than 1 MiB.',
  'duplicate-key': 'Join the two.',
  'rule-invalid': 'Write each rule as text, such as "Bash(npm test)".',
  'hook-event-unknown': 'Write the name of an event, or remove the entry.',
  'setting-unsupported': 'Remove it, or say the same by rules.',
};

function fixOf({ code, message }: { readonly code: string; readonly message: string }): LintFix {
  const near = /Did you mean "([^"]+)"/.exec(message)?.[1];
  if (near !== undefined) return { message: `Write "${near}".` };
  if (code === 'setting-invalid' && message.includes('"defaultMode"'))
    return { message: 'Write the name of a mode, such as "default" or "plan".' };
  return { message: fixes[code] ?? 'Mend or remove it.' };
}
