export { createRepl, repl, type ReplOptions } from './repl.ts';
export type { ReplOutput } from './repl-output.ts';
