import type { Behavior, LintFinding, RuleEntry } from '@toolgate/core';
import { dangerousAllow } from '../dangerous-allow.ts';
import { parseRule, type ParsedRule } from '../parse-rule.ts';
import { CoverIndex } from './cover-index.ts';
import { findingOf } from './finding-of.ts';

interface Counted {
  readonly entry: RuleEntry;
  readonly rule: ParsedRule;
}

const stronger: Readonly<Record<Behavior, readonly Behavior[]>> = {
  deny: [],
  ask: ['deny'],
  allow: ['deny', 'ask'],
};

/**
 * Rules that other rules make pointless: said twice, covered by a wider one of the same file and list, or shadowed
 * by a stronger list of any file.
 */
export function overlappingRules(rules: readonly RuleEntry[]): readonly LintFinding[] {
  const findings: LintFinding[] = [];
  const lists = new Map<string, CoverIndex>();
  const behaviors = { deny: new CoverIndex(), ask: new CoverIndex(), allow: new CoverIndex() };
  const kept: Counted[] = [];
  for (const entry of rules) {
    const parsed = parseRule(entry.text);
    if (!parsed.ok) continue;
    const { rule } = parsed;
    const list = listOf(lists, entry);
    const same = list.findSame(rule);
    if (same) {
      findings.push(duplicate(entry, same));
      continue;
    }
    list.add(rule, entry);
    behaviors[entry.behavior].add(rule, entry);
    kept.push({ entry, rule });
  }
  for (const { entry, rule } of kept) {
    const found = shadow(behaviors, entry, rule) ?? covered(listOf(lists, entry), entry, rule);
    if (found) findings.push(found);
  }
  return findings;
}

function listOf(lists: Map<string, CoverIndex>, { file = '', behavior }: RuleEntry): CoverIndex {
  const key = `${behavior}\n${file}`;
  let list = lists.get(key);
  if (!list) lists.set(key, (list = new CoverIndex()));
  return list;
}

const shown = ({ behavior, text, file, line }: RuleEntry, from: RuleEntry): string => {
  const place = file !== undefined && file !== from.file ? ` of ${file}` : '';
  return `${behavior} rule ${JSON.stringify(text)}${place}${line === undefined ? '' : ` (line ${line})`}`;
};

function duplicate(entry: RuleEntry, same: RuleEntry): LintFinding {
  const isWritten = entry.text.trim() === same.text.trim();
  return findingOf(entry, {
    code: 'rule-duplicate',
    severity: 'info',
    message: `the ${shown(same, entry)} says the same.`,
    fix: {
      message: 'Remove one of the two.',
      ...((isWritten || entry.behavior === 'allow') && { edit: { op: 'remove' } }),
    },
  });
}

function shadow(
  behaviors: Readonly<Record<Behavior, CoverIndex>>,
  entry: RuleEntry,
  rule: ParsedRule,
): LintFinding | undefined {
  for (const behavior of stronger[entry.behavior]) {
    const by = behaviors[behavior].findSame(rule) ?? behaviors[behavior].findWider(rule)?.entry;
    if (by)
      return findingOf(entry, {
        code: 'rule-shadowed',
        severity: 'warning',
        message: `it never decides, because the ${shown(by, entry)} is stronger and matches all that it matches.`,
        fix: { message: 'Remove this rule, or narrow the stronger one.' },
      });
  }
  return undefined;
}

function covered(list: CoverIndex, entry: RuleEntry, rule: ParsedRule): LintFinding | undefined {
  const cover = list.findWider(rule);
  if (!cover) return undefined;
  const by = parseRule(cover.entry.text);
  // A dangerous allow is put aside in some modes; what it covers counts then.
  const isCertain =
    cover.isCertain && entry.behavior === 'allow' && by.ok && dangerousAllow(by.rule) === undefined;
  return findingOf(entry, {
    code: 'rule-covered',
    severity: 'info',
    message: `the ${shown(cover.entry, entry)} covers it.`,
    fix: {
      message: 'Remove this rule, or the wider one.',
      ...(isCertain && { edit: { op: 'remove' } }),
    },
  });
}
