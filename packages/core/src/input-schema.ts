import type { z } from 'zod';
import { messageOf } from './failure.ts';
import { quiet } from './hooks/guard.ts';
import { zodOfJsonSchema } from './json-schema.ts';
import { frozenJson } from './json.ts';
import type { AnyObject, InputSchema, StandardSchema, Tool } from './tool.ts';

/** What is wrong with a value, and where: an issue of Zod or of another library. */
export interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}
/** What a schema makes of a value. */
export type Judged =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** True for a schema of Zod 4, of whatever copy. */
export const isZod = (schema: unknown): schema is z.ZodType =>
  typeof Object(schema).safeParse === 'function' && '_zod' in Object(schema);

const standardOf = (
  schema: unknown,
): Partial<StandardSchema['~standard']> & { jsonSchema?: unknown } =>
  Object(Object(schema)['~standard']);

/** True for what can judge an input. */
export const isInputSchema = (schema: unknown): schema is InputSchema =>
  isZod(schema) || typeof standardOf(schema).validate === 'function';

/** Applies a schema. Throws where it throws, and where it cannot answer at once. */
export function judge(schema: InputSchema, value: unknown): Judged {
  if (isZod(schema)) {
    const { success, data, error } = schema.safeParse(value);
    return success ? { ok: true, value: data } : { ok: false, issues: error.issues };
  }
  const answer = Object(standardOf(schema).validate?.(value)) as Partial<Record<string, unknown>>; // only read
  quiet(answer);
  const { issues } = answer;
  if (Array.isArray(issues)) return { ok: false, issues: issues as readonly Issue[] }; // as its specification has it
  if (issues === undefined && 'value' in answer) return { ok: true, value: answer['value'] };
  throw new Error('it gave no answer at once');
}

/** The two schemas of a tool: what judges an input, and what the model gets. */
export function schemasOf(def: {
  readonly inputSchema?: unknown;
  readonly inputJSONSchema?: unknown;
}): Pick<Tool, 'inputSchema' | 'inputJSONSchema'> | { readonly problem: string } {
  const { inputSchema } = def;
  if (inputSchema !== undefined && !isInputSchema(inputSchema))
    return { problem: 'has an inputSchema that is neither Zod 4 nor any other Standard Schema.' };
  if (def.inputJSONSchema === undefined && inputSchema === undefined)
    return { problem: 'has no inputSchema. Give it a Zod object schema, or an inputJSONSchema.' };
  if (def.inputJSONSchema === undefined && isZod(inputSchema))
    return { inputSchema, inputJSONSchema: undefined };
  try {
    const given = def.inputJSONSchema ?? exported(inputSchema);
    if (given === undefined)
      return { problem: 'needs an inputJSONSchema too: its inputSchema cannot be exported.' };
    const json = frozenJson(given);
    if ('problem' in json) throw new Error(json.problem);
    if (Object(json.value).type !== 'object') throw new Error('it has not the type "object"');
    const inputJSONSchema = json.value as AnyObject; // an object, as it has a type
    return { inputSchema: inputSchema ?? zodOfJsonSchema(inputJSONSchema), inputJSONSchema };
  } catch (thrown) {
    return { problem: `has an inputJSONSchema that cannot be used: ${messageOf(thrown)}.` };
  }
}

/** What a library that speaks Standard JSON Schema exports for a model. */
function exported(schema: unknown): unknown {
  const { jsonSchema } = standardOf(schema);
  const { input } = Object(jsonSchema) as { readonly input?: unknown }; // only read
  return typeof input === 'function' ? input({ target: 'draft-2020-12' }) : undefined;
}
