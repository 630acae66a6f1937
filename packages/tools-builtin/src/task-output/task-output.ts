import { allow, buildTool, didYouMean } from '@toolgate/core';
import { z } from 'zod';
import { fileError } from '../files/judged-path.ts';
import { sessionTasks } from '../tasks/session-tasks.ts';
import { sentenceOf, type TaskInfo, type TaskRegistry } from '../tasks/task-registry.ts';

/** How long it waits when the call does not say, and at most, in milliseconds. */
const defaultWaitMs = 30_000;
const maxWaitMs = 600_000;
/** Most UTF-16 code units of output shown; its end. */
const maxShownChars = 30_000;

const inputSchema = z.strictObject({
  task_id: z.string().min(1).optional().describe('The task, as Bash named it'),
  bash_id: z.string().min(1).optional().describe('The old name of task_id'),
  block: z.boolean().optional().describe('Wait until it has ended. Default true'),
  timeout: z
    .number()
    .nonnegative()
    .optional()
    .describe(
      `How long to wait, in milliseconds: ${defaultWaitMs} by default, at most ${maxWaitMs}`,
    ),
});

/** A task and what it printed; hooks get it as `tool_response`. */
export interface TaskOutputOutput {
  /** `timeout`: it was waited for and still runs; `not_ready`: it still runs. */
  readonly retrieval_status: 'success' | 'timeout' | 'not_ready';
  readonly task: {
    readonly task_id: string;
    readonly task_type: TaskInfo['type'];
    readonly status: TaskInfo['status'];
    readonly description: string;
    /** The end of both streams. */
    readonly output: string;
    readonly exitCode?: number;
    readonly outputFile?: string;
  };
  /** How it stands, in a sentence. */
  readonly summary: string;
}

/** Makes the TaskOutput of a registry. */
export const createTaskOutput = (tasks: TaskRegistry) =>
  buildTool({
    name: 'TaskOutput',
    deprecatedAliases: ['BashOutput'],
    description: `Shows what a background task has printed, and whether it has ended.
- It waits for the end of the task unless block is false.
- Of much output the end is shown; the whole is in the file that Bash named.`,
    searchHint: 'output of a background command',
    inputSchema,
    timeoutMs: Infinity,
    maxResultSizeChars: Infinity,
    isReadOnly: () => true,
    isConcurrencySafe: () => true,
    isIdempotent: () => true,
    interruptBehavior: () => 'cancel',
    checkPermissions: () => allow('It shows what a task of this session printed.'),
    validateInput: ({ task_id, bash_id }, context) => {
      const id = task_id ?? bash_id;
      if (id === undefined) return { result: false, message: 'task_id is missing.', errorCode: 1 };
      if (tasks.find(id, context)) return { result: true };
      const hint = didYouMean(id, tasks.ids(context));
      const message = `There is no background task ${JSON.stringify(id)}.${hint}`;
      return { result: false, message, errorCode: 2 };
    },
    async call({ task_id, bash_id, block = true, timeout = defaultWaitMs }, context) {
      const id = task_id ?? bash_id ?? '';
      if (block)
        await tasks.wait(id, context, { ms: Math.min(timeout, maxWaitMs), signal: context.signal });
      const info = tasks.find(id, context);
      if (!info) throw fileError('The task is not known any more.', 'no such task');
      const running = info.status === 'running';
      tasks.markTold(id);
      const data: TaskOutputOutput = {
        retrieval_status: running ? (block ? 'timeout' : 'not_ready') : 'success',
        task: {
          task_id: id,
          task_type: info.type,
          status: info.status,
          description: info.description,
          output: tasks.output(id, context).slice(-maxShownChars),
          ...(info.exitCode !== undefined && { exitCode: info.exitCode }),
          ...(info.outputFile !== undefined && { outputFile: info.outputFile }),
        },
        summary: sentenceOf(info),
      };
      return { data };
    },
    mapToolResultToToolResultBlockParam: ({ task, summary }: TaskOutputOutput) => ({
      content: `${summary}\n${task.output || '(No output yet.)'}`,
    }),
    getActivityDescription: ({ task_id, bash_id }) => `Waiting for ${task_id ?? bash_id ?? ''}`,
    renderToolUseMessage: ({ task_id, bash_id }) => ({
      type: 'text',
      text: task_id ?? bash_id ?? '',
    }),
    renderToolResultMessage: ({ task }) => ({ type: 'text', text: task.output, tone: 'plain' }),
  });

/** TaskOutput for the background tasks of the ready-made Bash. */
export const taskOutput = createTaskOutput(sessionTasks);
