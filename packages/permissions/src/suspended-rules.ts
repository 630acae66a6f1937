import type { RuleEntry } from '@toolgate/core';
import { dangerousAllow } from './dangerous-allow.ts';
import { parseRule } from './parse-rule.ts';

/** What stands behind these is not seen when the rule is written. */
const open = new Set(['Agent', 'Task', 'Monitor']);

/** True for an allow rule that does not count in mode `auto`: it would allow what a model is to judge (protocol 2.3). */
export function isSuspendedInAuto({ behavior, text }: RuleEntry): boolean {
  if (behavior !== 'allow') return false;
  const parsed = parseRule(text);
  if (!parsed.ok) return false;
  return open.has(parsed.rule.tool) || dangerousAllow(parsed.rule) !== undefined;
}

/** Leaves the suspended rules out of a list; the same list gives the same answer. */
export function withoutSuspended(): (rules: readonly RuleEntry[]) => readonly RuleEntry[] {
  const known = new WeakMap<readonly RuleEntry[], readonly RuleEntry[]>();
  return (rules) => {
    const found = known.get(rules) ?? rules.filter((rule) => !isSuspendedInAuto(rule));
    known.set(rules, found);
    return found;
  };
}
