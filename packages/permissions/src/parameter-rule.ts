import type { RuleEntry } from '@toolgate/core';
import { compileGlob, matchesStars, type StarPattern } from './star-pattern.ts';

/** `Tool(param:value)`: one scalar field of the input (protocol 3.3). Deny and ask only. */
export interface ParameterRule {
  readonly field: string;
  readonly value: StarPattern;
  readonly entry: RuleEntry;
}

/** Reads content as `param:value`; undefined when it has not that form. Blanks around the colon do not count. */
export function parseParameter(
  content: string,
): { readonly field: string; readonly value: string } | undefined {
  const [, field, value] = /^([A-Za-z_][\w.-]*)\s*:\s*(.+)$/s.exec(content) ?? [];
  return field === undefined || value === undefined ? undefined : { field, value: value.trim() };
}

export const parameterRule = (field: string, value: string, entry: RuleEntry): ParameterRule => ({
  field,
  value: compileGlob(value),
  entry,
});

/** The spellings that mean the same value: `" true "` is `true`, `"5.0"` is `5` (security rule 12). */
function spellings(value: unknown): readonly string[] {
  if (typeof value === 'string') {
    const bare = value.trim();
    const number = bare !== '' && Number.isFinite(Number(bare)) ? String(Number(bare)) : bare;
    return [value, bare, number];
  }
  return [JSON.stringify(value) ?? ''];
}

/** True when one of the inputs has the field and its value matches. A missing field never matches. */
export function matchesParameter(
  { field, value }: ParameterRule,
  inputs: readonly unknown[],
): boolean {
  return inputs.some((input) => {
    if (typeof input !== 'object' || input === null || !Object.hasOwn(input, field)) return false;
    const found: unknown = Reflect.get(input, field);
    return found !== undefined && spellings(found).some((text) => matchesStars(value, text));
  });
}
