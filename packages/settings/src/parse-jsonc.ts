import {
  createScanner,
  parseTree,
  printParseErrorCode,
  type Node,
  type ParseError,
} from 'jsonc-parser';

/** A place in a text, both counted from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface ParsedText {
  /** What could be made of the text; undefined for an empty one. */
  readonly root: Node | undefined;
  /** The first thing wrong with it. */
  readonly problem?: Place & { readonly message: string };
  readonly placeOf: (offset: number) => Place;
}

const maxDepth = 64;
// jsonc-parser's SyntaxKind is a `const enum`, whose values a module cannot import.
export const token = {
  openBrace: 1,
  closeBrace: 2,
  openBracket: 3,
  closeBracket: 4,
  colon: 6,
  string: 10,
  end: 17,
} as const;

/** Parses JSON with comments and trailing commas. Takes any text: what is wrong is reported, not thrown. */
export function parseJsonc(original: string): ParsedText {
  const text = original.replace(/^\uFEFF/, ' ');
  const placeOf = placesIn(text);
  const { shallow, tooDeepAt } = cutDepth(text);
  const errors: ParseError[] = [];
  const root = parseTree(shallow, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [first] = errors;
  if (first)
    return {
      root,
      placeOf,
      problem: { ...placeOf(first.offset), message: sentence(printParseErrorCode(first.error)) },
    };
  if (tooDeepAt !== undefined)
    return {
      root,
      placeOf,
      problem: { ...placeOf(tooDeepAt), message: `nested deeper than ${maxDepth} levels` },
    };
  return { root, placeOf };
}

/** `CommaExpected` → `comma expected`. */
const sentence = (code: string) =>
  code.replaceAll(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b}`).toLowerCase();

function placesIn(text: string): (offset: number) => Place {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}

/** Blanks out what lies too deep: the parser and everything after it is recursive, the scanner is not. */
function cutDepth(text: string): { shallow: string; tooDeepAt?: number } {
  const scanner = createScanner(text, true);
  const kept: string[] = [];
  let depth = 0;
  let keptTo = 0;
  let tooDeepAt: number | undefined;
  for (let kind = scanner.scan(); Number(kind) !== token.end; kind = scanner.scan()) {
    const offset = scanner.getTokenOffset();
    const opens = Number(kind) === token.openBrace || Number(kind) === token.openBracket;
    const closes = Number(kind) === token.closeBrace || Number(kind) === token.closeBracket;
    if (closes && depth > 0) depth--;
    if (depth >= maxDepth) {
      tooDeepAt ??= offset;
      const end = offset + scanner.getTokenLength();
      kept.push(text.slice(keptTo, offset), ' '.repeat(end - offset));
      keptTo = end;
    }
    if (opens) depth++;
  }
  if (tooDeepAt === undefined) return { shallow: text };
  kept.push(text.slice(keptTo));
  return { shallow: kept.join(''), tooDeepAt };
}
