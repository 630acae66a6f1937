import type { HookOutput } from './hook-output.ts';
import type { CommandEnd } from './run-command.ts';

/** How a handler of any type ended, before anybody reads what it said. */
export type HandlerEnd =
  | CommandEnd
  /** It did not do its work, as `problem` says in one clause. */
  | { readonly state: 'failed'; readonly code: FailedCode; readonly problem: string }
  /** A model's verdict, which needs no reading. */
  | { readonly state: 'said'; readonly output: HookOutput };

export type FailedCode = 'hook-failed' | 'hook-not-started' | 'hook-output-invalid';

export const failedEnd = (problem: string, code: FailedCode = 'hook-failed'): HandlerEnd => ({
  state: 'failed',
  code,
  problem,
});
/** The text of a handler that is no process, read like a process's standard output. */
export const textEnd = (stdout: string): HandlerEnd => ({
  state: 'ended',
  exitCode: 0,
  stdout,
  stderr: '',
  cut: false,
});
