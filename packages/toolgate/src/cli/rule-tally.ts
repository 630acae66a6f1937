import type { Decision, RuleEntry } from '@toolgate/core';

/** What one rule did: calls it matched, and calls that were decided as it says. */
export interface RuleRow {
  readonly rule: RuleEntry;
  readonly matched: number;
  readonly decided: number;
}

/** Counts what each rule of a policy did over many decisions, those that never matched included. */
export interface RuleTally {
  add(policy: string, rules: readonly RuleEntry[]): void;
  count(policy: string, decision: Decision): void;
  /** The busiest first, then those that never fired, in the order of the policy. */
  rows(policy: string): readonly RuleRow[];
}

const keyOf = ({ behavior, text, source, file, pointer }: RuleEntry): string =>
  JSON.stringify([behavior, text, source, file, pointer]);

export function createRuleTally(): RuleTally {
  const policies = new Map<
    string,
    Map<string, { rule: RuleEntry; matched: number; decided: number }>
  >();
  const rowsOf = (policy: string) => {
    let rows = policies.get(policy);
    if (!rows) policies.set(policy, (rows = new Map()));
    return rows;
  };
  const add = (policy: string, rules: readonly RuleEntry[]) => {
    const rows = rowsOf(policy);
    for (const rule of rules)
      if (!rows.has(keyOf(rule))) rows.set(keyOf(rule), { rule, matched: 0, decided: 0 });
  };
  return {
    add,
    count(policy, { behavior, trail }) {
      const rules = new Map(
        trail.flatMap(({ rule }) => (rule ? [[keyOf(rule), rule] as const] : [])),
      );
      add(policy, [...rules.values()]);
      for (const [key, rule] of rules) {
        const row = rowsOf(policy).get(key);
        if (!row) continue;
        row.matched += 1;
        if (rule.behavior === behavior) row.decided += 1;
      }
    },
    rows: (policy) =>
      [...rowsOf(policy).values()].toSorted(
        (a, b) => b.decided - a.decided || b.matched - a.matched,
      ),
  };
}
