/** Deepest nesting and most values of an input; more is refused before anything reads it. */
const maxDepth = 100;
const maxValues = 200_000;

/** Thrown inside this file only, and turned into a sentence at its edge. */
class NotJson extends Error {}

/** Copies and freezes a JSON value. `problem` says in one phrase why it is none. */
export function frozenJson(
  value: unknown,
): { readonly value: unknown } | { readonly problem: string } {
  const budget = { left: maxValues };
  try {
    return { value: copy(value, '', 0, budget) };
  } catch (error) {
    return { problem: error instanceof NotJson ? error.message : 'it cannot be read' };
  }
}

function copy(value: unknown, path: string, depth: number, budget: { left: number }): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value !== 'object')
    throw new NotJson(`${path || 'it'} is a ${typeof value}, which is no JSON`);
  if (depth > maxDepth) throw new NotJson(`it is nested more than ${maxDepth} levels deep`);
  spend(budget, 1);
  return Array.isArray(value)
    ? copyList(value, path, depth, budget)
    : copyObject(value, path, depth, budget);
}

function spend(budget: { left: number }, values: number): void {
  budget.left -= values;
  if (budget.left < 0) throw new NotJson(`it holds more than ${maxValues} values`);
}

function copyList(
  list: readonly unknown[],
  path: string,
  depth: number,
  budget: { left: number },
): unknown {
  const { length } = list;
  spend(budget, length);
  return Object.freeze(
    Array.from({ length }, (_, index) => copy(list[index], `${path}[${index}]`, depth + 1, budget)),
  );
}

function copyObject(value: object, path: string, depth: number, budget: { left: number }): unknown {
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null)
    throw new NotJson(`${path || 'it'} is no plain object`);
  const result: Record<string, unknown> = {};
  const keys = Object.keys(value);
  spend(budget, keys.length);
  for (const key of keys) {
    const member: unknown = Reflect.get(value, key);
    if (pollutes(key, member)) throw new NotJson(`${path || 'it'} has a key "${key}"`);
    if (member !== undefined)
      result[key] = copy(member, path ? `${path}.${key}` : key, depth + 1, budget);
  }
  return Object.freeze(result);
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

/** JSON with sorted keys: the same text for the same value. */
export function canonicalJson(value: unknown): string {
  if (value === undefined) return 'null';
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.keys(value)
    .sort()
    .filter((key) => Reflect.get(value, key) !== undefined)
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(Reflect.get(value, key))}`);
  return `{${members.join(',')}}`;
}
