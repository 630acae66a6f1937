import { buildTool, type ToolUseContext } from '@toolgate/core';
import { z } from 'zod';
import { CommandGuard } from '../bash/command-tree.ts';
import { findPlace } from '../sandbox/find-place.ts';
import { sessionTasks } from '../tasks/session-tasks.ts';
import type { TaskRegistry } from '../tasks/task-registry.ts';
import { mapReplOutput, type ReplOutput } from './repl-output.ts';
import { ReplSession } from './repl-session.ts';

/** Limits of REPL; those of Bash. */
export interface ReplOptions {
  /** Time limit of a call that names none. Default 120,000 ms. */
  readonly defaultTimeoutMs?: number;
  /** Longer limits are cut to this. Default 600,000 ms. */
  readonly maxTimeoutMs?: number;
  /** From SIGTERM to SIGKILL. Default 1,000 ms. */
  readonly graceMs?: number;
  /** Bytes kept of each stream of a call. Default 1 MiB. */
  readonly maxOutputBytes?: number;
  /** A session that prints more is stopped. Default 5 GiB. */
  readonly maxTotalBytes?: number;
  /** Ends the sessions when it ends the tasks of one. Default: that of the ready-made Bash. */
  readonly tasks?: TaskRegistry;
}

const maxCodeBytes = 1_000_000;

const inputSchema = z.strictObject({
  code: z.string().min(1).describe('JavaScript; its last expression is the value. await works'),
  timeout: z.number().positive().optional().describe('Time limit in milliseconds'),
  description: z.string().optional().describe('What it does, in a few words'),
  reset: z.boolean().optional().describe('Start afresh: what earlier calls defined is gone'),
  dangerouslyDisableSandbox: z.boolean().optional().describe('Always asks a person'),
});

/** Makes a REPL tool with other limits. */
export function createRepl(options: ReplOptions = {}) {
  const { defaultTimeoutMs = 120_000, maxTimeoutMs = 600_000, tasks = sessionTasks } = options;
  const limits = {
    graceMs: options.graceMs ?? 1_000,
    maxOutputBytes: options.maxOutputBytes ?? 1_048_576,
    maxTotalBytes: options.maxTotalBytes ?? 5 * 1_073_741_824,
  };
  const guard = new CommandGuard();
  const sessions = new Map<string, ReplSession>();
  return buildTool({
    name: 'REPL',
    description: `Runs JavaScript in a Node.js process that goes on between calls: variables, functions and imports stay.
- The value of the last expression is shown, and what was printed.
- It is stopped after ${defaultTimeoutMs} ms unless timeout says otherwise (at most ${maxTimeoutMs}); then, and with reset, what was defined is gone.
- Each call begins in the working directory.`,
    searchHint: 'run JavaScript',
    inputSchema,
    timeoutMs: Infinity,
    maxResultSizeChars: 30_000,
    effects: ({ code }) => ({
      units: [{ tool: 'REPL', content: code, exact: code, allowBy: 'exact', readOnly: false }],
    }),
    toAutoClassifierInput: ({ code }) => code,
    validateInput({ code, dangerouslyDisableSandbox }) {
      if (Buffer.byteLength(code) > maxCodeBytes)
        return {
          result: false,
          message: `The code has more than ${maxCodeBytes} bytes. Write a file and import it.`,
          errorCode: 1,
        };
      return dangerouslyDisableSandbox
        ? { result: false, message: 'The code is to run outside the sandbox.', behavior: 'ask' }
        : { result: true };
    },
    async call({ code, reset = false, ...input }, context) {
      const key = `${context.sessionId} ${context.agentId ?? ''}`;
      const disableSandbox = input.dangerouslyDisableSandbox ?? false;
      const before = sessions.get(key);
      const keeps =
        before && !before.isOver && !reset && isSamePlace(before, context, disableSandbox);
      if (before && !keeps) await before.end();
      const session = keeps
        ? before
        : await ReplSession.start({ context, disableSandbox, limits, guard });
      sessions.set(key, session);
      tasks.alsoEnd(context.sessionId, key, async () => {
        sessions.delete(key);
        await session.end();
      });
      const timeoutMs = Math.min(input.timeout ?? defaultTimeoutMs, maxTimeoutMs);
      const { answer, ended, cutBytes, ...output } = await within(session, timeoutMs, context, () =>
        session.run({ code, cwd: context.cwd }),
      );
      if (ended) sessions.delete(key);
      const data: ReplOutput = {
        ...output,
        ...answer,
        interrupted: ended?.stopped === 'abort',
        ...(cutBytes > 0 && { cutBytes }),
        ...(ended && { exitCode: ended.exitCode }),
        ...(ended?.stopped === 'timeout' && { timedOutAfterMs: timeoutMs }),
        ...(ended && ended.survivors.length > 0 && { survivors: ended.survivors }),
        ...(before && !keeps && { isNewSession: true }),
        ...session.place.told,
      };
      return { data };
    },
    mapToolResultToToolResultBlockParam: (data: ReplOutput) => mapReplOutput(data),
    getActivityDescription: ({ code, description }) =>
      `Running ${description ?? code.split('\n', 1)[0] ?? ''}`,
    renderToolUseMessage: ({ code }) => ({ type: 'code', text: code, language: 'javascript' }),
    renderToolResultMessage(data) {
      const { content, is_error } = mapReplOutput(data);
      return {
        type: 'text',
        text: typeof content === 'string' ? content : '',
        tone: is_error ? 'bad' : 'plain',
      };
    },
  });
}

/** REPL: JavaScript in a process that keeps its variables. */
export const repl = createRepl();

/** A session inside a sandbox does not serve a call outside, nor the other way round. */
const isSamePlace = (
  { place }: ReplSession,
  context: ToolUseContext,
  disableSandbox: boolean,
): boolean =>
  JSON.stringify(place.told) ===
  JSON.stringify(findPlace(context, { tool: 'REPL', disabled: disableSandbox }).told);

/** Ends the session when the time is up or the call is aborted. */
async function within<T>(
  session: ReplSession,
  timeoutMs: number,
  { signal }: ToolUseContext,
  work: () => Promise<T>,
): Promise<T> {
  const onAbort = () => session.stop('abort');
  const timer = setTimeout(() => session.stop('timeout'), timeoutMs);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await work();
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}
