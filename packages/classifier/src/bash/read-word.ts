import { expandBrace } from './brace.ts';
import { findBlank } from './refused.ts';
import { scriptsInPieces } from './scripts-in-pieces.ts';
import type { Arithmetic, Piece, Problem, Script, Word } from './model.ts';
import type { Tree } from './parse.ts';

export interface WordReader {
  /** `inTest`: inside `[[ ]]`, where extended globs are ordinary and nothing is split. */
  word(word: Tree.Word, inTest?: boolean): Word;
  /** An assignment among the arguments of `export` and its like, as a word. */
  declaration(assignment: Tree.Assignment): Word;
  pieces(parts: readonly Tree.WordPart[], quoted: boolean): readonly Piece[];
}

interface Nested {
  script(script: Tree.ParsedScript | undefined): Script;
  arithmetic(expression: Tree.ArithmeticExpression | undefined): Arithmetic;
  problem(code: Problem['code'], message: string, at: number): void;
}

/** Makes the part of the adapter that turns words into pieces. */
export function createWordReader(nested: Nested): WordReader {
  const unquoted = (source: string, at: number): void => {
    const found = findBlank(source, at);
    if (found) nested.problem(found.code, found.message, found.at);
  };
  const word = (source: Tree.Word, inTest = false): Word => {
    if (!source.parts) unquoted(source.text, source.pos);
    const pieces = source.parts
      ? source.parts.flatMap((part) => piece(part, { quoted: false, inTest }))
      : [text(source.value, source.text.includes('\\'))];
    return { text: source.text, at: source.pos, pieces: withTilde(source.text, pieces) };
  };

  const pieces = (parts: readonly Tree.WordPart[], quoted: boolean) =>
    parts.flatMap((part) => piece(part, { quoted, inTest: false }));

  const declaration = (assignment: Tree.Assignment): Word => {
    const { value, text: source, pos: at, name, index } = assignment;
    const inner = [
      ...(index ? [index] : []),
      ...(value.type === 'Word' ? [value] : value.elements),
    ];
    const words = inner.map((one) => word(one));
    if (value.type !== 'Word' || index || assignment.append)
      return { text: source, at, pieces: [{ kind: 'unknown', words, scripts: [] }] };
    return { text: source, at, pieces: [text(`${name}=`, false), ...(words[0]?.pieces ?? [])] };
  };

  const piece = (
    part: Tree.WordPart,
    { quoted, inTest }: { readonly quoted: boolean; readonly inTest: boolean },
  ): readonly Piece[] => {
    switch (part.type) {
      case 'Literal':
        if (!quoted) unquoted(part.text, part.pos);
        return [text(part.value, quoted || part.text.includes('\\'))];
      case 'SingleQuoted':
      case 'AnsiCQuoted':
        return [text(part.value, true)];
      case 'DoubleQuoted':
      case 'LocaleString':
        // An empty pair of quotes still makes a word.
        return [
          text('', true),
          ...part.parts.flatMap((inner) => piece(inner, { quoted: true, inTest })),
        ];
      case 'Glob':
        return [
          { kind: 'glob', text: part.text },
          ...held((part.parts ?? []).flatMap((inner) => piece(inner, { quoted, inTest }))),
        ];
      case 'SimpleExpansion':
        return [variable(part.text.slice(1), quoted)];
      case 'ParameterExpansion':
        return [parameter(part, quoted)];
      case 'CommandExpansion':
        closed(part);
        return [{ kind: 'command', script: nested.script(part.script), quoted }];
      case 'ProcessSubstitution':
        closed(part);
        return [{ kind: 'process', script: nested.script(part.script) }];
      case 'ArithmeticExpansion':
        return [{ kind: 'arithmetic', arithmetic: nested.arithmetic(part.expression) }];
      case 'BraceExpansion':
        return [brace(part)];
      case 'ExtendedGlob': {
        if (!inTest)
          nested.problem(
            'extended-glob',
            `Extended globs such as ${part.operator}(…) are off in Bash.`,
            part.pos,
          );
        const inner = (part.parts ?? []).flatMap((one) => piece(one, { quoted, inTest }));
        return inTest ? [{ kind: 'glob', text: part.text }, ...held(inner)] : [unknown(inner)];
      }
      default:
        return [unknown([])];
    }
  };

  /** A substitution that the parser cut off holds more than it shows. */
  const closed = ({ text: source, pos }: { readonly text: string; readonly pos: number }): void => {
    const end = source.startsWith('`') ? '`' : source.startsWith('${') ? '}' : ')';
    if (source.length < 2 || !source.endsWith(end))
      nested.problem('syntax', 'A substitution is not read to its end.', pos);
  };

  const brace = (part: Tree.BraceExpansionPart): Piece => {
    unquoted(part.text, part.pos);
    const inner = (part.parts ?? []).flatMap((one) => piece(one, { quoted: false, inTest: false }));
    const members = expandBrace(part.text);
    // The members are made of the source; what runs in one would be lost.
    if (!members || scriptsInPieces(inner).length > 0 || inner.some(({ kind }) => !plain.has(kind)))
      return unknown(inner);
    return {
      kind: 'brace',
      alternatives: members.map((member) => withTilde(member, globbed(member))),
    };
  };

  const parameter = (part: Tree.ParameterExpansionPart, quoted: boolean): Piece => {
    const { operation, parameter: name, prefix, index } = part;
    const words = [...(index ? [index] : []), ...operationWords(operation)].map((one) =>
      word(one, true),
    );
    const safeName = /^(?:[A-Za-z_]\w*|[?#$]|\d+|[@*!-])$/.test(name);
    if (!safeName || index || prefix === '!') return { kind: 'unknown', words, scripts: [] };
    if (prefix === '#') return { kind: 'variable', name, quoted, form: 'length', words };
    switch (operation?.type) {
      case undefined:
        return variable(name, quoted);
      case 'Replace':
        if (hidesScript(operation.pattern.text, part.text)) {
          nested.problem('syntax', 'The pattern of a replacement is not read.', part.pos);
          return { kind: 'unknown', words, scripts: [] };
        }
        return { kind: 'variable', name, quoted, form: 'edit', words };
      case 'Remove':
      case 'CaseModification':
        return { kind: 'variable', name, quoted, form: 'edit', words };
      case 'Slice': {
        // An offset is arithmetic, which can run code; plain digits cannot.
        const plain = words.every((one) => /^ ?-?\d+$/.test(one.text));
        return plain
          ? { kind: 'variable', name, quoted, form: 'edit', words }
          : { kind: 'unknown', words, scripts: [] };
      }
      case 'Default':
        return /^:?[-+]$/.test(operation.operator)
          ? { kind: 'variable', name, quoted, form: 'default', words }
          : { kind: 'unknown', words, scripts: [] };
      case 'Names':
      case 'Transform':
      case 'Unknown':
        return { kind: 'unknown', words, scripts: [] };
    }
  };

  return { word, declaration, pieces };
}

const text = (value: string, quoted: boolean): Piece => ({ kind: 'text', text: value, quoted });
const variable = (name: string, quoted: boolean): Piece => ({
  kind: 'variable',
  name,
  quoted,
  form: 'value',
  words: [],
});

/** Keeps pieces that may run something, in a construct whose value is not followed. */
const unknown = (pieces: readonly Piece[]): Piece => ({
  kind: 'unknown',
  words: [{ text: '', at: 0, pieces }],
  scripts: [],
});

const held = (pieces: readonly Piece[]): readonly Piece[] =>
  pieces.some((one) => one.kind !== 'text') ? [unknown(pieces)] : [];

const plain: ReadonlySet<Piece['kind']> = new Set(['text', 'glob', 'brace', 'tilde']);

/**
 * True when a pattern may end elsewhere than the parser says. It ends it at the first slash; for Bash one
 * within a substitution, quotes or braces does not count.
 */
function hidesScript(pattern: string, whole: string): boolean {
  const runs = /\$[([]|`|[<>]\(/;
  return runs.test(pattern) || (runs.test(whole) && /["'\\]|\$\{/.test(pattern));
}

function operationWords(operation: Tree.ParameterOperation | undefined): readonly Tree.Word[] {
  if (!operation) return [];
  const words: Tree.Word[] = [];
  for (const key of ['operand', 'pattern', 'replacement', 'offset', 'length'] as const) {
    const found: unknown = Reflect.get(operation, key);
    // The parser's operations hold words under these names only.
    if (found) words.push(found as Tree.Word);
  }
  return words;
}

/** Splits plain text with glob characters, as it stands inside braces. */
const globbed = (source: string): readonly Piece[] =>
  source
    .split(/([*?[\]]+)/)
    .filter((one) => one !== '')
    .map((one) => (/^[*?[\]]/.test(one) ? { kind: 'glob', text: one } : text(one, false)));

/** Replaces an unquoted `~` or `~user` at the start of a word by a piece of its own. */
function withTilde(source: string, pieces: readonly Piece[]): readonly Piece[] {
  const first = pieces[0];
  if (!source.startsWith('~') || first?.kind !== 'text') return pieces;
  const slash = first.text.indexOf('/');
  if (slash < 0 && pieces.length > 1) return [unknown([]), ...pieces.slice(1)];
  const end = slash < 0 ? first.text.length : slash;
  return [
    { kind: 'tilde', user: first.text.slice(1, end) },
    ...(end < first.text.length ? [text(first.text.slice(end), first.quoted)] : []),
    ...pieces.slice(1),
  ];
}
