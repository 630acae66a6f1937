import { z } from 'zod';
import { systemClock } from './clock.ts';
import { attempt } from './hooks/guard.ts';
import type { LanguageModel, ModelAnswer, ModelRequest } from './language-model.ts';

/** One question to a model. */
export interface ModelQuestion {
  readonly system?: string;
  readonly prompt: string;
  readonly signal: AbortSignal;
  /** Most tokens of the answer; default: the model's own limit. */
  readonly maxOutputTokens?: number;
}

/**
 * Asks a model one question. With `schema` the answer is one JSON document, alone or in one fence, that the
 * schema has parsed; without, it is the model's text.
 *
 * @throws Error, as a rejection, when the model fails, when `signal` aborts (at once, whatever the model
 *   does), or when the answer is no such document. Whoever decides by a model treats that as no opinion.
 */
export async function askModel<Schema extends z.ZodType>(
  model: LanguageModel,
  question: ModelQuestion & { readonly schema: Schema },
): Promise<z.output<Schema>>;
export async function askModel(model: LanguageModel, question: ModelQuestion): Promise<string>;
export async function askModel(
  model: LanguageModel,
  question: ModelQuestion & { readonly schema?: z.ZodType },
): Promise<unknown> {
  const { schema, signal } = question;
  const jsonSchema = schema && z.toJSONSchema(schema, { io: 'input' });
  const answer = await attempt<ModelAnswer | undefined>(
    ({ signal: abortSignal }) =>
      model.doGenerate({ ...requestOf(question, jsonSchema), abortSignal }),
    Infinity,
    { signal, clock: systemClock },
  );
  if (!answer.ok) throw new Error(`the model gave no answer: ${answer.message}`, answer);
  return schema ? answerJson(answer.value, schema) : answerText(answer.value);
}

/**
 * The JSON document that a model answered with, alone or in one fence, parsed by a schema.
 *
 * @throws Error when the answer is no such document.
 */
export function answerJson<Schema extends z.ZodType>(
  answer: ModelAnswer | undefined,
  schema: Schema,
): z.output<Schema> {
  return schema.parse(jsonOf(answer?.structuredOutputText ?? answerText(answer)));
}

function requestOf(
  { system, prompt, maxOutputTokens }: ModelQuestion,
  jsonSchema: object | undefined,
): ModelRequest {
  // Not every provider passes the schema on, so it stands in words, too.
  const form =
    jsonSchema &&
    `Answer with exactly one JSON object and nothing else. It must fit this JSON Schema: ${JSON.stringify(jsonSchema)}`;
  const instructions = [system, form].filter((text) => text !== undefined).join('\n\n');
  return {
    prompt: [
      ...(instructions === '' ? [] : [{ role: 'system' as const, content: instructions }]),
      { role: 'user', content: [{ type: 'text', text: prompt }] },
    ],
    ...(jsonSchema && {
      responseFormat: { type: 'json', schema: jsonSchema as Record<string, never> }, // theirs is a JSON Schema type
    }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
  };
}

/** All texts of a model's answer together. @throws Error for what is no answer. */
export function answerText(answer: unknown): string {
  const content: unknown = Reflect.get(Object(answer), 'content');
  if (!Array.isArray(content)) throw new Error('the model gave an answer without content');
  return content
    .filter((part): part is { readonly text: string } => isText(part))
    .map(({ text }) => text)
    .join('');
}

const isText = (part: unknown): boolean =>
  typeof part === 'object' &&
  part !== null &&
  'type' in part &&
  part.type === 'text' &&
  'text' in part &&
  typeof part.text === 'string';

function jsonOf(text: string): unknown {
  const document = /^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/.exec(text)?.[1] ?? text;
  try {
    return JSON.parse(document);
  } catch {
    throw new Error('the model answered with something else than one JSON document');
  }
}
