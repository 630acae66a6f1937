import { randomUUID } from 'node:crypto';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { fileError, systemCode } from '../files/judged-path.ts';
import { BoundedOutput } from './bounded-output.ts';
import { CommandTree, type CommandGuard } from './command-tree.ts';

export interface CommandOptions {
  /** The program and its arguments: bash, or what leads to it. */
  readonly program: readonly [string, ...(readonly string[])];
  /** It reads from `stdin`; else it has no standard input. */
  readonly takesInput?: boolean;
  /** Bytes it reads from descriptor 3. */
  readonly descriptor3?: Uint8Array;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly graceMs: number;
  readonly maxOutputBytes: number;
  /** A command that prints more is stopped. */
  readonly maxTotalBytes: number;
  /** Ends the command if this process ends first. */
  readonly guard: CommandGuard;
  readonly onOutput: (stream: 'stdout' | 'stderr', chunk: Buffer) => void;
}

/** Why a command was stopped before its end. */
export type StopReason = 'timeout' | 'abort' | 'flood';

export interface CommandEnding {
  /** As the shell counts: 128 + signal for a command ended by a signal. */
  readonly exitCode: number;
  readonly stopped: StopReason | undefined;
  /** Processes the command had left behind were ended. */
  readonly leftBehind: boolean;
  /** Processes that could not be ended. */
  readonly survivors: readonly number[];
}

/** A command that was started. */
export interface RunningCommand {
  /** Where it is written to, if it takes input. */
  readonly stdin: Writable | undefined;
  /** What is kept of the streams so far. */
  readonly stdout: BoundedOutput;
  readonly stderr: BoundedOutput;
  /** Never rejects. It and its group are gone then, and its pipes let go. */
  readonly ended: Promise<CommandEnding>;
  /** Ends the whole group and, on Linux, what left it. The first reason counts. */
  stop(why: StopReason): void;
}

/** Carries a mark of the call, by which processes that leave the group are found. */
const markName = 'TOOLGATE_CALL';

/** How long output that was already written may take to arrive after the end, in milliseconds. */
const drainMs = 250;

/**
 * Starts a program in a process group of its own. When it ends, what it left of the group, or holds one of
 * its pipes, is ended as well.
 *
 * @throws TelemetrySafeError when it cannot be started.
 */
export async function startCommand(options: CommandOptions): Promise<RunningCommand> {
  const mark = randomUUID();
  const child = await start({ ...options, env: { ...options.env, [markName]: mark } });
  const tree = new CommandTree(child.pid, `${markName}=${mark}`);
  options.guard.add(tree);
  let stopped: StopReason | undefined;
  let ending: Promise<void> | undefined;
  const stop = (why: StopReason) => {
    stopped ??= why;
    ending ??= tree.end(options.graceMs);
  };
  let totalBytes = 0;
  const count = (bytes: number) => {
    totalBytes += bytes;
    if (totalBytes > options.maxTotalBytes) stop('flood');
  };
  const stdout = collect(child.stdout, options, { name: 'stdout', count });
  const stderr = collect(child.stderr, options, { name: 'stderr', count });
  const exit = new Promise<number>((resolve) => {
    child.events.once('exit', (code, name) => resolve(code ?? 128 + numberOf(name)));
  });
  const closed = new Promise<void>((resolve) => child.events.once('close', () => resolve()));
  const watch = async (): Promise<CommandEnding> => {
    try {
      const exitCode = await exit;
      const leftBehind = !stopped && tree.isGroupAlive();
      await (ending ?? (leftBehind ? tree.end(options.graceMs) : undefined));
      // A pipe that stays open is held by a process that left the group.
      const isClosed = await within(closed, drainMs);
      const survivors = stopped || !isClosed ? await tree.killStrays() : [];
      return { exitCode, stopped, leftBehind: leftBehind || !isClosed, survivors };
    } finally {
      options.guard.remove(tree);
      child.stdout.destroy();
      child.stderr.destroy();
    }
  };
  return { stdin: child.stdin, stdout, stderr, ended: watch(), stop };
}

async function start({
  program: [file, ...args],
  cwd,
  env,
  descriptor3,
  takesInput,
}: CommandOptions) {
  const { execa } = await import('execa');
  const child = execa(file, args, {
    cwd,
    env,
    extendEnv: false,
    stdio: [takesInput ? 'pipe' : 'ignore', 'pipe', 'pipe', ...(descriptor3 ? [descriptor3] : [])],
    buffer: false,
    detached: true,
    cleanup: false,
    reject: false,
  });
  const { pid, stdout, stderr, nodeChildProcess } = child;
  if (pid !== undefined && stdout && stderr) {
    // Its end is read from events: the promise would also wait for pipes that others hold.
    void child.catch(() => undefined);
    child.stdin?.on('error', () => undefined); // Nobody reads any more.
    return { pid, stdin: child.stdin ?? undefined, stdout, stderr, events: nodeChildProcess };
  }
  const error: unknown = (await child).cause;
  if (systemCode(error) === 'ENOENT')
    throw fileError(`The working directory ${cwd} does not exist.`, 'no working directory');
  throw fileError(
    `bash could not be started${error instanceof Error ? `: ${error.message}` : ''}.`,
    'bash could not be started',
  );
}

function collect(
  stream: Readable,
  { maxOutputBytes, onOutput }: CommandOptions,
  { name, count }: { readonly name: 'stdout' | 'stderr'; readonly count: (bytes: number) => void },
): BoundedOutput {
  const output = new BoundedOutput(maxOutputBytes);
  stream.on('data', (chunk: Buffer) => {
    output.add(chunk);
    onOutput(name, chunk);
    count(chunk.length);
  });
  stream.on('error', () => undefined); // Ends with the process.
  return output;
}

/** True when `work` ended in time. */
function within(work: Promise<void>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms, false);
    void work.then(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}

const numberOf = (name: NodeJS.Signals | null): number =>
  name === null ? 0 : (constants.signals[name] ?? 0);
