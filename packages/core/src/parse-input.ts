import type { z } from 'zod';
import { coerceAt } from './coerce.ts';
import { messageOf } from './failure.ts';
import { frozenJson, sameJson } from './json.ts';
import type { AnyObject, AnyTool } from './tool.ts';

export type ParsedInput =
  | { readonly ok: true; readonly input: AnyObject }
  | {
      readonly ok: false;
      readonly code: 'input_invalid' | 'schema_invalid';
      readonly message: string;
    };

/**
 * Parses a model's input: strict first, then lenient at the failing paths. What comes out is frozen
 * JSON that parses to itself, so that a second parse after a rewrite cannot mean something else.
 */
export function parseInput(tool: AnyTool, raw: unknown): ParsedInput {
  const json = frozenJson(raw ?? {});
  if ('problem' in json)
    return {
      ok: false,
      code: 'input_invalid',
      message: `InputValidationError: ${tool.name} was given an input that is refused: ${json.problem}.`,
    };
  try {
    const parsed = parse(tool.inputSchema, json.value);
    if (!parsed.success)
      return {
        ok: false,
        code: 'input_invalid',
        message: formatZodValidationError(tool.name, parsed.error, json.value),
      };
    return stable(tool, json.value, parsed.data);
  } catch (thrown) {
    // An asynchronous schema throws here too: it cannot be used for a decision.
    return {
      ok: false,
      code: 'schema_invalid',
      message: `The input schema of ${tool.name} failed: ${messageOf(thrown)}. The call cannot be made; use another tool.`,
    };
  }
}

function parse(schema: z.ZodType, value: unknown): ReturnType<z.ZodType['safeParse']> {
  const first = schema.safeParse(value);
  let result = first;
  let candidate = value;
  // A field that fits may uncover another one inside it; each round mends at least one.
  for (let round = 0; !result.success && round < 8; round++) {
    const coerced = coerceAt(candidate, result.error.issues);
    if (coerced === undefined) break;
    candidate = coerced;
    result = schema.safeParse(candidate);
  }
  return result.success ? result : first;
}

function stable(tool: AnyTool, value: unknown, data: unknown): ParsedInput {
  const unusable = (why: string): ParsedInput => ({
    ok: false,
    code: 'schema_invalid',
    message: `The input schema of ${tool.name} ${why}, so the call cannot be judged. Use another tool.`,
  });
  const json = frozenJson(data);
  if ('problem' in json) return unusable(`yields something that is no JSON (${json.problem})`);
  if (!isObject(json.value)) return unusable('yields no object');
  if (sameJson(json.value, value)) return { ok: true, input: json.value };
  const again = tool.inputSchema.safeParse(json.value);
  if (!again.success || !sameJson(again.data, json.value))
    return unusable('changes a value each time it is applied');
  return { ok: true, input: json.value };
}

const isObject = (value: unknown): value is AnyObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Says for a model which fields were wrong: where, what was expected, what came. */
export function formatZodValidationError(
  tool: string,
  error: z.core.$ZodError,
  input: unknown,
): string {
  const lines = error.issues.slice(0, 20).map((issue) => `- ${describe(issue, input)}`);
  const rest = error.issues.length > 20 ? `\n- and ${error.issues.length - 20} more` : '';
  return `InputValidationError: ${tool} was given an invalid input:\n${lines.join('\n')}${rest}`;
}

function describe(issue: z.core.$ZodIssue, input: unknown): string {
  const where = issue.path.length > 0 ? `\`${issue.path.map(String).join('.')}\`` : 'the input';
  if (issue.code === 'unrecognized_keys')
    return `${where}: unknown ${issue.keys.map((key) => `\`${key}\``).join(', ')}`;
  const value = issue.path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined,
    input,
  );
  if (issue.code === 'invalid_type' && value === undefined)
    return `${where}: is required (${issue.expected})`;
  if (issue.code === 'invalid_type')
    return `${where}: expected ${issue.expected}, got ${kindOf(value)}`;
  return `${where}: ${issue.message}`;
}

const kindOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
