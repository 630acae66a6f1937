import { failureCodes, messageOf } from '../failure.ts';
import { isInputSchema } from '../input-schema.ts';
import { frozenJson } from '../json.ts';
import { didYouMean, unknownKey } from '../nearest.ts';
import { updateDestinations } from '../permission-update.ts';
import { permissionModes } from '../settings-snapshot.ts';

/** Copies a foreign value once, so that getters and proxies have no say later; throws {@link BadAnswer}. */
export type AnswerSpec = (value: unknown, where: string) => unknown;

/** Thrown inside this file only, and turned into a sentence by `readAnswer`. */
class BadAnswer extends Error {}

type Read =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };

/** Reads an answer as its hook wants it; whatever is wrong with it is one sentence. */
export function readAnswer(value: unknown, spec: AnswerSpec, where: string): Read {
  if (value === undefined || value === null) return { ok: true, value: undefined };
  try {
    return { ok: true, value: spec(value, where) };
  } catch (thrown) {
    const problem =
      thrown instanceof BadAnswer
        ? thrown.message
        : `${where} cannot be read: ${messageOf(thrown)}`;
    return { ok: false, problem };
  }
}

/** An object with a closed list of keys; a member that is undefined counts as absent. */
export function record(
  shape: Readonly<Record<string, AnswerSpec>>,
  required: readonly string[] = [],
): AnswerSpec {
  const known = Object.keys(shape);
  return (value, where) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new BadAnswer(`${where} is no object.`);
    const keys = Object.keys(value);
    const problem = unknownKey(keys, known, where);
    if (problem) throw new BadAnswer(problem);
    const copy: Record<string, unknown> = {};
    for (const key of keys) {
      const member: unknown = Reflect.get(value, key);
      const read = member === undefined ? undefined : shape[key]?.(member, `${key} in ${where}`);
      if (read !== undefined) copy[key] = read;
    }
    for (const key of required)
      if (!Object.hasOwn(copy, key)) throw new BadAnswer(`${where} has no ${key}.`);
    return copy;
  };
}

const kind =
  (type: 'string' | 'boolean' | 'number', name: string): AnswerSpec =>
  (value, where) => {
    if (typeof value !== type) throw new BadAnswer(`${where} is no ${name}.`);
    return value;
  };
export const text = kind('string', 'text');
export const bool = kind('boolean', 'boolean');
export const number = kind('number', 'number');
/** Anything, as it is. */
export const anything: AnswerSpec = (value) => value;
/** Observers may return what they like; it is not read. */
export const ignored: AnswerSpec = () => undefined;

/** One of a few words, compared by identity: a list that prints like a word is not that word. */
export const word =
  (words: readonly string[]): AnswerSpec =>
  (value, where) => {
    if (words.some((known) => known === value)) return value;
    const shown = typeof value === 'string' ? `"${value}"` : `a value of type ${typeof value}`;
    const hint = typeof value === 'string' ? didYouMean(value, words) : '';
    throw new BadAnswer(`${where} is ${shown}, not one of ${words.join(', ')}.${hint}`);
  };

export const list =
  (item: AnswerSpec): AnswerSpec =>
  (value, where) => {
    if (!Array.isArray(value)) throw new BadAnswer(`${where} is no list.`);
    return Array.from(value, (member: unknown) => item(member, where));
  };

/** A frozen copy of a JSON object. */
export const object: AnswerSpec = (value, where) => {
  const json = frozenJson(value);
  if ('problem' in json) throw new BadAnswer(`${where} is no JSON object: ${json.problem}.`);
  if (typeof json.value !== 'object' || json.value === null || Array.isArray(json.value))
    throw new BadAnswer(`${where} is no JSON object.`);
  return json.value;
};

const covers: AnswerSpec = (value, where) => {
  if (value === 'own' || value === 'all') return value;
  // Units are compared by identity with the call's own, so they are not copied.
  return list(anything)(value, where);
};

const opinionShape = record(
  {
    behavior: word(['allow', 'ask', 'deny']),
    reason: text,
    rule: object,
    unit: object,
    considered: (value, where) => list(opinion)(value, where),
    covers,
    origins: list(text),
    strength: word(['soft', 'ask', 'person']),
    fillable: text,
  },
  ['behavior'],
);

/** An opinion; an ask without a strength is an `ask`. */
export const opinion: AnswerSpec = (value, where) => {
  const read = opinionShape(value, where) as Record<string, unknown>; // record makes one
  const behavior = String(read['behavior']);
  return {
    reason: `A source said ${behavior}.`,
    ...(behavior === 'ask' && { strength: 'ask' }),
    ...read,
  };
};

/** An opinion or a list of them; what is undefined or null in the list is no opinion. */
export const opinions: AnswerSpec = (value, where) =>
  Array.isArray(value)
    ? Array.from(value)
        .filter((item) => item !== undefined && item !== null)
        .map((item) => opinion(item, where))
    : opinion(value, where);

const behaviorOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'behavior' in value ? value.behavior : undefined;

const destination = word(updateDestinations);
const ruleValue = record({ toolName: text, ruleContent: text }, ['toolName']);
const updates = {
  rules: record(
    {
      type: word(['addRules', 'replaceRules', 'removeRules']),
      rules: list(ruleValue),
      behavior: word(['allow', 'ask', 'deny']),
      destination,
    },
    ['type', 'rules', 'behavior', 'destination'],
  ),
  mode: record({ type: anything, mode: word(permissionModes), destination }, [
    'mode',
    'destination',
  ]),
  directories: record(
    { type: word(['addDirectories', 'removeDirectories']), directories: list(text), destination },
    ['type', 'directories', 'destination'],
  ),
};

/** A permission update in the shape of the Agent SDK. */
const update: AnswerSpec = (value, where) => {
  const type =
    typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
  if (type === 'setMode') return updates.mode(value, where);
  const isAboutFolders = type === 'addDirectories' || type === 'removeDirectories';
  return (isAboutFolders ? updates.directories : updates.rules)(value, where);
};

const allowAnswer = record(
  {
    behavior: word(['allow', 'deny']),
    updatedInput: object,
    rules: list(text),
    destination,
    updates: list(update),
  },
  ['behavior'],
);
const denyAnswer = record({ behavior: word(['deny']), message: text, interrupt: bool }, [
  'behavior',
]);

/** What a person or hook answers to a prompt. */
export const permissionAnswer: AnswerSpec = (value, where) =>
  (behaviorOf(value) === 'deny' ? denyAnswer : allowAnswer)(value, where);

const failure = record({ code: word(failureCodes), message: text, cause: anything }, [
  'code',
  'message',
]);

/** How a tool that ran elsewhere ended. */
export const ending: AnswerSpec = (value, where) => {
  const read = record({ ok: bool, result: anything, failure }, ['ok'])(value, where);
  const { ok, result, failure: failed } = read as Record<string, unknown>; // record makes one
  if (ok && (typeof result !== 'object' || result === null || !('data' in result)))
    throw new BadAnswer(`${where} has no result with data.`);
  if (!ok && failed === undefined) throw new BadAnswer(`${where} has no failure.`);
  return ok ? { ok, result } : { ok, failure: failed };
};

/** A tool, as `buildTool` makes one. */
export const tool: AnswerSpec = (value, where) => {
  const candidate = Object(value) as Partial<Record<string, unknown>>; // only looked at
  if (
    typeof candidate['name'] !== 'string' ||
    typeof candidate['call'] !== 'function' ||
    !isInputSchema(candidate['inputSchema'])
  )
    throw new BadAnswer(`${where} is no tool. Make it with buildTool.`);
  return value;
};
