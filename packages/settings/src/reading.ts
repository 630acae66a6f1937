import type { Diagnostic, SettingsSourceName } from '@toolgate/core';
import type { Node } from 'jsonc-parser';
import type { ParsedText } from './parse-jsonc.ts';

/** Where a settings file stands. */
export interface SettingsFile {
  readonly source: SettingsSourceName;
  /** Absolute. */
  readonly file: string;
  /** The folder that `/path` in a rule of this file is anchored at. */
  readonly root: string;
}

/** Something read from a file, with its line and JSON pointer. */
export interface Placed<T> {
  readonly value: T;
  readonly line: number;
  readonly pointer: string;
}

/** What readers of parts of a file share. */
export interface Reading {
  readonly from: SettingsFile;
  readonly parsed: ParsedText;
  readonly lineOf: (node: Node) => number;
  readonly report: (
    place: { readonly offset: number; readonly pointer: string },
    diagnostic: Pick<Diagnostic, 'code' | 'message'> & Partial<Pick<Diagnostic, 'severity'>>,
  ) => void;
}

/** `an array`, `text` … for messages. */
export function kindOf(node: Node): string {
  const kinds = { array: 'an array', object: 'an object', string: 'text', number: 'a number' };
  return node.type in kinds ? kinds[node.type as keyof typeof kinds] : String(node.value); // as: narrowed by `in`
}

/** JSON takes the last of two equal keys without a word. */
export function reportDuplicate(
  reading: Reading,
  place: { readonly offset: number; readonly pointer: string },
  key: string,
): void {
  reading.report(place, {
    code: 'duplicate-key',
    message: `"${key}" is there twice; this later one counts. Join the two.`,
  });
}
