import { visibleText, type LintFinding, type RuleEntry } from '@toolgate/core';

const maxShown = 120;

/** A finding about a rule, with the rule's place. */
export function findingOf(
  { behavior, text, file, line, pointer }: RuleEntry,
  { message, ...finding }: Pick<LintFinding, 'code' | 'severity' | 'message' | 'fix'>,
): LintFinding {
  const rule = text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
  return {
    ...finding,
    message: `${behavior} rule ${visibleText(JSON.stringify(rule))}: ${message}`,
    ...(file !== undefined && { file }),
    ...(line !== undefined && { line }),
    ...(pointer !== undefined && { pointer }),
  };
}
