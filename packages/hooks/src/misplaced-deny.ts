import type { HookEvent } from './handler.ts';

/** How much of an output is searched, and how often an object is tried to be read in it. */
const maxChars = 65_536;
const maxTries = 200;

type Fields = Readonly<Record<string, unknown>>;
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

/** The deny in an object that says it in a form or place that is not the protocol's; undefined for none. */
export function denyIn(object: unknown, event: HookEvent): MisplacedDeny | undefined {
  if (!isObject(object) || namesAnotherEvent(object, event)) return undefined;
  const inner = object['hookSpecificOutput'];
  const outer = isObject(inner) ? [object, inner] : [object];
  const layers = [...outer, ...outer.map((layer) => layer['decision']).filter(isObject)];
  const words = ['permissionDecision', 'decision', 'behavior', 'permission'];
  const saysDeny = layers.some((layer) =>
    words.some((word) => /^(deny|denied|block|blocked|reject)$/i.test(String(layer[word]))),
  );
  if (!saysDeny) return undefined;
  const reason = layers
    .flatMap((layer) => [layer['permissionDecisionReason'], layer['reason'], layer['message']])
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

function namesAnotherEvent(object: Fields, event: HookEvent): boolean {
  const inner = object['hookSpecificOutput'];
  const names = [
    object['hookEventName'],
    object['hook_event_name'],
    isObject(inner) ? inner['hookEventName'] : undefined,
  ];
  return names.some((name) => name !== undefined && name !== event);
}

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
const looksLikeAnswer = (object: Fields) => answerKeys.some((key) => Object.hasOwn(object, key));

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
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
