import type { Argument } from './expand.ts';
import type { Redirect, SimpleCommand } from './model.ts';
import type { ShellState } from './state.ts';

/** Where a command's standard input comes from, and its text when the command text holds it. */
export interface Input {
  readonly from: 'session' | 'pipe' | 'file';
  readonly text?: string;
  /** It may hold names of files outside the folder. */
  readonly outside?: boolean;
}

/** A redirect with its target expanded where it stands. */
export interface VisitedRedirect {
  readonly redirect: Redirect;
  readonly target: Argument | undefined;
  readonly state: ShellState;
  /** The command it belongs to; absent for a compound command. */
  readonly command: SimpleCommand | undefined;
}

/** A simple command with what is known where it stands. */
export interface Visit {
  readonly command: SimpleCommand;
  readonly arguments: readonly Argument[];
  readonly state: ShellState;
  readonly input: Input;
  /** Folders a `cd` here may lead to. */
  readonly moves: readonly string[];
  /** Part of a pipeline, a subshell or a substitution: what it changes in the shell is lost. */
  readonly inSubshell: boolean;
}

/** A test inside `[[ ]]` with its operands expanded where it stands. */
export interface VisitedTest {
  readonly operator: string;
  readonly operands: readonly Argument[];
  readonly state: ShellState;
}

export interface Walked {
  readonly visits: readonly Visit[];
  readonly redirects: readonly VisitedRedirect[];
  readonly tests: readonly VisitedTest[];
  /** Reasons, beside what the commands are, why the text is not read-only. */
  readonly troubles: readonly Trouble[];
}

export interface Trouble {
  readonly reason: string;
  /** The command it stands in; absent: a part of the text that is no simple command. */
  readonly command: SimpleCommand | undefined;
}
