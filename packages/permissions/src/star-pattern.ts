/**
 * Text in which `*` stands for any characters, blanks and newlines included. `pieces` are the literal
 * parts between the stars; with `boundary` the last piece must be followed by a blank or the end.
 */
export interface StarPattern {
  readonly pieces: readonly string[];
  readonly boundary: boolean;
}

const isBlank = (character: string | undefined) =>
  character === ' ' || character === '\t' || character === '\n' || character === '\r';

/**
 * Reads the content of a Bash rule (protocol 3.4): a final ` *` or `:*` is a word boundary and then
 * anything. A `:*` elsewhere is literal; `wide`, for deny and ask, lets its star match as well.
 */
export function compileStars(content: string, wide: boolean): StarPattern {
  const boundary = /.(?: |:)\*$/s.test(content);
  const body = boundary ? content.slice(0, -2).trimEnd() : content;
  return { pieces: wide ? body.split('*') : body.split(/(?<!:)\*/), boundary };
}

/** A glob in which every star means any characters and nothing else is special. */
export const compileGlob = (glob: string): StarPattern => ({
  pieces: glob.split('*'),
  boundary: false,
});

/** True when the pattern is one literal text. */
export const isExact = ({ pieces, boundary }: StarPattern): boolean =>
  pieces.length === 1 && !boundary;

/**
 * Tests the whole text. Leftmost search for each piece is enough, because stars match anything; so no
 * pattern makes it back up, and the work is bounded by the two lengths.
 */
export function matchesStars({ pieces, boundary }: StarPattern, text: string): boolean {
  const first = pieces[0] ?? '';
  const last = pieces.at(-1) ?? '';
  if (!text.startsWith(first)) return false;
  if (pieces.length === 1)
    return text.length === first.length || (boundary && isBlank(text[first.length]));
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = text.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  if (at + last.length > text.length) return false;
  if (text.endsWith(last)) return true;
  return boundary && endsAtBoundary(text, last, at);
}

function endsAtBoundary(text: string, piece: string, from: number): boolean {
  for (let at = text.indexOf(piece, from); at !== -1; at = text.indexOf(piece, at + 1)) {
    if (isBlank(text[at + piece.length])) return true;
  }
  return false;
}
