import type { Provenance, RuleEntry, SettingsSnapshot } from '@toolgate/core';
import { stricterMode } from './settle-mode.ts';

/** Something that a file says now and that would loosen. */
export interface Waiting extends Partial<Provenance> {
  /** In words: `allow Bash(npm test)`, `no longer deny Read(.env)`, `mode acceptEdits` … */
  readonly what: string;
}

/** What the newest settings would loosen against the accepted ones. */
export function whatWaits(
  accepted: SettingsSnapshot,
  newest: SettingsSnapshot,
): readonly Waiting[] {
  if (accepted === newest) return [];
  const isIn = (rule: RuleEntry, { rules }: SettingsSnapshot) =>
    rules.some(
      (other) =>
        other.behavior === rule.behavior &&
        other.text === rule.text &&
        other.source === rule.source,
    );
  const placeOf = ({ source, file, line, pointer }: Provenance) => ({
    source,
    ...(file !== undefined && { file }),
    ...(line !== undefined && { line }),
    ...(pointer !== undefined && { pointer }),
  });
  const valuesOf = ({ values }: SettingsSnapshot) =>
    new Map(values.map((value) => [`${value.file ?? value.source}\n${value.key}`, value]));
  const [before, after] = [valuesOf(accepted), valuesOf(newest)];
  return [
    ...newest.rules
      .filter((rule) => rule.behavior === 'allow' && !isIn(rule, accepted))
      .map((rule) => ({ what: `allow ${rule.text}`, ...placeOf(rule) })),
    ...accepted.rules
      .filter((rule) => rule.behavior !== 'allow' && !isIn(rule, newest))
      .map(({ behavior, text, source, file }) => ({
        what: `no longer ${behavior} ${text}`,
        source,
        ...(file !== undefined && { file }),
      })),
    ...(stricterMode(accepted.mode, newest.mode) === newest.mode
      ? []
      : [{ what: `mode ${newest.mode}` }]),
    ...newest.directories
      .filter((folder) => !accepted.directories.includes(folder))
      .map((folder) => ({ what: `folder ${folder}` })),
    ...[...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
      const [old, now] = [before.get(name), after.get(name)];
      const value = now ?? old;
      return !value || JSON.stringify(old?.value) === JSON.stringify(now?.value)
        ? []
        : [{ what: `"${value.key}"`, ...placeOf(value) }];
    }),
  ];
}
