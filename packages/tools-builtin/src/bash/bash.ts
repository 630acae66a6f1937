import { buildTool, type EffectsAnswer } from '@toolgate/core';
import { z } from 'zod';
import { allowReads } from '../allow-reads.ts';
import { sessionTasks } from '../tasks/session-tasks.ts';
import type { TaskRegistry } from '../tasks/task-registry.ts';
import { mapBashOutput, type BashOutput } from './bash-output.ts';
import { CommandGuard } from './command-tree.ts';
import { criticalRemoval } from './critical-removal.ts';
import type { BashProgress } from './progress.ts';
import { runBash } from './run-bash.ts';

export type { BashOutput, BashProgress };

/** The limits of a Bash tool, and what its commands inherit. */
export interface BashOptions {
  /** Time limit of a command that names none. Default 120,000 ms. */
  readonly defaultTimeoutMs?: number;
  /** Longer limits are cut to this. Default 600,000 ms. */
  readonly maxTimeoutMs?: number;
  /** From SIGTERM to SIGKILL. Default 1,000 ms, within what core leaves an aborted call to end. */
  readonly graceMs?: number;
  /** Bytes kept of each stream, half from its start, half from its end. Default 1 MiB. */
  readonly maxOutputBytes?: number;
  /** Bytes kept on disk of output that is larger than that, or of a command in the background. Default 64 MiB. */
  readonly maxFileBytes?: number;
  /** A command that prints more is stopped. Default 5 GiB. */
  readonly maxTotalBytes?: number;
  /** Takes on commands that run in the background; without it none may, and the time limit ends them. */
  readonly tasks?: TaskRegistry;
  /** Added to the environment of every command, unchecked; of a PATH the same stays as of this process's. */
  readonly env?: Readonly<Record<string, string>>;
}

/** How long a command may run in the background, in milliseconds: by default, and at most. */
const defaultLifeMs = 1_800_000;
const maxLifeMs = 7_200_000;

/** One argument of a program may have 128 KiB. */
const maxCommandBytes = 120_000;

const inputSchema = z.strictObject({
  command: z.string().min(1).describe('The command to run'),
  timeout: z.number().positive().optional().describe('Time limit in milliseconds'),
  description: z.string().optional().describe('What it does, in a few words'),
  run_in_background: z
    .boolean()
    .optional()
    .describe('Go on at once while it runs; timeout then bounds its life'),
  dangerouslyDisableSandbox: z.boolean().optional().describe('Always asks a person'),
});
type BashInput = z.output<typeof inputSchema>;

/** Makes a Bash tool with other limits. */
export function createBash(options: BashOptions = {}) {
  const { defaultTimeoutMs = 120_000, maxTimeoutMs = 600_000 } = options;
  const { tasks, env } = options;
  const guard = new CommandGuard();
  const limits = {
    graceMs: options.graceMs ?? 1_000,
    maxOutputBytes: options.maxOutputBytes ?? 1_048_576,
    maxFileBytes: options.maxFileBytes ?? 64 * 1_048_576,
    maxTotalBytes: options.maxTotalBytes ?? 5 * 1_073_741_824,
    env,
  };
  return buildTool({
    name: 'Bash',
    description: `Runs a command with bash and shows its output and exit code.
- cd carries over to the next command, inside the working directories; variables and functions do not.
- There is no standard input, and no profile is read.
${timeoutText(tasks !== undefined, defaultTimeoutMs, maxTimeoutMs)}
- Prefer Read, Edit, Write, Glob and Grep for files.`,
    searchHint: 'run a shell command',
    inputSchema,
    timeoutMs: Infinity,
    maxResultSizeChars: 30_000,
    effects: ({ command }, { home }) => effectsOf(command, home),
    checkPermissions: allowReads,
    toAutoClassifierInput: ({ command }) => command,
    validateInput: (input) => validate(input, tasks !== undefined),
    call: (input, context, onProgress: (data: BashProgress) => void) =>
      runBash({
        command: input.command,
        description: input.description ?? input.command.split('\n', 1)[0] ?? '',
        timeoutMs: input.run_in_background
          ? undefined
          : Math.min(input.timeout ?? defaultTimeoutMs, maxTimeoutMs),
        lifeMs: input.run_in_background
          ? Math.min(input.timeout ?? defaultLifeMs, maxLifeMs)
          : defaultLifeMs,
        disableSandbox: input.dangerouslyDisableSandbox ?? false,
        tasks,
        limits,
        guard,
        context,
        onProgress,
      }),
    mapToolResultToToolResultBlockParam: (data: BashOutput) => mapBashOutput(data),
    getActivityDescription: ({ command, description }) =>
      `Running ${description ?? command.split('\n', 1)[0] ?? ''}`,
    renderToolUseMessage: ({ command }) => ({ type: 'code', text: command, language: 'bash' }),
    renderToolResultMessage(data) {
      const { content, is_error } = mapBashOutput(data);
      return {
        type: 'text',
        text: typeof content === 'string' ? content : '',
        tone: is_error ? 'bad' : 'plain',
      };
    },
    renderToolUseProgressMessage: ({ text }) => ({ type: 'text', text, tone: 'muted' }),
  });
}

/** Bash: a command in a process group of its own, bounded in time and memory. */
export const bash = createBash({ tasks: sessionTasks });

function timeoutText(hasTasks: boolean, defaultMs: number, maxMs: number): string {
  const limit = `unless timeout says otherwise (at most ${maxMs})`;
  return hasTasks
    ? `- After ${defaultMs} ms, ${limit}, it goes on in the background: you get a task id for TaskOutput and TaskStop. What waits (sleep) and git are stopped instead.
- run_in_background returns at once with a task id; you are told when it has ended. What a command leaves running with & is ended with it.`
    : `- It is stopped after ${defaultMs} ms ${limit}. What it leaves running in the background is ended with it.`;
}

function validate({ command, ...input }: BashInput, hasTasks: boolean) {
  const refused = (message: string, errorCode: number) =>
    ({ result: false, message, errorCode }) as const;
  if (input.run_in_background && !hasTasks)
    return refused('Nothing may run in the background here; run it in the foreground.', 1);
  if (command.includes('\0')) return refused('The command holds a NUL character.', 2);
  if (Buffer.byteLength(command) > maxCommandBytes)
    return refused(
      `The command has more than ${maxCommandBytes} bytes. Write a script and run that.`,
      3,
    );
  if (input.dangerouslyDisableSandbox)
    return {
      result: false,
      message: 'The command is to run outside the sandbox.',
      behavior: 'ask',
    } as const;
  return { result: true } as const;
}

/** What is known without reading Bash. The classifier package owns these effects where it is loaded. */
function effectsOf(command: string, home: string): EffectsAnswer {
  const warning = criticalRemoval(command, home);
  return {
    units: [{ tool: 'Bash', content: command, exact: command, allowBy: 'exact', readOnly: false }],
    destructive: warning !== undefined,
    warnings: warning ? [warning] : [],
    suggestedRules: /[\n*\\()]|:\s*$/.test(command) ? [] : [`Bash(${command})`],
  };
}
