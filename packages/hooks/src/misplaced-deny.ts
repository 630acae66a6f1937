import type { HookEvent } from './hook-events.ts';
import { Pairs, readEvery } from './read-every.ts';

/** How much of an output is searched, and how often an object is tried to be read in it. */
const maxChars = 65_536;
const maxTries = 200;

type Fields = Readonly<Record<string, unknown>> | Pairs;
export interface MisplacedDeny {
  readonly reason?: string;
}

/** What a search found: one deny, nothing, or something that looks like a decision and cannot be taken. */
export type Found =
  | { readonly kind: 'deny'; readonly deny: MisplacedDeny }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'unusable'; readonly problem: string };

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** All that an object gives for a key; several where it holds the key twice. */
function valuesOf(object: Fields, key: string): readonly unknown[] {
  if (object instanceof Pairs)
    return object.pairs.flatMap(([name, value]) => (name === key ? [value] : []));
  return Object.hasOwn(object, key) ? [object[key]] : [];
}

/**
 * The deny in an object that says it in a form or place that is not the protocol's; undefined for none. Where
 * keys stand twice, a deny in any of them counts, whatever event the others name.
 */
export function denyIn(object: unknown, event: HookEvent): MisplacedDeny | undefined {
  if (!isObject(object)) return undefined;
  const inside = valuesOf(object, 'hookSpecificOutput').filter(isObject);
  const inner = inside.filter((layer) => !namesAnotherEvent(layer, event));
  const isElsewhere = namesAnotherEvent(object, event);
  const isWhole = !(object instanceof Pairs);
  if (isWhole && (isElsewhere || inner.length < inside.length)) return undefined;
  const outer = isElsewhere ? inner : [object, ...inner];
  const decisions = outer.flatMap((layer) => valuesOf(layer, 'decision')).filter(isObject);
  const layers = [...outer, ...decisions];
  const words = ['permissionDecision', 'decision', 'behavior', 'permission'];
  const saysDeny = layers.some((layer) =>
    words
      .flatMap((word) => valuesOf(layer, word))
      .some((word) => /^(deny|denied|block|blocked|reject)$/i.test(String(word))),
  );
  if (!saysDeny) return undefined;
  const reason = layers
    .flatMap((layer) =>
      ['permissionDecisionReason', 'reason', 'message'].flatMap((key) => valuesOf(layer, key)),
    )
    .find((text) => typeof text === 'string' && text.trim() !== '');
  return typeof reason === 'string' ? { reason } : {};
}

/**
 * Looks for a deny in an output that is not exactly one JSON document: one whole object beside noise.
 * Of several objects none is taken, for one of them may be text that the model wrote (security rule 16).
 */
export function denyBesideNoise(text: string, event: HookEvent): Found {
  const answers = wholeObjects(text.slice(0, maxChars)).filter(looksLikeAnswer);
  const [first, second] = answers;
  if (first && second)
    return { kind: 'unusable', problem: 'its output holds several JSON answers, so none is taken' };
  const deny = denyIn(first, event);
  if (deny) return { kind: 'deny', deny };
  if (first || /"(permissionDecision|decision)"\s*:/.test(text.slice(0, maxChars)))
    return {
      kind: 'unusable',
      problem: 'its output looks like an answer but is not exactly one JSON document',
    };
  return { kind: 'nothing' };
}

/** A name in another case is the same event's. */
function namesAnotherEvent(object: Fields, event: HookEvent): boolean {
  const names = ['hookEventName', 'hook_event_name'].flatMap((key) => valuesOf(object, key));
  return names.length > 0 && !names.some((name) => plain(name) === plain(event));
}

const plain = (name: unknown): string =>
  String(name)
    .replace(/[\s_-]/g, '')
    .toLowerCase();

const answerKeys = [
  'hookSpecificOutput',
  'permissionDecision',
  'decision',
  'behavior',
  'permission',
  'continue',
  'stopReason',
  'systemMessage',
  'suppressOutput',
];
const looksLikeAnswer = (object: Fields) =>
  answerKeys.some((key) => valuesOf(object, key).length > 0);

function wholeObjects(text: string): readonly Fields[] {
  const found: Fields[] = [];
  let at = text.indexOf('{');
  for (let tries = 0; at >= 0 && tries < maxTries; tries++) {
    const end = endOfObject(text, at);
    const object = end === undefined ? undefined : parsed(text.slice(at, end));
    if (object) found.push(object);
    at = text.indexOf('{', object && end !== undefined ? end : at + 1);
  }
  return found;
}

/** The place after the brace that closes the one at `start`; braces in JSON texts do not count. */
function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  let inText = false;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (inText) {
      if (char === '\\') at++;
      else if (char === '"') inText = false;
    } else if (char === '"') inText = true;
    else if (char === '{') depth++;
    else if (char === '}' && --depth === 0) return at + 1;
  }
  return undefined;
}

function parsed(text: string): Fields | undefined {
  try {
    JSON.parse(text);
    const { value } = readEvery(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
