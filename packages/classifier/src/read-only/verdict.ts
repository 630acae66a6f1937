import type { Argument } from '../bash/expand.ts';
import type { Input } from '../bash/walked.ts';
import type { AddedCommands } from './added-commands.ts';

/** A file or folder that a command reads. */
export interface Read {
  /** The operand; absent: the folder the command runs in. */
  readonly argument?: Argument;
  /** Prints what is in files, or only their names and facts. */
  readonly content: boolean;
  /** Everything below may be read. */
  readonly open: boolean;
  /** What is read may lie outside the folder. */
  readonly anywhere?: boolean;
  /** Relative to this folder of the command (`git -C`), when not its own. */
  readonly from?: Argument;
}

/** A check that must hold in a folder, which is relative to where the command runs. */
export interface Need {
  readonly name: 'git-context';
  readonly folder?: Argument;
}

/** What is proved of one command. Only a proof that it reads and nothing else makes `read-only`. */
export type Verdict =
  | {
      readonly answer: 'read-only';
      readonly reads: readonly Read[];
      readonly needs: readonly Need[];
      /** It takes its standard input, so two at once would share it. */
      readonly readsInput: boolean;
    }
  | { readonly answer: 'writes' | 'unknown'; readonly reason: string };

export interface Context {
  readonly input: Input;
  /** How many wrappers were looked through. */
  readonly depth: number;
  /** Commands that were described by an embedder or plugin. */
  readonly added?: AddedCommands | undefined;
}

export const unknown = (reason: string): Verdict => ({ answer: 'unknown', reason });
export const writes = (reason: string): Verdict => ({ answer: 'writes', reason });
export const readOnly = (
  facts: {
    readonly reads?: readonly Read[];
    readonly needs?: readonly Need[];
    readonly readsInput?: boolean;
  } = {},
): Verdict => ({ answer: 'read-only', reads: [], needs: [], readsInput: false, ...facts });

/** A checker gets the words after the command's name. */
export type Checker = (words: readonly Argument[], context: Context) => Verdict;

/** The exact text of an argument, where the command text tells it. */
export const literal = (argument: Argument | undefined): string | undefined =>
  argument?.kind === 'literal' ? argument.texts[0] : undefined;
