import { compileGlob, matchesStars, type StarPattern } from './star-pattern.ts';

/** One segment of a path pattern, in gitignore syntax: `*`, `?`, `[a-z]`, `[!a]`, `\` escapes. */
export interface SegmentGlob {
  /** Set when the segment has no wildcard. */
  readonly literal?: string;
  /** The name it spells, where it has no wildcard; `literal` is only set when case counts as well. */
  readonly name?: string;
  matches(segment: string): boolean;
}

type Token =
  | { readonly kind: 'star' | 'any' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'class'; readonly negated: boolean; readonly ranges: readonly string[] };

/** @param ignoreCase  For deny and ask rules on file systems that ignore case. */
export function compileSegment(text: string, ignoreCase: boolean): SegmentGlob {
  const fold = ignoreCase ? (value: string) => value.toLowerCase() : (value: string) => value;
  const tokens = tokenize(fold(text));
  if (tokens.every((token) => token.kind === 'text')) {
    const literal = tokens.map((token) => token.text).join('');
    return ignoreCase
      ? { name: literal, matches: (segment) => fold(segment) === literal }
      : { literal, name: literal, matches: (segment) => segment === literal };
  }
  if (!/[?[\\]/.test(text)) {
    const pattern: StarPattern = compileGlob(fold(text));
    return { matches: (segment) => matchesStars(pattern, fold(segment)) };
  }
  return { matches: (segment) => matchesTokens(tokens, Array.from(fold(segment))) };
}

function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  const characters = Array.from(text);
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? '';
    if (character === '*') {
      if (tokens.at(-1)?.kind !== 'star') tokens.push({ kind: 'star' });
    } else if (character === '?') tokens.push({ kind: 'any' });
    else if (character === '[') {
      const found = readClass(characters, at);
      if (found) {
        tokens.push(found.token);
        at = found.end;
      } else tokens.push({ kind: 'text', text: character });
    } else if (character === '\\' && at + 1 < characters.length)
      tokens.push({ kind: 'text', text: characters[++at] ?? '' });
    else tokens.push({ kind: 'text', text: character });
  }
  return tokens;
}

/** Reads `[…]` at `start`; undefined when it is not closed, and the bracket is then a plain character. */
function readClass(
  characters: readonly string[],
  start: number,
): { token: Token; end: number } | undefined {
  const negated = characters[start + 1] === '!' || characters[start + 1] === '^';
  const first = start + (negated ? 2 : 1);
  const ranges: string[] = [];
  for (let at = first; at < characters.length; at++) {
    if (characters[at] === ']' && at > first)
      return { token: { kind: 'class', negated, ranges }, end: at };
    if (characters[at] === '\\') at++;
    const from = characters[at] ?? '';
    const to = characters[at + 2];
    if (characters[at + 1] === '-' && to !== undefined && to !== ']') {
      ranges.push(from + to);
      at += 2;
    } else ranges.push(from + from);
  }
  return undefined;
}

function matchesOne(token: Token, character: string): boolean {
  if (token.kind === 'text') return token.text === character;
  if (token.kind === 'class')
    return (
      token.ranges.some((range) => {
        const [from = '', to = ''] = range;
        return character >= from && character <= to;
      }) !== token.negated
    );
  return token.kind === 'any';
}

/** Goes back to the last star only, so the work is at most the product of the two lengths. */
function matchesTokens(tokens: readonly Token[], characters: readonly string[]): boolean {
  let token = 0;
  let star = -1;
  let resume = 0;
  for (let at = 0; at < characters.length;) {
    const current = tokens[token];
    if (current?.kind === 'star') {
      star = token++;
      resume = at;
    } else if (current && matchesOne(current, characters[at] ?? '')) {
      token++;
      at++;
    } else if (star !== -1) {
      token = star + 1;
      at = ++resume;
    } else return false;
  }
  while (tokens[token]?.kind === 'star') token++;
  return token === tokens.length;
}
