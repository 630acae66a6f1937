import { splitRules } from '@toolgate/settings';
import type { DecidingFlags } from './make-gate.ts';

/** Rules in one text, as the flag takes them. */
export const several = (value: string, all: readonly string[] = []): readonly string[] => [
  ...all,
  ...splitRules(value),
];

/** The two spellings of rules in one list each. */
export function joined<Flags extends Partial<DecidingFlags>>(
  flags: Flags & {
    readonly allowedTools?: readonly string[];
    readonly disallowedTools?: readonly string[];
  },
): Flags {
  const { allowedTools = [], disallowedTools = [] } = flags;
  return {
    ...flags,
    allow: [...(flags.allow ?? []), ...allowedTools],
    deny: [...(flags.deny ?? []), ...disallowedTools],
  };
}
