import type { RuleEntry } from '@toolgate/core';
import { dangerousAllow } from './dangerous-allow.ts';
import { canonicalName } from './legacy-names.ts';
import { parseRule } from './parse-rule.ts';

/** False for an allow rule that mode auto suspends: every command, interpreters, runners, agents, monitors (protocol 2.3). */
export function countsInAuto({ behavior, text }: RuleEntry): boolean {
  if (behavior !== 'allow') return true;
  const parsed = parseRule(text);
  if (!parsed.ok) return true;
  const isSuspended = /^(?:Agent|Monitor)$/.test(canonicalName(parsed.rule.tool));
  return !isSuspended && dangerousAllow(parsed.rule) === undefined;
}
