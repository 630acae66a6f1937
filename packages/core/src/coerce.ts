import type { z } from 'zod';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** What a value of another type may be read as, exactly spelled: `"5"`, `"false"`, `"[1]"`, `"{}"`. */
const readings: Readonly<Record<string, (text: string) => unknown>> = {
  number: (text) =>
    /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined,
  int: (text) => (/^-?(0|[1-9]\d{0,15})$/.test(text) ? Number(text) : undefined),
  boolean: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  array: (text) => jsonOf(text, '[', Array.isArray),
  object: (text) => jsonOf(text, '{', isPlainObject),
  record: (text) => jsonOf(text, '{', isPlainObject),
};

const isPlainObject = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function jsonOf(text: string, first: string, fits: (value: unknown) => boolean): unknown {
  if (!text.trimStart().startsWith(first)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return fits(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A copy of `input` in which strings are read as what the schema wants, only at the paths that failed.
 * Undefined when nothing could be read otherwise. `input` itself is never touched.
 */
export function coerceAt(input: unknown, issues: readonly Issue[]): unknown {
  let result = input;
  for (const { path, expected } of wanted(issues, [])) {
    const value = at(result, path);
    const reading = typeof value === 'string' ? readings[expected]?.(value) : undefined;
    if (reading !== undefined) result = replaced(result, path, reading);
  }
  return result === input ? undefined : result;
}

/** Every (path, type) that some issue asks for, those inside unions included. */
function wanted(
  issues: readonly Issue[],
  base: Path,
): { readonly path: Path; readonly expected: string }[] {
  return issues.flatMap((issue) => {
    const path = [...base, ...issue.path];
    if (issue.code === 'invalid_type') return [{ path, expected: issue.expected }];
    if (issue.code === 'invalid_union')
      return issue.errors.flatMap((branch) => wanted(branch, path));
    if (issue.code === 'invalid_value')
      return issue.values
        .filter((value) => typeof value !== 'string')
        .map((value) => ({ path, expected: typeof value }));
    return [];
  });
}

const at = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
        ? Reflect.get(inner, key)
        : undefined,
    value,
  );

function replaced(value: unknown, path: Path, reading: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return reading;
  if (Array.isArray(value))
    return value.map((item: unknown, index) =>
      String(index) === String(key) ? replaced(item, rest, reading) : item,
    );
  return { ...Object(value), [key]: replaced(at(value, [key]), rest, reading) };
}
