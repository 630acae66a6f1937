import type { AnyHookDefinition } from './define-hook.ts';
import type { Handler } from './handler.ts';
import { failsOpen, type HookEvent } from './hook-events.ts';
import type { HookRunnerOptions } from './hook-runner.ts';

const read = new WeakMap<AnyHookDefinition, Handler>();
/** Where a guard that failed must not pass for one that said yes. */
const guarded: readonly HookEvent[] = ['PreToolUse', 'UserPromptSubmit'];

/** The embedder's own hooks of an event as handlers, the same one for the same definition. */
export const ownHandlers = (
  event: HookEvent,
  { hooks = [], onFailure, strict = false }: HookRunnerOptions,
): readonly Handler[] =>
  hooks.flatMap((definition, index) => {
    if (definition.event !== event) return [];
    const known = read.get(definition);
    if (known) return [known];
    const { if: rule, statusMessage, matcher = '' } = definition;
    const usual = onFailure ?? (guarded.includes(event) ? 'block' : 'continue');
    const handler: Handler = {
      type: 'function',
      name: definition.name,
      call: definition.hook,
      ...(rule !== undefined && { if: rule }),
      timeoutMs: Math.min((definition.timeout ?? 60) * 1000, 2_147_483_647),
      onFailure: failsOpen.has(event) ? 'continue' : (definition.onFailure ?? usual),
      isStrict: strict && !failsOpen.has(event),
      isAsync: false,
      rewakes: false,
      isOnce: definition.once ?? false,
      ...(statusMessage !== undefined && { statusMessage }),
      matcher,
      source: 'inProcess',
      pointer: `/hooks/${index}`,
    };
    read.set(definition, handler);
    return [handler];
  });
