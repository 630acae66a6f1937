import { allow, buildTool, didYouMean } from '@toolgate/core';
import { z } from 'zod';
import { fileError } from '../files/judged-path.ts';
import { sessionTasks } from '../tasks/session-tasks.ts';
import { sentenceOf, type TaskInfo, type TaskRegistry } from '../tasks/task-registry.ts';

const inputSchema = z.strictObject({
  task_id: z.string().min(1).optional().describe('The task, as Bash named it'),
  shell_id: z.string().min(1).optional().describe('The old name of task_id'),
});

/** What was stopped; hooks get it as `tool_response`. */
export interface TaskStopOutput {
  readonly message: string;
  readonly task_id: string;
  readonly task_type: TaskInfo['type'];
  readonly command?: string;
}

/** Makes the TaskStop of a registry. */
export const createTaskStop = (tasks: TaskRegistry) =>
  buildTool({
    name: 'TaskStop',
    deprecatedAliases: ['KillShell', 'KillBash'],
    description:
      'Ends a background task and every process it started. Processes that could not be ended are named.',
    searchHint: 'stop a background command',
    inputSchema,
    timeoutMs: Infinity,
    isConcurrencySafe: () => true,
    isIdempotent: () => true,
    checkPermissions: () => allow('It ends a task of this session.'),
    validateInput: ({ task_id, shell_id }, context) => {
      const id = task_id ?? shell_id;
      if (id === undefined) return { result: false, message: 'task_id is missing.', errorCode: 1 };
      if (tasks.find(id, context)) return { result: true };
      const hint = didYouMean(id, tasks.ids(context));
      const message = `There is no background task ${JSON.stringify(id)}.${hint}`;
      return { result: false, message, errorCode: 2 };
    },
    async call({ task_id, shell_id }, context) {
      const id = task_id ?? shell_id ?? '';
      const info = await tasks.stop(id, context, 'TaskStop was called');
      if (!info) throw fileError('The task is not known any more.', 'no such task');
      const data: TaskStopOutput = {
        message: sentenceOf(info),
        task_id: id,
        task_type: info.type,
        command: info.command,
      };
      return { data };
    },
    mapToolResultToToolResultBlockParam: ({ message }: TaskStopOutput) => ({ content: message }),
    getActivityDescription: ({ task_id, shell_id }) => `Stopping ${task_id ?? shell_id ?? ''}`,
    renderToolUseMessage: ({ task_id, shell_id }) => ({
      type: 'text',
      text: task_id ?? shell_id ?? '',
    }),
    renderToolResultMessage: ({ message }) => ({ type: 'text', text: message, tone: 'muted' }),
  });

/** TaskStop for the background tasks of the ready-made Bash. */
export const taskStop = createTaskStop(sessionTasks);
