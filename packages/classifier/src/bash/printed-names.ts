import { has, parseOptions, type OptionRules, type ParsedOptions } from '../read-only/options.ts';
import { listCommands } from './list-commands.ts';
import type { Node, Piece, SimpleCommand, Word } from './model.ts';
import { plainArgument } from './plain-argument.ts';

/**
 * True when what these nodes print may be the name of a file outside the folder they run in. Only known
 * printers of names with relative operands are trusted, and filters that pass on whole lines of what they
 * get; what a file holds, or a filter such as `tr` makes, could be any name.
 */
export function mayNameOutside(nodes: readonly Node[]): boolean {
  const commands = listCommands({ nodes }, { bare: true });
  if (hasInput(nodes)) return true;
  // Without line ends the texts of several commands grow together: `.` and `./x` are `../x`.
  const joins = commands.length > 1 && commands.some((command) => isUnended(command));
  return joins || commands.some((command) => namesOutside(command));
}

/** What is known of the names in a file that is read: what `<(ls)` prints, and nothing else. */
export function namesIn(target: Word): { readonly outside?: boolean; readonly text?: string } {
  const [piece] = target.pieces;
  if (plain(target) === '/dev/null') return { text: '' };
  const known = target.pieces.length === 1 && piece?.kind === 'process';
  return { outside: !known || mayNameOutside(piece.script.nodes) };
}

function namesOutside(command: SimpleCommand): boolean {
  const { assignments, redirects, words } = command;
  if (assignments.length > 0 || redirects.some(({ operator }) => operator.startsWith('<')))
    return true;
  const [name, ...rest] = words.map((word) => plain(word));
  if (name === undefined || words.slice(1).some((word) => isOutside(word))) return true;
  // Names that the shell finds are no options.
  const texts = rest.map((text, index) => text ?? globText(words[index + 1]));
  const printer = Object.hasOwn(printers, name) ? printers[name] : undefined;
  return printer?.(texts) !== true;
}

/** True for words with which a command prints nothing but names below its folder. */
type Printer = (texts: readonly string[]) => boolean;

const any: Printer = () => true;
const withOption =
  (options: string, ...needed: readonly string[]): Printer =>
  (texts) => {
    const parsed = parse(texts, options);
    return parsed !== undefined && has(parsed, ...needed);
  };
/** Only what comes on standard input is passed on. */
const filter =
  (options: string, skip = 0): Printer =>
  (texts) => {
    const parsed = parse(texts, options);
    return parsed !== undefined && parsed.operands.length <= skip;
  };
const grep: Printer = (texts) =>
  withOption(
    '-E -F -G -P -e: -i -v -w -x -c -l -L -m: -q -s -H -n -Z -z -a -I -r -R --include: --exclude: --exclude-dir: --files-with-matches --files-without-match --null --recursive --ignore-case',
    '-l',
    '-L',
    '--files-with-matches',
    '--files-without-match',
  )(texts) || filter('-E -F -G -P -i -v -w -x -m: --invert-match --ignore-case', 1)(texts);
const printf: Printer = ([format = '', ...values]) =>
  /^(?:[\w.*? -]|%s|%%|\\n)*$/.test(format) && !values.some((value) => value.includes('\\'));

const git: Printer = ([verb = '', ...texts]) => {
  switch (verb) {
    case 'ls-files':
      return !texts.some((text) => /^(?:--format|-X|--exclude)/.test(text));
    case 'diff':
    case 'grep':
      return texts.some((text) => /^(?:--name-only|--files-with-matches|-l)$/.test(text));
    case 'status':
      return texts.some((text) => /^(?:-s|--short|--porcelain)/.test(text));
    case 'rev-parse':
      return !texts.some((text) => /^--.*(?:git|path|top|cdup|prefix)/.test(text));
    case 'branch':
      return texts.length === 1 && texts[0] === '--show-current';
    case 'merge-base':
      return true;
    case 'rev-list':
    case 'describe':
      return !texts.some((text) => /^--(?:pretty|format|header)/.test(text));
    default:
      return false;
  }
};

const printers: Readonly<Record<string, Printer>> = {
  cat: filter(''),
  date: any,
  echo: (texts) => !texts.some((text) => text.includes('\\')),
  egrep: grep,
  fd: (texts) => !texts.some((text) => /^-[a-zA-Z]*[xX]|^--(?:exec|format|batch|base)/.test(text)),
  fdfind: (texts) => printers['fd']?.(texts) === true,
  fgrep: grep,
  find: (texts) =>
    !texts.some(
      (text, index) =>
        /^-(?:exec|execdir|ok|okdir|ls|fls)$/.test(text) ||
        (text === '-printf' && !/^(?:%[fpP]|\\n|\\0)+$/.test(texts[index + 1] ?? '')),
    ),
  git,
  grep,
  head: filter('-n: -c: -q --lines: -#'),
  // The long form shows where links lead.
  ls: (texts) => !texts.some((text) => /^-[a-zA-Z]*[lgno]|^--(?:format|full|numeric)/.test(text)),
  printf,
  pwd: any,
  rg: withOption(
    '-l -i -S -s -w -F -u -g: -t: -T: --files --files-with-matches --files-without-match --glob: --type: --type-not: --hidden --no-ignore --sort: --null -0',
    '-l',
    '--files',
    '--files-with-matches',
    '--files-without-match',
  ),
  seq: any,
  sort: filter('-b -d -f -g -i -n -r -R -u -V -h -z -k: -t: --reverse --unique --version-sort'),
  tac: filter(''),
  tail: filter('-n: -c: -q --lines: -#'),
  true: any,
  uniq: filter('-c -d -i -u -z'),
  wc: any,
};

/** One object for one text: what is read of it is kept by the object. */
const rules = new Map<string, OptionRules>();

function parse(texts: readonly string[], options: string): ParsedOptions | undefined {
  const known = rules.get(options) ?? { options, number: options.includes('-#') };
  rules.set(options, known);
  const parsed = parseOptions(
    texts.map((text) => plainArgument(text)),
    known,
  );
  return typeof parsed === 'string' ? undefined : parsed;
}

const isUnended = ({ words }: SimpleCommand): boolean => {
  const [name, second = ''] = words.map((word) => plain(word));
  if (name === 'printf') return !second.endsWith('\\n');
  const short = name === 'echo' ? /^-[eE]*n/ : /^-(?:\w*c|-bytes)/;
  return /^(?:echo|head|tail)$/.test(name ?? '') && short.test(second);
};

/** True when a compound command among these gets a file as its input. */
function hasInput(value: unknown): boolean {
  if (Array.isArray(value)) return value.some((one) => hasInput(one));
  if (typeof value !== 'object' || value === null) return false;
  const redirects: unknown = Reflect.get(value, 'redirects');
  if (
    Reflect.get(value, 'kind') === 'redirected' &&
    Array.isArray(redirects) &&
    redirects.some((one) => String(Reflect.get(Object(one), 'operator')).startsWith('<'))
  )
    return true;
  return Object.values(value).some((one) => hasInput(one));
}

const plain = ({ pieces }: Word): string | undefined =>
  pieces.every((piece) => piece.kind === 'text')
    ? pieces.map((piece) => (piece.kind === 'text' ? piece.text : '')).join('')
    : undefined;

const globText = (word: Word | undefined): string =>
  (word?.pieces ?? [])
    .map((piece) => (piece.kind === 'text' || piece.kind === 'glob' ? piece.text : ''))
    .join('');

function isOutside({ pieces }: Word): boolean {
  const known = pieces.map((piece: Piece) =>
    piece.kind === 'text' || piece.kind === 'glob' ? piece.text : undefined,
  );
  // A name in a loop is judged where the loop's words stand; other expansions could hold anything.
  if (known.includes(undefined)) return true;
  const text = known.join('');
  return (
    (/^[-+]/.test(text) && text.includes('/')) ||
    text
      .split(/[^\w./*?@%~+-]+/)
      .some((part) => /^[/~]/.test(part) || /(?:^|\/)\.\.(?:\/|$)/.test(part))
  );
}
