import { ToolgateError } from '@toolgate/core';
import type { Argument } from '../bash/expand.ts';
import { shells, wrappers } from '../forms/wrappers.ts';
import { checkerOf } from './spec.ts';
import { literal, unknown, type Context, type Verdict } from './verdict.ts';

/** A command that only reads, as a plugin or embedder describes it. */
export interface ReadOnlyCommand {
  /**
   * The options with which it only reads, one per word: `-a` and `--all` stand alone, `-n:` takes a value,
   * `-f@` the name of a file it reads, `--color?` a value only after `=`, a `!` at the end means that
   * everything below an operand is read. Whatever is not listed makes a call unknown.
   */
  readonly options: string;
  /** What operands are: files whose content is printed (default), files whose names or facts are, or no files. */
  readonly operands?: 'content' | 'names' | 'words';
  /** How many leading operands are no files, such as a pattern. Default 0. */
  readonly skip?: number;
  /** How many operands there may be at most. */
  readonly most?: number;
  /** `-5` is an option. */
  readonly number?: boolean;
  /** Short options are whole words, never joined: `-json`. */
  readonly apart?: boolean;
}

/** Commands by their name, or by name and subcommands: `'terraform show'`. */
export type ReadOnlyCommands = Readonly<Record<string, ReadOnlyCommand>>;

/** Judges a command by what was added; undefined where nothing was added for its name. */
export type AddedCommands = (
  name: string,
  words: readonly Argument[],
  context: Context,
) => Verdict | undefined;

const word = /^[A-Za-z0-9][\w.+-]*$/;
const option = /^--?[^\s:@?!=]+(?:[:@?]?!?)$/;
const keys = new Set(['options', 'operands', 'skip', 'most', 'number', 'apart']);

/**
 * Reads added commands. A name that this package judges itself cannot be described anew.
 *
 * @throws ToolgateError `TG_OPTION_INVALID` for such a name, a wrapper or shell, an unknown key, or an option that is none.
 */
export function addedCommands(
  commands: ReadOnlyCommands,
  isTaken: (name: string) => boolean,
): AddedCommands {
  const entries = Object.entries(commands).map(([key, command]) => {
    const words = key.split(' ');
    const [name = ''] = words;
    const invalid = (why: string) =>
      new ToolgateError('TG_OPTION_INVALID', `commands["${key}"]: ${why}`);
    if (!words.every((one) => word.test(one)))
      throw invalid('use the name of a program, and its subcommand behind one blank.');
    if (isTaken(name) || Object.hasOwn(wrappers, name) || shells.has(name))
      throw invalid(`${name} is judged already; only commands that are not can be added.`);
    const unknownKey = Object.keys(command).find((one) => !keys.has(one));
    if (unknownKey !== undefined)
      throw invalid(`"${unknownKey}" is no key of it. The keys are ${[...keys].join(', ')}.`);
    const wrong = command.options.split(/\s+/).find((one) => one !== '' && !option.test(one));
    if (wrong !== undefined) throw invalid(`"${wrong}" is no option; write it like -n: or --all.`);
    return { words, judge: checkerOf(command) };
  });
  return (name, rest, context) => {
    const known = entries.filter(({ words }) => words[0] === name);
    if (known.length === 0) return undefined;
    // The longest one that stands there: `gh pr view` before `gh`.
    const found = known
      .filter(({ words }) => words.slice(1).every((one, at) => literal(rest[at]) === one))
      .toSorted((a, b) => b.words.length - a.words.length)[0];
    return found
      ? found.judge(rest.slice(found.words.length - 1), context)
      : unknown(`This form of ${name} is not known to be read-only.`);
  };
}
