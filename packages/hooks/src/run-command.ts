import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { gatherOutput } from './gather-output.ts';
import { killMarked, withMark } from './kill-marked.ts';

export interface CommandRequest {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  /** From the start to the last byte of output. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Hears that the command's first line was `{"async": true}`: nobody waits for it any more, and `rest` is its end. */
  readonly onDetach: (rest: Promise<CommandEnd>) => void;
}

/** How a command ended. Of each stream at most 1 MiB is kept; `cut` says that stdout had more. */
export type CommandEnd =
  | {
      readonly state: 'ended';
      /** 128 and the signal's number for a command ended by a signal. */
      readonly exitCode: number;
      readonly stdout: string;
      readonly stderr: string;
      readonly cut: boolean;
    }
  | { readonly state: 'timed-out' }
  | { readonly state: 'aborted' }
  | { readonly state: 'not-started'; readonly message: string };

/** How long after a command's exit its output is awaited when a child of it holds it open. */
const graceMs = 1000;
/** How long a killed command may take to be gone. */
const reapMs = 500;

export interface CommandRunner {
  /** Never rejects. */
  run(request: CommandRequest): Promise<CommandEnd>;
  /** Kills every command that still runs, and what commands have left behind. */
  stop(): void;
}

/** Starts commands, each as the leader of a process group of its own, so that its children end with it. */
export function createCommandRunner(): CommandRunner {
  const groups = new Set<number>();
  const mark = randomUUID();
  let started = 0;
  let isStopped = false;
  const stop = () => {
    isStopped = true;
    for (const group of groups) killGroup(group);
    if (started > 0) killMarked(mark);
  };
  return {
    stop,
    async run(request) {
      // Loaded with the first hook: a process without hooks starts 0.1 s sooner.
      const { execa } = await import('execa');
      if (isStopped || request.signal.aborted) return { state: 'aborted' };
      // One listener for each hook of a call; eleven are no leak.
      setMaxListeners(0, request.signal);
      let child: Child;
      let marked: Marked;
      try {
        started += 1;
        marked = { ...request, mark: `${mark}.${started}.` };
        child = start(execa, marked);
      } catch {
        return { state: 'not-started', message: 'its command line is not valid' };
      }
      const { pid } = child;
      if (pid === undefined) return { state: 'not-started', message: await whyNot(child) };
      if (groups.size === 0) process.on('exit', stop);
      groups.add(pid);
      return follow(child, pid, marked, () => {
        groups.delete(pid);
        if (groups.size === 0) process.off('exit', stop);
      });
    },
  };
}

/** The shell that reads a handler's line. */
export const shellFile = (): string =>
  ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'].find((path) => existsSync(path)) ??
  '/bin/sh';

/** A request and what its processes are known by. */
type Marked = CommandRequest & { readonly mark: string };

const start = (execa: Execa, request: Marked) =>
  execa(request.file, request.args, {
    cwd: request.cwd,
    env: withMark(request.env, request.mark),
    extendEnv: false,
    detached: true,
    cleanup: false,
    buffer: false,
    reject: false,
    stdin: 'pipe',
  });
type Execa = typeof import('execa').execa;
type Child = ReturnType<typeof start>;

async function whyNot(child: Child): Promise<string> {
  const result = await child;
  return result.code ?? 'it could not be started';
}

/**
 * Waits for a command. Its answer is there when it has exited and its output is closed, or a second after
 * its exit when a child of it still holds the output. Such a child lives on until the command's limit.
 */
function follow(
  child: Child,
  pid: number,
  request: Marked,
  onGone: () => void,
): Promise<CommandEnd> {
  return new Promise((resolve) => {
    let settle = resolve;
    let isDetached = false;
    const detach = (line: string) => {
      const asked = killedFor ? undefined : asyncLine(line);
      if (!asked) return;
      isDetached = true;
      if (asked.limitMs !== undefined) {
        clearTimeout(limitTimer);
        limitTimer = setTimeout(() => kill({ state: 'timed-out' }), asked.limitMs);
      }
      request.signal.removeEventListener('abort', onAbort);
      request.onDetach(new Promise((done) => (settle = done)));
      resolve({ state: 'ended', exitCode: 0, stdout: '', stderr: '', cut: false });
    };
    const stdout = gatherOutput(child.stdout, detach);
    const stderr = gatherOutput(child.stderr);
    let exitCode: number | undefined;
    let killedFor: CommandEnd | undefined;
    let waitTimer: NodeJS.Timeout | undefined;
    const output = (code: number): CommandEnd => ({
      state: 'ended',
      exitCode: code,
      stdout: isDetached ? stdout.text().replace(/^[^\n]*\n/, '') : stdout.text(),
      stderr: stderr.text(),
      cut: stdout.isCut(),
    });
    const end = (ended: CommandEnd) => {
      clearTimeout(limitTimer);
      clearTimeout(waitTimer);
      request.signal.removeEventListener('abort', onAbort);
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
      onGone();
      settle(ended);
    };
    const answerEarly = (code: number) => {
      settle(output(code));
      // What is left keeps no process alive; when this one exits it is killed.
      limitTimer.unref();
      stdout.release();
      stderr.release();
    };
    const kill = (why: CommandEnd) => {
      if (killedFor) return;
      killedFor = why;
      killGroup(pid);
      killMarked(request.mark);
      clearTimeout(waitTimer);
      if (exitCode === undefined) waitTimer = setTimeout(() => end(why), reapMs);
      else end(why);
    };
    const onAbort = () => kill({ state: 'aborted' });
    let limitTimer = setTimeout(() => kill({ state: 'timed-out' }), request.timeoutMs);

    request.signal.addEventListener('abort', onAbort, { once: true });
    child.nodeChildProcess.once('exit', (code, signal) => {
      const ended = code ?? 128 + (signal ? constants.signals[signal] : 0);
      exitCode = ended;
      if (killedFor) return end(killedFor);
      waitTimer = setTimeout(() => answerEarly(ended), graceMs);
      void Promise.all([stdout.closed, stderr.closed]).then(() => end(output(ended)));
    });
    // A hook that does not read its input closes the pipe; that is its right.
    child.stdin.on('error', () => undefined);
    child.stdin.end(request.stdin);
  });
}

/** The protocol's way for a command to go on in the background, `asyncTimeout` milliseconds where it says so. */
function asyncLine(line: string): { readonly limitMs?: number } | undefined {
  try {
    const read: unknown = JSON.parse(line);
    if (typeof read !== 'object' || read === null || !('async' in read) || read.async !== true)
      return undefined;
    const ms = 'asyncTimeout' in read ? read.asyncTimeout : undefined;
    return typeof ms === 'number' && ms > 0 ? { limitMs: Math.min(ms, 2_147_483_647) } : {};
  } catch {
    return undefined;
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is gone already.
  }
}
