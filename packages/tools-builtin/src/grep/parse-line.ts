/** A line of ripgrep's output: `path NUL number:offset:text`, with `-` in place of `:` around a match. */
export interface ParsedLine {
  readonly path: Buffer;
  readonly number: number;
  /** In bytes, of the line, or of the match where only that is shown. */
  readonly offset: number;
  readonly isMatch: boolean;
  /** Without the end of the line. */
  readonly bytes: Buffer;
}

/** Reads a record; undefined for what is no line, such as a gap or a remark about a binary file. */
export function parseLine(record: Buffer): ParsedLine | undefined {
  const end = record.indexOf(0);
  if (end === -1) return undefined;
  const head = /^(\d+)([:-])(\d+)[:-]/.exec(record.toString('latin1', end + 1, end + 50));
  if (!head) return undefined;
  const [all, number, mark, offset] = head;
  let to = record.length;
  if (record[to - 1] === 13) to -= 1;
  return {
    path: record.subarray(0, end),
    number: Number(number),
    offset: Number(offset),
    isMatch: mark === ':',
    bytes: record.subarray(Math.min(end + 1 + all.length, to), to),
  };
}

/** A line with the absolute path of its file as the model would spell it; undefined for a gap. */
export type FoundLine =
  | (Omit<ParsedLine, 'path'> & { readonly path: string; readonly relative: string })
  | undefined;

/** True for what stands between two groups of lines. */
export const isGap = (record: Buffer): boolean => /^--\r?$/.test(record.toString('latin1', 0, 4));
