export { hookEvents, toolEvents, type HookEvent, type HookEventMetadata } from './hook-events.ts';
export {
  defineHook,
  definePermissionDenied,
  definePermissionRequest,
  definePostToolBatch,
  definePostToolUse,
  definePostToolUseFailure,
  definePreToolUse,
  type AnyHookDefinition,
  type HookAnswer,
  type HookCallback,
  type HookDefinition,
  type HookInput,
  type HookInputs,
  type HookSpecificOutputs,
} from './define-hook.ts';
export type { EventOutcome } from './event-outcome.ts';
export type { HookResult } from './hook-result.ts';
export {
  commandHooks,
  createHookRunner,
  type HookRunner,
  type HookRunnerOptions,
} from './hook-runner.ts';
export { hooksSchema, type JSONSchema } from './hooks-schema.ts';
export type { ListedHook } from './list-hooks.ts';
export { lintHooks, type LintHooksOptions } from './lint/lint-hooks.ts';
