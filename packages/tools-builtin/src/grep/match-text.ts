/** One line of output: a line that matches, a line around one, or the gap between two groups. */
export type OutputLine =
  | { readonly kind: 'match' | 'context'; readonly number: number; readonly text: string }
  | { readonly kind: 'gap' };

export interface MatchOptions {
  readonly pattern: RegExp;
  readonly multiline: boolean;
  readonly before: number;
  readonly after: number;
  readonly onlyMatching: boolean;
  /** Most matching lines to find; finding stops there. */
  readonly most: number;
}

/** Shown lines are cut here. */
export const maxShownChars = 500;

/** A line as it is shown. */
export const cutLine = (text: string): string =>
  text.length <= maxShownChars
    ? text
    : `${text.slice(0, maxShownChars)}… [cut: ${text.length} characters]`;

/** Whether a text matches at all. */
export function hasMatch(text: string, options: MatchOptions): boolean {
  return matchingLines(text, { ...options, most: 1 }).length > 0;
}

/** How many lines of a text match. */
export function countMatches(text: string, options: MatchOptions): number {
  return matchingLines(text, { ...options, most: Infinity }).length;
}

/** The lines of a text to show, in order. */
export function matchText(text: string, options: MatchOptions): readonly OutputLine[] {
  const lines = linesOf(text);
  const hits = matchingLines(text, options);
  const output: OutputLine[] = [];
  if (options.onlyMatching && !options.multiline) {
    options.pattern.lastIndex = 0; // matchAll starts there
    for (const index of hits)
      for (const found of (lines[index] ?? '').matchAll(options.pattern))
        if (found[0] !== '')
          output.push({ kind: 'match', number: index + 1, text: cutLine(found[0]) });
    return output;
  }
  const isHit = new Set(hits);
  let next = 0;
  for (const hit of hits) {
    const from = Math.max(next, hit - options.before);
    if (from > next && output.length > 0 && options.before + options.after > 0)
      output.push({ kind: 'gap' });
    const to = Math.min(lines.length - 1, hit + options.after);
    for (let index = from; index <= to; index += 1)
      output.push({
        kind: isHit.has(index) ? 'match' : 'context',
        number: index + 1,
        text: cutLine(lines[index] ?? ''),
      });
    next = Math.max(next, to + 1);
  }
  return output;
}

/** Indices of the lines that match, ascending. */
function matchingLines(text: string, options: MatchOptions): readonly number[] {
  return options.multiline ? acrossLines(text, options) : lineByLine(text, options);
}

function lineByLine(text: string, { pattern, most }: MatchOptions): readonly number[] {
  const hits: number[] = [];
  for (const [index, line] of linesOf(text).entries()) {
    pattern.lastIndex = 0;
    if (!pattern.test(line)) continue;
    hits.push(index);
    if (hits.length >= most) break;
  }
  return hits;
}

function acrossLines(text: string, { pattern, most }: MatchOptions): readonly number[] {
  const hits = new Set<number>();
  pattern.lastIndex = 0;
  let line = 0;
  let at = 0;
  const lineOf = (offset: number): number => {
    for (let end = text.indexOf('\n', at); end !== -1 && end < offset;) {
      line += 1;
      at = end + 1;
      end = text.indexOf('\n', at);
    }
    return line;
  };
  for (const found of text.matchAll(pattern)) {
    if (found.index >= text.length && text.length > 0) break;
    const first = lineOf(found.index);
    const last = lineOf(Math.max(found.index, found.index + found[0].length - 1));
    for (let index = first; index <= last; index += 1) hits.add(index);
    if (hits.size >= most) break;
  }
  return [...hits];
}

/** Lines without their ends; a newline at the end of the text starts no line. */
function linesOf(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
