import type { InputLine } from './read-lines.ts';

/** A line that cannot be used: the rest of the input is still processed. */
export interface BadLine {
  readonly error: { readonly line: number; readonly message: string };
}

export const badLine = ({ number }: InputLine, message: string): BadLine => ({
  error: { line: number, message },
});

/** The JSON object on a line, or what is wrong with it. */
export function parseObject(line: InputLine): Readonly<Record<string, unknown>> | BadLine {
  let value: unknown;
  try {
    value = JSON.parse(line.text);
  } catch (error) {
    return badLine(line, `not JSON: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
  if (!isObject(value)) return badLine(line, 'not a JSON object');
  return value;
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isBadLine = (value: object): value is BadLine =>
  'error' in value &&
  isObject(value.error) &&
  typeof value.error['line'] === 'number' &&
  Object.keys(value).length === 1;
