export { commandHooks, type CommandHooksOptions } from './command-hooks.ts';
