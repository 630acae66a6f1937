import { diskFacts, type RuleEntry, type RuleMatcher } from '@toolgate/core';
import { addRule } from './compile-rules.ts';
import { findBinding } from './find-binding.ts';
import { boundNames, placesOf } from './judged.ts';
import { canonicalName } from './legacy-names.ts';
import { matchesParameter } from './parameter-rule.ts';
import { parseRule } from './parse-rule.ts';
import { contentKind } from './rule-syntax.ts';
import { createTable, type RuleTable } from './rule-table.ts';
import type { RulesOptions } from './rules-backend.ts';

/** How many conditions a matcher keeps compiled; the oldest goes first. */
const maxKept = 1_000;

/**
 * Makes the matcher behind a hook's `if` (protocol 1.6): one rule, tested on every part of the call.
 * `unreadable` when the rule or the command cannot be read, or when a rule about more than the command's
 * name meets a command that is put together at run time; the hook then runs.
 */
export function ruleMatcher({ facts = diskFacts() }: RulesOptions = {}): RuleMatcher {
  const { home } = facts;
  const kept = new Map<string, RuleTable | undefined>();
  const load = (text: string): RuleTable | undefined => {
    if (kept.has(text)) return kept.get(text);
    if (kept.size >= maxKept)
      for (const oldest of [...kept.keys()].slice(0, 1)) kept.delete(oldest);
    const table = compileCondition(text, home);
    kept.set(text, table);
    return table;
  };
  return (text, call) => {
    const table = load(text);
    if (!table) return 'unreadable';
    const names = boundNames(call);
    if (table.names.find(names)) return 'yes';
    if (table.parameters.find(names, (rule) => matchesParameter(rule, [call.input]))) return 'yes';
    const places = placesOf(call, { home, realPath: (path) => facts.realPath(path) }).wide;
    if (call.effects.units.some((unit) => findBinding(table, { unit, call, names, places })))
      return 'yes';
    return isUncertain(text, call) ? 'unreadable' : 'no';
  };
}

/** {@link ruleMatcher} with this user's home and this machine's disk. */
export const matchRule: RuleMatcher = ruleMatcher();

/** What a list of rules ignores with a warning would be a condition that never holds. */
const ignoredAsCondition = new Set(['rule-path-ignored', 'rule-primary-field']);

function compileCondition(text: string, home: string): RuleTable | undefined {
  const entry: RuleEntry = { behavior: 'ask', text, source: 'session' };
  const table = createTable('condition');
  let dropped = false;
  addRule(table, entry, home, (code, _message, severity = 'warning') => {
    dropped ||= severity === 'error' || ignoredAsCondition.has(code);
  });
  return dropped ? undefined : table;
}

/** True when the rule is about this tool's commands and the command does not say what will run. */
function isUncertain(text: string, call: Parameters<RuleMatcher>[1]): boolean {
  const parsed = parseRule(text);
  if (!parsed.ok || parsed.rule.content === undefined) return false;
  const { tool, content } = parsed.rule;
  if (contentKind(tool) !== 'command' || !boundNames(call).includes(canonicalName(tool)))
    return false;
  if (call.effects.units.some(({ unparsed }) => unparsed)) return true;
  const { command } = call.input;
  const isDynamic = typeof command === 'string' && /\$[({\w@*#?!-]|`/.test(command);
  return isDynamic && /\S\s+\S/.test(content.replace(/[ :]\*$/, ''));
}
