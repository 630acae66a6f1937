import { listCommands } from './list-commands.ts';
import type { Node, Piece, Word } from './model.ts';

// Commands that print names below the folders they were given, and filters that pass lines on whole.
const namers = new Set(
  'ls find fd fdfind git rg grep egrep fgrep sort uniq head tail tac wc seq echo printf pwd date true'.split(
    ' ',
  ),
);

/**
 * True when what these nodes print may be the name of a file outside the folder they run in. Only known
 * printers of names with relative operands are trusted; a filter such as `tr` could make any name.
 */
export function mayNameOutside(nodes: readonly Node[]): boolean {
  return listCommands({ nodes }, { bare: true }).some((command) => {
    if (command.assignments.length > 0) return true;
    const [name, ...rest] = command.words;
    // `$(<list)` prints a file of the project, as a list of names does.
    if (!name)
      return command.redirects.some(({ target }) => target === undefined || isOutside(target));
    const text = plain(name);
    if (text === undefined || !namers.has(text)) return true;
    const prints = text === 'echo' || text === 'printf';
    return rest.some(
      (word) =>
        isOutside(word) ||
        (prints && /[\\]|%[^s%]/.test(word.text.replaceAll('\\n', ''))) ||
        (plain(word) === '-o' && text.endsWith('grep')),
    );
  });
}

const plain = ({ pieces }: Word): string | undefined =>
  pieces.every((piece) => piece.kind === 'text')
    ? pieces.map((piece) => (piece.kind === 'text' ? piece.text : '')).join('')
    : undefined;

function isOutside({ pieces }: Word): boolean {
  const known = pieces.map((piece: Piece) =>
    piece.kind === 'text' || piece.kind === 'glob' ? piece.text : undefined,
  );
  // A name in a loop is judged where the loop's words stand; other expansions could hold anything.
  if (known.includes(undefined)) return true;
  const text = known.join('');
  return text.startsWith('/') || text.startsWith('~') || /(?:^|\/)\.\.(?:\/|$)/.test(text);
}
