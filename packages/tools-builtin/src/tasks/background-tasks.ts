import { definePlugin } from '@toolgate/core';
import { sessionTasks } from './session-tasks.ts';
import type { TaskRegistry } from './task-registry.ts';

/**
 * Tells the model of background tasks that ended, beside the next result of the agent that started them, and
 * ends what still runs when the gate closes. `tasks` is the registry of the tools, where they were made with
 * one of their own.
 */
export const backgroundTasks = definePlugin<{ readonly tasks?: TaskRegistry } | void>({
  name: 'background-tasks',
  setup(gate, options) {
    const tasks = options?.tasks ?? sessionTasks;
    const { sessionId } = gate;
    const tell = ({ agentId }: { readonly agentId?: string }) => {
      const notices = tasks.takeNotices({ sessionId, agentId });
      return notices.length === 0 ? undefined : { context: notices.join('\n') };
    };
    gate.hooks.postToolUse.tap('background-tasks', tell);
    gate.hooks.postToolUseFailure.tap('background-tasks', tell);
    gate.onClose(() => tasks.endSession(sessionId));
  },
});
