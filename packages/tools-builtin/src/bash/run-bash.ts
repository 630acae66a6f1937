import { realpath } from 'node:fs/promises';
import type { ToolResult, ToolUseContext } from '@toolgate/core';
import { fileError } from '../files/judged-path.ts';
import { findPlace, type FoundPlace } from '../sandbox/find-place.ts';
import { goOn } from '../tasks/go-on.ts';
import type { TaskRegistry } from '../tasks/task-registry.ts';
import type { BashOutput } from './bash-output.ts';
import type { CommandGuard } from './command-tree.ts';
import { commandEnvironment } from './environment.ts';
import { meaningOfExit } from './exit-meaning.ts';
import { findBash } from './find-bash.ts';
import { followFolder, type FollowedScript } from './follow-folder.ts';
import { OutputFile } from './output-file.ts';
import { programPath } from './program-path.ts';
import { progressReporter, type BashProgress } from './progress.ts';
import {
  startCommand,
  type CommandEnding,
  type RunningCommand,
  type StopReason,
} from './run-command.ts';

/** The limits that a call runs under. */
export interface BashLimits {
  readonly graceMs: number;
  readonly maxOutputBytes: number;
  readonly maxFileBytes: number;
  readonly maxTotalBytes: number;
  readonly env: Readonly<Record<string, string>> | undefined;
}

/** One call of Bash. */
export interface BashRun {
  readonly command: string;
  readonly description: string;
  /** Of the foreground; undefined: it runs in the background from the start. */
  readonly timeoutMs: number | undefined;
  /** Of the background. */
  readonly lifeMs: number;
  /** The call asked to run outside the sandbox, and a person said yes. */
  readonly disableSandbox: boolean;
  /** Takes on what runs in the background; undefined: nothing may. */
  readonly tasks: TaskRegistry | undefined;
  readonly limits: BashLimits;
  readonly guard: CommandGuard;
  readonly context: ToolUseContext;
  readonly onProgress: (data: BashProgress) => void;
}

/** Runs a command until it ends, or hands it over to the background. */
export async function runBash(run: BashRun): Promise<ToolResult<BashOutput>> {
  const { context, limits, timeoutMs } = run;
  const sandboxed = findPlace(context, { tool: 'Bash', disabled: run.disableSandbox });
  const followed = await followFolder(run.command);
  const file = new OutputFile({
    newFile: () => context.newResultFile(),
    maxBytes: limits.maxFileBytes,
    // Less is in memory, whole.
    fromBytes: timeoutMs === undefined ? 0 : limits.maxOutputBytes,
  });
  const progress = progressReporter(run.onProgress);
  let isForeground = true;
  let running: RunningCommand;
  try {
    const started = await sandboxed.wrap(
      [bashPath(), '-p', '-c', followed.script],
      followed.folder === undefined ? [] : [followed.folder],
    );
    running = await startCommand({
      ...limits,
      ...started,
      cwd: context.cwd,
      env: { ...environmentOf(run), ...started.env },
      guard: run.guard,
      onOutput(stream, chunk) {
        file.add(chunk);
        if (isForeground) progress.add(stream, chunk);
      },
    });
  } catch (error) {
    await followed.remove();
    throw error;
  }
  const ended = running.ended.then(async (ending) => {
    await file.close();
    return ending;
  });
  const ending =
    timeoutMs === undefined ? undefined : await foreground({ ...run, timeoutMs }, running, ended);
  progress.end();
  isForeground = false;
  const parts = { running, file, followed, told: sandboxed.told };
  return ending ? finished(run, { ...parts, ending }) : handedOver(run, { ...parts, ended });
}

/** Waits for the end; undefined when the time is up and the command may go on. */
async function foreground(
  { command, tasks, timeoutMs, context }: BashRun & { readonly timeoutMs: number },
  running: RunningCommand,
  ended: Promise<CommandEnding>,
): Promise<CommandEnding | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => running.stop('abort');
  context.signal.addEventListener('abort', onAbort, { once: true });
  if (context.signal.aborted) onAbort();
  const timeUp = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      if (tasks && !context.signal.aborted && mayGoOn(command)) return resolve(undefined);
      running.stop('timeout');
    }, timeoutMs);
  });
  try {
    return await Promise.race([ended, timeUp]);
  } finally {
    clearTimeout(timer);
    context.signal.removeEventListener('abort', onAbort);
  }
}

/** What only waits, and git, which holds locks, is stopped at its limit. */
const mayGoOn = (command: string): boolean => !/(^|[\s;&|(`/])(sleep|git)(?![\w-])/.test(command);

interface Parts {
  readonly running: RunningCommand;
  readonly file: OutputFile;
  readonly followed: FollowedScript;
  readonly told: FoundPlace['told'];
}

async function finished(
  { command, context, timeoutMs }: BashRun,
  { running, ending, file, followed, told }: Parts & { readonly ending: CommandEnding },
): Promise<ToolResult<BashOutput>> {
  const { stdout, stderr } = running;
  const { exitCode, stopped, survivors } = ending;
  const folder = await folderAfter(context, await followed.finalFolder());
  await followed.remove();
  const meaning = meaningOfExit(command, exitCode, stderr.totalBytes === 0);
  const cutBytes = stdout.cutBytes + stderr.cutBytes;
  const data: BashOutput = {
    stdout: stdout.text(),
    stderr: stderr.text(),
    interrupted: stopped === 'abort',
    exitCode,
    ...(stopped === 'timeout' && timeoutMs !== undefined && { timedOutAfterMs: timeoutMs }),
    ...(stopped === 'flood' && { flooded: true }),
    ...(!stopped && meaning !== undefined && { returnCodeInterpretation: meaning }),
    ...(cutBytes > 0 && { cutBytes }),
    ...(cutBytes > 0 && kept(file)),
    ...(ending.leftBehind && { backgroundEnded: true }),
    ...(survivors.length > 0 && { survivors }),
    ...folder,
    ...told,
  };
  const { cwd } = folder;
  return { data, ...(cwd !== undefined && { contextModifier: () => ({ cwd }) }) };
}

const kept = ({ path, totalBytes }: OutputFile) =>
  path === undefined ? {} : { persistedOutputPath: path, persistedOutputSize: totalBytes };

async function handedOver(
  { tasks, command, description, context, timeoutMs, lifeMs }: BashRun,
  { running, ended, file, followed, told }: Parts & { readonly ended: Promise<CommandEnding> },
): Promise<ToolResult<BashOutput>> {
  await file.open();
  const timer = setTimeout(() => running.stop('timeout'), lifeMs);
  const task = tasks?.add(
    {
      command,
      description,
      ...(file.path !== undefined && { outputFile: file.path }),
      control: {
        output: () => textOf(running),
        stop: () => running.stop('abort'),
        ended: ended.then(async ({ exitCode, stopped, survivors }) => {
          clearTimeout(timer);
          await followed.remove().catch(() => undefined);
          return {
            status: stopped ? 'stopped' : exitCode === 0 ? 'completed' : 'failed',
            exitCode,
            ...(stopped && stopped !== 'abort' && { reason: whyStopped[stopped] }),
            ...(survivors.length > 0 && { survivors }),
          };
        }),
      },
    },
    context,
  );
  if (!task) throw fileError('Nothing may run in the background here.', 'no background');
  const data: BashOutput = {
    stdout: running.stdout.text(),
    stderr: running.stderr.text(),
    interrupted: false,
    backgroundTaskId: task.id,
    ...(timeoutMs !== undefined && { timedOutAfterMs: timeoutMs }),
    ...kept(file),
    ...told,
  };
  return goOn({ data }, { context, work: ended }, () => running.stop('abort'));
}

const whyStopped: Readonly<Record<Exclude<StopReason, 'abort'>, string>> = {
  timeout: 'its time was up',
  flood: 'it printed more than any command may',
};

const textOf = ({ stdout, stderr }: RunningCommand): string =>
  [stdout.text(), stderr.text()].filter(Boolean).join('\n');

function bashPath(): string {
  const path = findBash();
  if (path === undefined) throw fileError('There is no bash on this machine.', 'no bash');
  return path;
}

function environmentOf({ command, context, limits }: BashRun): Record<string, string> {
  return commandEnvironment({
    from: process.env,
    readOnly: context.effects.readOnly,
    programPath: (path) => programPath(path, command, context),
    ...(limits.env && { extra: limits.env }),
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
