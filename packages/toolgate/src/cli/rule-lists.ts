import type { DecidingFlags } from './make-gate.ts';

/** Rules in one text, apart by commas or blanks that stand in no parentheses: `Read, Bash(git log *)`. */
export function several(value: string, all: readonly string[] = []): readonly string[] {
  const rules: string[] = [];
  let depth = 0;
  let rule = '';
  for (const character of value) {
    if (character === '(') depth += 1;
    if (character === ')') depth = Math.max(0, depth - 1);
    if (depth === 0 && /[\s,]/.test(character)) {
      if (rule !== '') rules.push(rule);
      rule = '';
    } else rule += character;
  }
  return [...all, ...rules, ...(rule === '' ? [] : [rule])];
}

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
