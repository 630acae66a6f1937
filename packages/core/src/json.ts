/** Deepest nesting and most values of an input; more is refused before anything reads it. */
const maxDepth = 100;
const maxValues = 200_000;

/** Thrown inside this file only, and turned into a sentence at its edge. */
class NotJson extends Error {}

/** Where a copy is, and what it may still hold. */
interface Copying {
  readonly path: (string | number)[];
  left: number;
}

/** Copies and freezes a JSON value. `problem` says in one phrase why it is none. */
export function frozenJson(
  value: unknown,
): { readonly value: unknown } | { readonly problem: string } {
  const state: Copying = { path: [], left: maxValues };
  try {
    return { value: copy(value, state) };
  } catch (error) {
    return { problem: error instanceof NotJson ? error.message : 'it cannot be read' };
  }
}

const nameOf = ({ path }: Copying): string =>
  path.reduce<string>((name, key) => {
    if (typeof key === 'number') return `${name}[${key}]`;
    return name ? `${name}.${key}` : key;
  }, '') || 'it';

function copy(value: unknown, state: Copying): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value !== 'object')
    throw new NotJson(`${nameOf(state)} is a ${typeof value}, which is no JSON`);
  if (state.path.length > maxDepth)
    throw new NotJson(`it is nested more than ${maxDepth} levels deep`);
  spend(state, 1);
  return Object.freeze(Array.isArray(value) ? copyList(value, state) : copyObject(value, state));
}

function spend(state: Copying, values: number): void {
  state.left -= values;
  if (state.left < 0) throw new NotJson(`it holds more than ${maxValues} values`);
}

function copyMember(member: unknown, key: string | number, state: Copying): unknown {
  state.path.push(key);
  const result = copy(member, state);
  state.path.pop();
  return result;
}

function copyList(list: readonly unknown[], state: Copying): object {
  const { length } = list;
  spend(state, length);
  return Array.from({ length }, (_, index) => copyMember(list[index], index, state));
}

function copyObject(value: object, state: Copying): object {
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null)
    throw new NotJson(`${nameOf(state)} is no plain object`);
  const result: Record<string, unknown> = {};
  const keys = Object.keys(value);
  spend(state, keys.length);
  for (const key of keys) {
    const member: unknown = Reflect.get(value, key);
    if (pollutes(key, member)) throw new NotJson(`${nameOf(state)} has a key "${key}"`);
    if (member !== undefined) result[key] = copyMember(member, key, state);
  }
  return result;
}

/** Keys that change what an object is, not what it holds, once somebody merges it into another. */
const pollutes = (key: string, member: unknown): boolean =>
  key === '__proto__' ||
  (key === 'constructor' &&
    typeof member === 'object' &&
    member !== null &&
    Object.hasOwn(member, 'prototype'));

/** Freezes plain objects and lists in place, as deep as they go; what a tool returned is left alone. */
export function deepFrozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && !Array.isArray(value)) return value;
  Object.freeze(value);
  for (const [key, member] of Object.entries(value))
    if (key === 'ending') Object.freeze(member);
    else deepFrozen(member);
  return value;
}

/** Deep equality of JSON values; a member that is undefined counts as absent. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b))
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, index) => sameJson(item, b[index]))
    );
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  for (const key of keys) if (!sameJson(Reflect.get(a, key), Reflect.get(b, key))) return false;
  return true;
}
