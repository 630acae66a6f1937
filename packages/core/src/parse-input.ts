import type { z } from 'zod';
import { attemptNow } from './hooks/guard.ts';
import { coerceAt } from './coerce.ts';
import { messageOf } from './failure.ts';
import { isZod, judge, type Issue, type Judged } from './input-schema.ts';
import { zodOfJsonSchema } from './json-schema.ts';
import { frozenJson, sameJson } from './json.ts';
import type { AnyObject, AnyTool } from './tool.ts';
import { formatZodValidationError } from './validation-error.ts';

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
  const invalid = (message: string): ParsedInput => ({ ok: false, code: 'input_invalid', message });
  const json = frozenJson(raw ?? {});
  if ('problem' in json)
    return invalid(
      `InputValidationError: ${tool.name} was given an input that is refused: ${json.problem}.`,
    );
  try {
    const parsed = parse(tool, json.value);
    if (parsed.ok) return stable(tool, json.value, parsed.value);
    return invalid(formatZodValidationError(tool.name, parsed, json.value));
  } catch (thrown) {
    // An asynchronous schema throws here too: it cannot be used for a decision.
    return {
      ok: false,
      code: 'schema_invalid',
      message: `The input schema of ${tool.name} failed: ${messageOf(thrown)}. The call cannot be made; use another tool.`,
    };
  }
}

function parse({ inputSchema, inputJSONSchema }: AnyTool, value: unknown): Judged {
  const first = judge(inputSchema, value);
  if (first.ok) return first;
  const issuesOf = guide(inputSchema, inputJSONSchema);
  let candidate = value;
  let last: Judged = first;
  // A field that fits may uncover another one inside it; each round mends at least one.
  for (let round = 0; !last.ok && round < 8; round++) {
    const coerced = coerceAt(candidate, issuesOf(last.issues, candidate));
    if (coerced === undefined) break;
    candidate = coerced;
    last = judge(inputSchema, candidate);
  }
  return last.ok ? last : first;
}

/** Zod's issues say which type a field wants. Beside another library the JSON Schema does, as far as it can be judged. */
function guide(
  schema: AnyTool['inputSchema'],
  json: AnyObject | undefined,
): (issues: readonly Issue[], value: unknown) => readonly Issue[] {
  if (isZod(schema)) return (issues) => issues;
  const zod = attemptNow<z.ZodType>(() => zodOfJsonSchema(json ?? {}));
  return (_, value) => (zod.ok && zod.value.safeParse(value).error?.issues) || [];
}

function stable({ name, inputSchema }: AnyTool, value: unknown, data: unknown): ParsedInput {
  const unusable = (why: string): ParsedInput => ({
    ok: false,
    code: 'schema_invalid',
    message: `The input schema of ${name} ${why}, so the call cannot be judged. Use another tool.`,
  });
  const json = frozenJson(data);
  if ('problem' in json) return unusable(`yields something that is no JSON (${json.problem})`);
  if (!isObject(json.value)) return unusable('yields no object');
  if (sameJson(json.value, value)) return { ok: true, input: json.value };
  const again = judge(inputSchema, json.value);
  if (!again.ok || !sameJson(again.value, json.value))
    return unusable('changes a value each time it is applied');
  return { ok: true, input: json.value };
}

const isObject = (value: unknown): value is AnyObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
