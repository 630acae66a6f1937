import { randomUUID } from 'node:crypto';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { fileError, systemCode } from '../files/judged-path.ts';
import { BoundedOutput } from './bounded-output.ts';
import { CommandTree, type CommandGuard } from './command-tree.ts';

export interface CommandOptions {
  readonly bashPath: string;
  readonly script: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly graceMs: number;
  readonly maxOutputBytes: number;
  readonly signal: AbortSignal;
  /** Ends the command if this process ends first. */
  readonly guard: CommandGuard;
  readonly onOutput: (stream: 'stdout' | 'stderr', chunk: Buffer) => void;
}

export interface CommandEnding {
  readonly stdout: BoundedOutput;
  readonly stderr: BoundedOutput;
  /** As the shell counts: 128 + signal for a command ended by a signal. */
  readonly exitCode: number;
  readonly stopped: 'timeout' | 'abort' | undefined;
  /** Processes the command had left behind were ended. */
  readonly leftBehind: boolean;
  /** Processes that could not be ended. */
  readonly survivors: readonly number[];
}

/** Carries a mark of the call, by which processes that leave the group are found. */
const markName = 'TOOLGATE_CALL';

/** How long output that was already written may take to arrive after the end, in milliseconds. */
const drainMs = 250;

/**
 * Runs a script in a process group of its own and waits until it and its group are gone. The time limit
 * and the signal end the whole group and, on Linux, what left it; so does the end of the script, as far as
 * the group goes or a pipe is still held. Pipes are let go in any case.
 */
export async function runCommand(options: CommandOptions): Promise<CommandEnding> {
  const { signal, graceMs } = options;
  const mark = randomUUID();
  const child = await start({ ...options, env: { ...options.env, [markName]: mark } });
  const tree = new CommandTree(child.pid, `${markName}=${mark}`);
  const stdout = collect(child.stdout, options, 'stdout');
  const stderr = collect(child.stderr, options, 'stderr');
  const exit = new Promise<number>((resolve) => {
    child.events.once('exit', (code, name) => resolve(code ?? 128 + numberOf(name)));
  });
  const closed = new Promise<void>((resolve) => child.events.once('close', () => resolve()));
  let stopped: 'timeout' | 'abort' | undefined;
  let ending: Promise<void> | undefined;
  const stop = (why: 'timeout' | 'abort') => {
    stopped ??= why;
    ending ??= tree.end(graceMs);
  };
  const onAbort = () => stop('abort');
  const timer = setTimeout(() => stop('timeout'), options.timeoutMs);
  signal.addEventListener('abort', onAbort, { once: true });
  options.guard.add(tree);
  if (signal.aborted) onAbort();
  try {
    const exitCode = await exit;
    clearTimeout(timer);
    const leftBehind = !stopped && tree.isGroupAlive();
    await (ending ?? (leftBehind ? tree.end(graceMs) : undefined));
    // A pipe that stays open is held by a process that left the group.
    const isClosed = await within(closed, drainMs);
    const survivors = stopped || !isClosed ? await tree.killStrays() : [];
    return {
      stdout,
      stderr,
      exitCode,
      stopped,
      leftBehind: leftBehind || !isClosed,
      survivors,
    };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    options.guard.remove(tree);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

async function start({ bashPath, script, cwd, env }: CommandOptions) {
  const { execa } = await import('execa');
  const child = execa(bashPath, ['-p', '-c', script], {
    cwd,
    env,
    extendEnv: false,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    buffer: false,
    detached: true,
    cleanup: false,
    reject: false,
  });
  const { pid, stdout, stderr, nodeChildProcess } = child;
  if (pid !== undefined && stdout && stderr) {
    // Its end is read from events: the promise would also wait for pipes that others hold.
    void child.catch(() => undefined);
    return { pid, stdout, stderr, events: nodeChildProcess };
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
  name: 'stdout' | 'stderr',
): BoundedOutput {
  const output = new BoundedOutput(maxOutputBytes);
  stream.on('data', (chunk: Buffer) => {
    output.add(chunk);
    onOutput(name, chunk);
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
