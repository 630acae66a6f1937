import type { Piece, Word } from './model.ts';
import { plainArgument } from './plain-argument.ts';
import { mayNameOutside } from './printed-names.ts';
import { isNumeric, type ShellState, type VariableValue } from './state.ts';

/** What a command gets for a word, as far as the text tells. */
export interface Argument {
  /** As written. */
  readonly source: string;
  /** `literal`: exactly `texts[0]`; `set`: one of `texts`; `glob`: file names; `dynamic`: anything else. */
  readonly kind: 'literal' | 'set' | 'glob' | 'dynamic';
  readonly texts: readonly string[];
  /** The argument surely begins with one of these. */
  readonly prefixes: readonly string[];
  /** It cannot be an option, whatever it expands to. */
  readonly anchored: boolean;
  /** It may become several arguments, or none. */
  readonly many: boolean;
  /** It may lead outside of what `prefixes` say: an unknown part holds or is followed by `..`, or is any path. */
  readonly climbs: boolean;
  /** Stands for a pipe to another command, not a file. */
  readonly process: boolean;
  /** Written without any expansion. */
  readonly constant: boolean;
  /** The text when every unknown part is empty; for removals. */
  readonly emptied: string;
  /** Why a command holding it is not read-only: it may print a secret, or is not understood. */
  readonly trouble: string | undefined;
}

export interface Expansion {
  readonly home: string;
  readonly state: ShellState;
}

const mostWords = 256;
const mostTexts = 64;

/** Expands a word to the arguments it stands for; several when it holds a brace expression. */
export function expandWord(word: Word, expansion: Expansion): readonly Argument[] {
  const [only] = word.pieces;
  if (only?.kind === 'variable' && word.pieces.length === 1) {
    const split = splitValue(only, word.text, expansion);
    if (split) return split;
  }
  const lists = distribute(word.pieces);
  if (!lists) return [unreadable(word.text, 'A brace expression has too many members.')];
  const all = lists.map((pieces) => expandPieces(pieces, word.text, expansion));
  return word.pieces.some((piece) => piece.kind === 'brace')
    ? all.map((one) => ({ ...one, constant: false }))
    : all;
}

/** An unquoted variable whose text is known and holds blanks is several words. */
function splitValue(
  { name, form, quoted }: Piece & { readonly kind: 'variable' },
  source: string,
  { state }: Expansion,
): readonly Argument[] | undefined {
  const value = state.variables.get(name);
  if (quoted || form !== 'value' || value?.kind !== 'known' || value.texts.length !== 1)
    return undefined;
  const [text = ''] = value.texts;
  if (!/\S\s+\S/.test(text) || /[*?[\\]/.test(text)) return undefined;
  const words = text.split(/\s+/).filter((one) => one !== '');
  return words.map((one) => ({ ...plainArgument(one), source, constant: false }));
}

export const unreadable = (source: string, trouble: string): Argument => ({
  source,
  kind: 'dynamic',
  texts: [],
  prefixes: [''],
  anchored: false,
  many: true,
  climbs: true,
  process: false,
  constant: false,
  emptied: '',
  trouble,
});

function distribute(pieces: readonly Piece[]): readonly (readonly Piece[])[] | undefined {
  let lists: (readonly Piece[])[] = [[]];
  for (const piece of pieces) {
    const ways = piece.kind === 'brace' ? piece.alternatives : [[piece]];
    if (lists.length * ways.length > mostWords) return undefined;
    lists = lists.flatMap((list) => ways.map((way) => [...list, ...way]));
  }
  return lists;
}

/** Expands pieces that are not split by braces. In an assignment nothing is split or globbed. */
export function expandPieces(
  pieces: readonly Piece[],
  source: string,
  expansion: Expansion,
  inAssignment = false,
): Argument {
  let texts: readonly string[] = [''];
  let known = true;
  let glob = false;
  let many = false;
  let climbs = false;
  let process = false;
  let constant = true;
  let emptied = '';
  let trouble: string | undefined;
  let quoted = false;
  let unknownStart: { readonly anchored: boolean } | undefined;
  for (const piece of pieces) {
    const value = valueOf(piece, expansion, inAssignment);
    trouble ??= value.trouble;
    many ||= value.many;
    climbs ||= value.climbs === true;
    process ||= piece.kind === 'process';
    quoted ||= piece.kind === 'text' && piece.quoted;
    constant &&= piece.kind === 'text' || piece.kind === 'tilde';
    if (piece.kind === 'glob' && !inAssignment) {
      if (known && !glob && texts.every((text) => text === ''))
        unknownStart ??= { anchored: false };
      glob = true;
    }
    emptied += value.texts?.length === 1 ? value.texts[0] : defaultOf(piece);
    if (value.texts && known) {
      if (glob && value.texts.some((text) => /(?:^|\/)\.\.(?:\/|$)/.test(text))) climbs = true;
      const added = value.texts;
      if (texts.length * added.length <= mostTexts) {
        if (!glob || added.length === 1)
          texts = texts.flatMap((text) => added.map((end) => text + end));
        continue;
      }
    }
    if (known && texts.every((text) => text === '')) unknownStart ??= { anchored: value.anchored };
    if (known && value.prefixes.length * texts.length <= mostTexts)
      texts = texts.flatMap((text) => value.prefixes.map((end) => text + end));
    // With what is not known around it, a dot may become two.
    if (!known && value.texts?.some((text) => text.includes('..') || /^\.(?:\/|$)/.test(text)))
      climbs = true;
    if (known && texts.some((text) => /(?:^|\/)\.$/.test(text))) climbs = true;
    known = false;
  }
  // A glob's own text is kept for showing; what surely comes first ends at its first special character.
  const firstGlob = (text: string) => text.replace(/[*?[].*$/s, '');
  const prefixes = glob ? [...new Set(texts.map((text) => firstGlob(text)))] : texts;
  const startsPlain = prefixes.every((text) => text !== '' && !text.startsWith('-'));
  // What is split may give an option from its middle.
  const anchored = !many && (startsPlain || unknownStart?.anchored === true);
  const empty = known && !glob && !quoted && texts.includes('');
  const kind = !known || empty ? 'dynamic' : glob ? 'glob' : texts.length === 1 ? 'literal' : 'set';
  return {
    source,
    kind,
    texts: kind === 'dynamic' ? [] : texts,
    prefixes,
    anchored:
      kind === 'literal' || kind === 'set'
        ? texts.every((text) => !text.startsWith('-'))
        : anchored,
    many: many || empty || kind === 'glob',
    climbs,
    process,
    constant: constant && !glob,
    emptied,
    trouble,
  };
}

/** What an expansion gives when its variable is empty. */
const defaultOf = (piece: Piece): string =>
  piece.kind === 'variable' && piece.form === 'default'
    ? piece.words
        .flatMap((word) => word.pieces)
        .map((inner) => (inner.kind === 'text' ? inner.text : ''))
        .join('')
    : '';

interface PieceValue {
  readonly texts?: readonly string[];
  readonly prefixes: readonly string[];
  readonly anchored: boolean;
  readonly many: boolean;
  readonly climbs?: boolean;
  readonly trouble?: string;
}

const unknownValue = (trouble: string): PieceValue => ({
  prefixes: [''],
  anchored: false,
  many: true,
  trouble,
});
const number: PieceValue = { prefixes: [''], anchored: true, many: false };

function valueOf(piece: Piece, expansion: Expansion, inAssignment: boolean): PieceValue {
  switch (piece.kind) {
    case 'text':
    case 'glob':
      return { texts: [piece.text], prefixes: [piece.text], anchored: true, many: false };
    case 'tilde':
      return piece.user === ''
        ? { texts: [expansion.home], prefixes: [expansion.home], anchored: true, many: false }
        : unknownValue(`~${piece.user} is a folder that the text does not tell.`);
    case 'process':
      return { texts: ['/dev/fd/63'], prefixes: ['/dev/fd/63'], anchored: true, many: false };
    case 'command':
      return {
        prefixes: [''],
        anchored: false,
        many: !piece.quoted && !inAssignment,
        climbs: mayNameOutside(piece.script.nodes),
      };
    case 'arithmetic':
      return arithmeticValue(piece, expansion);
    case 'variable':
      return variableValue(piece, expansion, inAssignment);
    case 'brace':
    case 'unknown':
      return unknownValue('It holds an expansion that is not understood.');
  }
}

function arithmeticValue(
  { arithmetic }: Piece & { readonly kind: 'arithmetic' },
  { state }: Expansion,
): PieceValue {
  // The value of a name is itself evaluated, and may hold a subscript that runs a command.
  if (
    !arithmetic.plain ||
    arithmetic.assigns.length > 0 ||
    !arithmetic.names.every((name) => isNumber(name, state))
  )
    return unknownValue('Its arithmetic is not over plain numbers.');
  return { ...number, anchored: false };
}

/** True when a name surely holds digits. */
export function isNumber(name: string, state: ShellState): boolean {
  if (/^[?#$!]$/.test(name)) return true;
  const value = state.variables.get(name);
  return value !== undefined && isNumeric(value);
}

function variableValue(
  piece: Piece & { readonly kind: 'variable' },
  expansion: Expansion,
  inAssignment: boolean,
): PieceValue {
  const base = namedValue(piece.name, expansion);
  if (!base) return unknownValue(`$${piece.name} may hold a secret.`);
  const many = !piece.quoted && !inAssignment;
  const words = piece.words.map((word) => expandPieces(word.pieces, word.text, expansion, true));
  const trouble = words.find((word) => word.trouble)?.trouble;
  if (trouble) return unknownValue(trouble);
  if (base !== 'number' && base.kind === 'data' && base.trouble !== undefined)
    return unknownValue(base.trouble);
  if (piece.form === 'length') return number;
  const climbs = base !== 'number' && base.kind === 'data' && base.climbs === true;
  if (piece.form !== 'value') return { prefixes: [''], anchored: false, many, climbs: true };
  if (base === 'number') return number;
  if (base.kind === 'number') return { ...number, anchored: false };
  if (base.kind === 'data')
    return {
      prefixes: base.prefixes,
      climbs,
      anchored: base.anchored && base.prefixes.every((text) => !text.startsWith('-')),
      many,
    };
  // Unquoted, a value is split at blanks and its glob characters are expanded.
  const splits = many && base.texts.some((text) => text === '' || /[\s*?[\\]/.test(text));
  if (splits) return { prefixes: [''], anchored: false, many: true };
  return { texts: base.texts, prefixes: base.texts, anchored: true, many: false };
}

function namedValue(
  name: string,
  { home, state }: Expansion,
): VariableValue | 'number' | undefined {
  if (/^[?#$!]$/.test(name)) return 'number';
  const set = state.variables.get(name);
  if (set) return set;
  if (name === 'HOME') return { kind: 'known', texts: [home] };
  if (name === 'PWD')
    return state.folders?.length === 1
      ? { kind: 'known', texts: state.folders }
      : { kind: 'data', prefixes: ['/'], anchored: true };
  if (name === 'USER') return { kind: 'data', prefixes: [''], anchored: true };
  return undefined;
}
