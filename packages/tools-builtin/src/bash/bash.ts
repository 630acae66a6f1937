import { realpath } from 'node:fs/promises';
import { buildTool, type EffectsAnswer, type ToolUseContext } from '@toolgate/core';
import { z } from 'zod';
import { allowReads } from '../allow-reads.ts';
import { fileError } from '../files/judged-path.ts';
import { mapBashOutput, type BashOutput } from './bash-output.ts';
import { CommandGuard } from './command-tree.ts';
import { criticalRemoval } from './critical-removal.ts';
import { commandEnvironment } from './environment.ts';
import { meaningOfExit } from './exit-meaning.ts';
import { findBash } from './find-bash.ts';
import { followFolder } from './follow-folder.ts';
import { programPath } from './program-path.ts';
import { progressReporter, type BashProgress } from './progress.ts';
import { runCommand, type CommandEnding } from './run-command.ts';

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
  /** Added to the environment of every command, unchecked; of a PATH the same stays as of this process's. */
  readonly env?: Readonly<Record<string, string>>;
}

/** One argument of a program may have 128 KiB. */
const maxCommandBytes = 120_000;

const inputSchema = z.strictObject({
  command: z.string().min(1).describe('The command to run'),
  timeout: z.number().positive().optional().describe('Time limit in milliseconds'),
  description: z.string().optional().describe('What it does, in a few words'),
  run_in_background: z.boolean().optional().describe('Not supported yet'),
  dangerouslyDisableSandbox: z.boolean().optional().describe('Always asks a person'),
});
type BashInput = z.output<typeof inputSchema>;

/** Makes a Bash tool with other limits. */
export function createBash(options: BashOptions = {}) {
  const { defaultTimeoutMs = 120_000, maxTimeoutMs = 600_000 } = options;
  const guard = new CommandGuard();
  return buildTool({
    name: 'Bash',
    description: `Runs a command with bash and shows its output and exit code.
- cd carries over to the next command, inside the working directories; variables and functions do not.
- There is no standard input, and no profile is read.
- It is stopped after ${defaultTimeoutMs} ms unless timeout says otherwise (at most ${maxTimeoutMs}). What it leaves running in the background is ended with it.
- Prefer Read, Edit, Write, Glob and Grep for files.`,
    searchHint: 'run a shell command',
    inputSchema,
    timeoutMs: Infinity,
    maxResultSizeChars: 30_000,
    effects: ({ command }, { home }) => effectsOf(command, home),
    checkPermissions: allowReads,
    toAutoClassifierInput: ({ command }) => command,
    validateInput: validate,
    async call(input, context, onProgress: (data: BashProgress) => void) {
      const timeoutMs = Math.min(input.timeout ?? defaultTimeoutMs, maxTimeoutMs);
      const followed = await followFolder(input.command);
      try {
        const progress = progressReporter(onProgress);
        const ending = await runCommand({
          bashPath: bashPath(),
          script: followed.script,
          cwd: context.cwd,
          env: environmentFor(input.command, context, options.env),
          timeoutMs,
          graceMs: options.graceMs ?? 1_000,
          maxOutputBytes: options.maxOutputBytes ?? 1_048_576,
          signal: context.signal,
          guard,
          onOutput: (stream, chunk) => progress.add(stream, chunk),
        });
        progress.end();
        const folder = await folderAfter(context, await followed.finalFolder());
        const { cwd } = folder;
        return {
          data: outputOf(input.command, ending, { timeoutMs, folder }),
          ...(cwd !== undefined && { contextModifier: () => ({ cwd }) }),
        };
      } finally {
        await followed.remove();
      }
    },
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
export const bash = createBash();

function validate({ command, ...input }: BashInput) {
  const refused = (message: string, errorCode: number) =>
    ({ result: false, message, errorCode }) as const;
  if (input.run_in_background)
    return refused('run_in_background is not supported yet; run it in the foreground.', 1);
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

function bashPath(): string {
  const path = findBash();
  if (path === undefined) throw fileError('There is no bash on this machine.', 'no bash');
  return path;
}

function environmentFor(command: string, context: ToolUseContext, extra: BashOptions['env']) {
  return commandEnvironment({
    from: process.env,
    readOnly: context.effects.readOnly,
    programPath: (path) => programPath(path, command, context),
    ...(extra && { extra }),
  });
}

interface FolderAfter {
  readonly cwd?: string;
  readonly cwdRefused?: string;
}

async function folderAfter(
  context: ToolUseContext,
  ended: string | undefined,
): Promise<FolderAfter> {
  if (ended === undefined) return {};
  const before = await realpath(context.cwd).catch(() => context.cwd);
  if (ended === before) return {};
  return context.isInside(ended) ? { cwd: ended } : { cwdRefused: ended };
}

function outputOf(
  command: string,
  { stdout, stderr, exitCode, stopped, leftBehind, survivors }: CommandEnding,
  { timeoutMs, folder }: { readonly timeoutMs: number; readonly folder: FolderAfter },
): BashOutput {
  const meaning = meaningOfExit(command, exitCode, stderr.totalBytes === 0);
  const cutBytes = stdout.cutBytes + stderr.cutBytes;
  return {
    stdout: stdout.text(),
    stderr: stderr.text(),
    interrupted: stopped === 'abort',
    exitCode,
    ...(stopped === 'timeout' && { timedOutAfterMs: timeoutMs }),
    ...(!stopped && meaning !== undefined && { returnCodeInterpretation: meaning }),
    ...(cutBytes > 0 && { cutBytes }),
    ...(leftBehind && { backgroundEnded: true }),
    ...(survivors.length > 0 && { survivors }),
    ...folder,
  };
}
