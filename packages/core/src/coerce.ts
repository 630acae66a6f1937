import type { z } from 'zod';
import type { Issue } from './input-schema.ts';
import { frozenJson } from './json.ts';

type Path = readonly PropertyKey[];

/** What a value of another type may be read as, exactly spelled: `"5"`, `"false"`, `"[1]"`, `"{}"`. */
const readings: Readonly<Record<string, (text: string) => unknown>> = {
  number: numberOf,
  int: numberOf,
  boolean: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  array: (text) => jsonOf(text, '['),
  tuple: (text) => jsonOf(text, '['),
  object: (text) => jsonOf(text, '{'),
  record: (text) => jsonOf(text, '{'),
};

/** A JSON number; of whole ones only those that a number holds exactly. */
function numberOf(text: string): number | undefined {
  if (!/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return undefined;
  const number = Number(text);
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(number) ? undefined : number;
}

function jsonOf(text: string, first: '[' | '{'): unknown {
  if (!text.trimStart().startsWith(first)) return undefined;
  try {
    const json = frozenJson(JSON.parse(text));
    return 'value' in json ? json.value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A copy of `input` in which strings are read as what the schema wants, only at the paths that failed.
 * Undefined when nothing could be read otherwise. `input` itself is never touched.
 */
export function coerceAt(input: unknown, issues: readonly Issue[]): unknown {
  const result = issues.reduce<unknown>((value, issue) => mended(value, issue, []) ?? value, input);
  return result === input ? undefined : result;
}

/** `value` with the reading that one issue asks for; of a union's branches the first whose issues can all be mended. */
function mended(value: unknown, given: Issue, base: Path): unknown {
  const issue = given as Partial<z.core.$ZodIssue> & Pick<Issue, 'path'>; // told apart by their codes
  const path = [...base, ...((issue.path ?? []) as Path)]; // Zod's own, which are keys
  if (issue.code === 'invalid_union') {
    for (const branch of issue.errors ?? []) {
      const whole = branch.reduce<unknown>(
        (inner, one) => inner && mended(inner, one, path),
        branch.length > 0 && value,
      );
      if (whole) return whole;
    }
    return undefined;
  }
  const current = at(value, path);
  if (typeof current !== 'string') return undefined;
  for (const type of typesOf(issue)) {
    const reading = readings[type]?.(current);
    if (reading !== undefined) return replaced(value, path, reading);
  }
  return undefined;
}

function typesOf(issue: Partial<z.core.$ZodIssue>): readonly string[] {
  if (issue.code === 'invalid_type') return [issue.expected ?? ''];
  if (issue.code === 'invalid_value') return (issue.values ?? []).map((one) => typeof one);
  return [];
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
