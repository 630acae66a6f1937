// Checked by tsc: each line below an `@ts-expect-error` must not compile.
import {
  createHookRunner,
  defineHook,
  definePermissionRequest,
  definePostToolUse,
  definePreToolUse,
  type AnyHookDefinition,
} from '../../src/index.ts';

const guard = definePreToolUse({
  name: 'guard',
  matcher: 'Bash',
  hook: ({ tool_name, tool_input, tool_use_id }) => ({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: tool_name === 'Bash' && tool_use_id ? 'ask' : 'deny',
      updatedInput: tool_input,
    },
  }),
});
const after = definePostToolUse({
  name: 'after',
  hook: async ({ tool_response }) => ({ systemMessage: String(tool_response) }),
});
const stop = defineHook({ name: 'stop', event: 'Stop', hook: () => undefined });
export const all: readonly AnyHookDefinition[] = [guard, after, stop];
export const runner = createHookRunner({ hooks: [guard, after, stop] });

definePreToolUse({
  name: 'word',
  hook: () => ({
    // @ts-expect-error -- "approve" is no decision
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'approve' },
  }),
});
definePreToolUse({
  name: 'event',
  hook: () => ({
    // @ts-expect-error -- another event's name
    hookSpecificOutput: { hookEventName: 'PostToolUse' },
  }),
});
definePermissionRequest({
  name: 'id',
  // @ts-expect-error -- a permission request has no id of a call
  hook: ({ tool_use_id }) => void tool_use_id,
});
// @ts-expect-error -- there is no such event
defineHook({ name: 'x', event: 'preToolUse', hook: () => undefined });
// @ts-expect-error -- a misspelled field
definePreToolUse({ name: 'x', matchr: 'Bash', hook: () => undefined });
