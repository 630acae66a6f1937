import { messageOf } from '../failure.ts';
import { didYouMean, unknownKey } from '../nearest.ts';

/** What an answer to a hook may look like. */
export interface AnswerSpec {
  readonly keys: readonly string[];
  /** The answer is an opinion, or a list of opinions. */
  readonly isOpinion?: boolean;
  /** The key that holds an opinion. */
  readonly opinionAt?: string;
  /** The key that must be one of a few words. */
  readonly oneOf?: { readonly key: string; readonly words: readonly string[] };
}

type Read =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };

export const opinionSpec: AnswerSpec = {
  keys: ['behavior', 'reason', 'rule', 'unit', 'considered', 'covers', 'strength'],
  isOpinion: true,
};
const behaviors = ['allow', 'ask', 'deny'];
const strengths = ['soft', 'ask', 'person'];

/**
 * Copies an answer key by key, once, so that getters and proxies have no say later. An answer that is
 * no object, has an unknown key or an unknown word is a problem in one sentence.
 */
export function readAnswer(value: unknown, spec: AnswerSpec, where: string): Read {
  if (value === undefined || value === null) return { ok: true, value: undefined };
  try {
    if (Array.isArray(value) && spec.isOpinion) return readList(value, spec, where);
    if (typeof value !== 'object' || Array.isArray(value))
      return { ok: false, problem: `${where} is no object.` };
    const copy: Record<string, unknown> = {};
    const keys = Object.keys(value);
    const problem = unknownKey(keys, spec.keys, where);
    if (problem) return { ok: false, problem };
    for (const key of keys) copy[key] = Reflect.get(value, key);
    return check(copy, spec, where);
  } catch (thrown) {
    return { ok: false, problem: `${where} cannot be read: ${messageOf(thrown)}` };
  }
}

function readList(list: readonly unknown[], spec: AnswerSpec, where: string): Read {
  const values: unknown[] = [];
  for (const item of list) {
    const read = readAnswer(item, spec, where);
    if (!read.ok) return read;
    if (read.value !== undefined) values.push(read.value);
  }
  return { ok: true, value: values };
}

function check(copy: Record<string, unknown>, spec: AnswerSpec, where: string): Read {
  const word = spec.oneOf && copy[spec.oneOf.key];
  if (spec.oneOf && !isOneOf(word, spec.oneOf.words))
    return wrongWord(spec.oneOf.key, word, spec.oneOf.words, where);
  if (spec.isOpinion) return checkOpinion(copy, where);
  if (!spec.opinionAt || copy[spec.opinionAt] === undefined) return { ok: true, value: copy };
  const inner = readAnswer(copy[spec.opinionAt], opinionSpec, `${spec.opinionAt} in ${where}`);
  return inner.ok ? { ok: true, value: { ...copy, [spec.opinionAt]: inner.value } } : inner;
}

/** Compares by identity: a list that prints like a word is not that word. */
const isOneOf = (value: unknown, words: readonly string[]): value is string =>
  words.some((word) => word === value);

function checkOpinion(copy: Record<string, unknown>, where: string): Read {
  if (!isOneOf(copy['behavior'], behaviors))
    return wrongWord('behavior', copy['behavior'], behaviors, where);
  if (copy['behavior'] === 'ask') copy['strength'] ??= 'ask';
  if (copy['strength'] !== undefined && !isOneOf(copy['strength'], strengths))
    return wrongWord('strength', copy['strength'], strengths, where);
  copy['reason'] =
    typeof copy['reason'] === 'string' ? copy['reason'] : `A source said ${copy['behavior']}.`;
  return { ok: true, value: copy };
}

function wrongWord(key: string, word: unknown, words: readonly string[], where: string): Read {
  const shown = typeof word === 'string' ? `"${word}"` : `a value of type ${typeof word}`;
  const hint = typeof word === 'string' ? didYouMean(word, words) : '';
  return {
    ok: false,
    problem: `${key} in ${where} is ${shown}, not one of ${words.join(', ')}.${hint}`,
  };
}
