import type { z } from 'zod';
import type { Issue } from './input-schema.ts';

/** Issues that are named one by one; of more only the number is told. */
const maxIssues = 20;
/** UTF-16 code units of a value that are repeated in a message. */
const maxShown = 60;

/**
 * Says for a model which fields were wrong: where, what was expected, what came.
 *
 * @param error What Zod or another Standard Schema library gave.
 * @param input What was parsed; without it what came is told only as far as the error itself says.
 */
export function formatZodValidationError(
  tool: string,
  error: { readonly issues: readonly Issue[] },
  input?: unknown,
): string {
  const issues = error.issues.flatMap(nearest);
  const lines = issues.slice(0, maxIssues).map((issue) => `- ${describe(issue, input)}`);
  const left = issues.length - maxIssues;
  const rest = left > 0 ? `\n- and ${left} more` : '';
  return `InputValidationError: ${tool} was given an invalid input:\n${lines.join('\n')}${rest}`;
}

/** Of a union the issues of the branch that came closest: its type is right, and the fewest parts are wrong. */
function nearest(given: Issue): readonly Issue[] {
  const { code, errors = [], path = [] } = given as Partial<z.core.$ZodIssueInvalidUnion>; // told apart by its code
  if (code !== 'invalid_union') return [given];
  const [branch] = errors
    .filter((issues) => issues.length > 0 && issues.every((issue) => issue.path.length > 0))
    .toSorted((a, b) => a.length - b.length);
  return branch
    ? branch.flatMap((issue) => nearest({ ...issue, path: [...path, ...issue.path] }))
    : [given];
}

function describe(given: Issue, input: unknown): string {
  const path = (given.path ?? []).map((step) => (typeof step === 'object' ? step.key : step));
  const where = path.length > 0 ? `\`${path.map(String).join('.')}\`` : 'the input';
  const value = path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
        ? Reflect.get(inner, key)
        : undefined,
    input,
  );
  const issue = given as Partial<z.core.$ZodIssue> & Issue; // told apart by their codes
  if (issue.code === 'unrecognized_keys')
    return `${where}: unknown ${issue.keys?.map((key) => `\`${key}\``).join(', ')}`;
  if (issue.code === 'invalid_key') return `${where}: ${issue.message}`;
  const expected = expectedBy(issue);
  if (expected.includes('never')) return `${where}: unknown`;
  if (input !== undefined && value === undefined)
    return `${where}: is required${expected.length > 0 ? ` (${expected.join(' or ')})` : ''}`;
  if (input !== undefined && expected.length > 0)
    return `${where}: expected ${expected.join(' or ')}, got ${kindOf(value)}`;
  return `${where}: ${issue.message}${shown(value)}`;
}

/** The types that an issue asks for at its own place, those inside a union included. */
function expectedBy(issue: Partial<z.core.$ZodIssue>): readonly string[] {
  if (issue.code === 'invalid_type') {
    const expected: string = issue.expected ?? '';
    return [expected === 'nonoptional' ? 'any value' : expected];
  }
  if (issue.code !== 'invalid_union') return [];
  const inner = (issue.errors ?? []).flatMap((branch) =>
    branch.flatMap((one) => (one.path.length === 0 ? expectedBy(one) : [])),
  );
  return Array.from(new Set(inner));
}

const kindOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;

/** What came, where its type is right. */
function shown(value: unknown): string {
  if (value === undefined || typeof value === 'object') return '';
  const text = JSON.stringify(value);
  return `, got ${text.length > maxShown ? `${text.slice(0, maxShown)}…` : text}`;
}
