import { type TrailEntry, visibleText } from '@toolgate/core';
import type { Explained } from './explain.ts';

const verbs = { allow: 'runs', ask: 'asks a person', deny: 'is refused' } as const;

/** A decision as a person reads it: what happens, why, and each source that was heard. */
export function explainText({ id, behavior, reason, trail }: Explained): string {
  const name =
    id === undefined ? 'The call' : `Call ${typeof id === 'string' ? id : JSON.stringify(id)}`;
  const lines = [
    `${name} ${verbs[behavior]}: ${reason}`,
    ...trail.map((entry) => `  - ${entryText(entry)}`),
  ];
  return `${lines.map((line) => visibleText(line)).join('\n')}\n`;
}

function entryText({ behavior, from, plugin, reason, rule, unit }: TrailEntry): string {
  const who = plugin === 'toolgate' ? from : `${from} (${plugin})`;
  const about = unit?.content ?? unit?.path;
  const place =
    rule &&
    [rule.source, [rule.file, rule.line].filter(Boolean).join(':'), rule.pointer]
      .filter(Boolean)
      .join(' ');
  return [
    `${who} says ${behavior}`,
    about && ` to ${about}`,
    rule && `, by rule ${rule.text} of ${place ?? ''}`,
    reason && `: ${reason}`,
  ]
    .filter(Boolean)
    .join('');
}
