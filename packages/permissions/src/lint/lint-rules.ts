import type { LintEdit, LintFinding, RuleEntry } from '@toolgate/core';
import { parseRule } from '../parse-rule.ts';
import { ruleDiagnostics } from '../rule-diagnostics.ts';
import { overlappingRules } from './overlapping-rules.ts';
import { goneTools, singleRules } from './single-rules.ts';

/** What to do about each thing that the compiler of rules complains of. */
const fixes: Readonly<Record<string, string>> = {
  'rule-empty': 'Remove it, or write Tool or Tool(content).',
  'rule-unbalanced': 'Write Tool(content), with both parentheses.',
  'rule-no-tool': 'Write the name of the tool before "(".',
  'rule-tool-name': 'Write the name that the model calls, such as Bash or mcp__server__tool.',
  'rule-trailing-text': 'Remove what stands after the last ")".',
  'rule-empty-parentheses': 'Leave the parentheses out to mean every use of the tool.',
  'rule-allow-glob': 'Name each tool, or write mcp__server for all tools of a server.',
  'rule-unknown-tool': 'Check the name, and remove the rule if no tool has it.',
  'rule-description': 'Write a pattern where no language model judges.',
  'rule-leading-star': 'Begin with the name of the command.',
  'rule-no-prefix': 'Write the tool name alone to allow everything.',
  'rule-no-boundary': 'Put a blank before the star to mean whole words.',
  'rule-path': 'Write the path from its anchor: //root, ~/home, /settings or ./working folder.',
  'rule-path-ignored': 'Write the rule for Edit, or for Read.',
  'rule-single-slash': 'Write // for an absolute path.',
  'rule-braces': 'Write one rule for each alternative.',
  'rule-domain': 'Write WebFetch(domain:example.com).',
  'rule-primary-field': 'Write the content alone, without the name of the field.',
  'rule-content-ignored': 'Write the name of the tool alone.',
};

/**
 * All that is wrong with rules, or could be said more plainly, with a fix for each. Rules of several files are looked
 * at together, as they count together.
 */
export function lintRules(rules: readonly RuleEntry[]): readonly LintFinding[] {
  const byPlace = new Map(rules.map((rule) => [placeOf(rule), rule]));
  const compiled = ruleDiagnostics(rules)
    .filter(
      ({ code, ...place }) => code !== 'rule-unknown-tool' || !isGone(byPlace.get(placeOf(place))),
    )
    .map((diagnostic): LintFinding => {
      const edit = editOf(diagnostic.code, byPlace.get(placeOf(diagnostic)));
      const message = fixes[diagnostic.code] ?? 'Mend or remove the rule.';
      return { ...diagnostic, fix: { message, ...(edit && { edit }) } };
    });
  return [...compiled, ...singleRules(rules), ...overlappingRules(rules)];
}

/** True for a tool that is known to be gone, which is said with more detail elsewhere. */
function isGone(entry: RuleEntry | undefined): boolean {
  const parsed = entry && parseRule(entry.text);
  return parsed?.ok === true && goneTools.has(parsed.rule.tool);
}

const placeOf = ({ file = '', pointer = '' }: Pick<RuleEntry, 'file' | 'pointer'>): string =>
  `${file}\n${pointer}`;

/** Certain for deny and ask rules alone: an allow that did not count may not begin to. */
function editOf(code: string, entry: RuleEntry | undefined): LintEdit | undefined {
  if (code !== 'rule-path-ignored' || !entry || entry.behavior === 'allow') return undefined;
  const parsed = parseRule(entry.text);
  if (!parsed.ok) return undefined;
  const { tool, content = '' } = parsed.rule;
  const right = /^(?:Glob|Grep)$/.test(tool) ? 'Read' : 'Edit';
  return { op: 'replace', value: `${right}(${content})` };
}
