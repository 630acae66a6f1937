import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { ToolUseContext } from '@toolgate/core';
import type { CommandGuard } from '../bash/command-tree.ts';
import { commandEnvironment } from '../bash/environment.ts';
import { programPath } from '../bash/program-path.ts';
import { startCommand, type CommandEnding, type RunningCommand } from '../bash/run-command.ts';
import { findPlace, type FoundPlace } from '../sandbox/find-place.ts';
import { MarkedOutput } from './marked-output.ts';

/** What the child process is asked. */
export interface ReplRequest {
  readonly code: string;
  readonly cwd: string;
}

/** What it answers: the value as text, or what was thrown. Neither: undefined. */
export interface ReplAnswer {
  readonly value?: string;
  readonly error?: string;
}

/** Limits of a session. */
export interface ReplLimits {
  readonly graceMs: number;
  readonly maxOutputBytes: number;
  readonly maxTotalBytes: number;
}

/** How one call of a session ended. */
export interface ReplEnding {
  readonly stdout: string;
  readonly stderr: string;
  readonly cutBytes: number;
  readonly answer?: ReplAnswer;
  /** The session is over. */
  readonly ended?: CommandEnding;
}

/** Source files run as they are under Node; the published ones are JavaScript. */
const workerPath = fileURLToPath(
  new URL(
    import.meta.url.endsWith('.ts') ? './repl-worker.ts' : './repl-worker.js',
    import.meta.url,
  ),
);

/** How long what was written to standard error may take to arrive after the answer, in milliseconds. */
const drainMs = 250;

/** A child process that keeps its variables from call to call. */
export class ReplSession {
  readonly place: FoundPlace;
  readonly #running: RunningCommand;
  readonly #stdout: MarkedOutput;
  readonly #stderr: MarkedOutput;
  #ending: CommandEnding | undefined;

  private constructor(parts: {
    readonly place: FoundPlace;
    readonly running: RunningCommand;
    readonly stdout: MarkedOutput;
    readonly stderr: MarkedOutput;
  }) {
    this.place = parts.place;
    this.#running = parts.running;
    this.#stdout = parts.stdout;
    this.#stderr = parts.stderr;
    void parts.running.ended.then((ending) => (this.#ending = ending));
  }

  /** Starts the process in the folder and the sandbox that the call was judged for. */
  static async start(options: {
    readonly context: ToolUseContext;
    readonly disableSandbox: boolean;
    readonly limits: ReplLimits;
    readonly guard: CommandGuard;
  }): Promise<ReplSession> {
    const { context, disableSandbox, limits, guard } = options;
    const place = findPlace(context, { tool: 'REPL', disabled: disableSandbox });
    const marker = `\u001e${randomUUID()} `;
    const stdout = new MarkedOutput(marker, limits.maxOutputBytes);
    const stderr = new MarkedOutput(marker, limits.maxOutputBytes);
    const { program, env, ...rest } = await place.wrap(
      [process.execPath, '--no-warnings', workerPath, marker],
      [],
    );
    const running = await startCommand({
      ...limits,
      ...rest,
      program,
      cwd: context.cwd,
      env: {
        ...commandEnvironment({
          from: process.env,
          readOnly: false,
          programPath: (path) => programPath(path, '', context),
        }),
        ...env,
      },
      takesInput: true,
      guard,
      onOutput: (stream, chunk) => (stream === 'stdout' ? stdout : stderr).add(chunk),
    });
    return new ReplSession({ place, running, stdout, stderr });
  }

  get isOver(): boolean {
    return this.#ending !== undefined;
  }

  /** Runs code and waits for its end, or for that of the session. Calls must not overlap. */
  async run(request: ReplRequest): Promise<ReplEnding> {
    const line = this.#stdout.nextLine();
    const quiet = this.#stderr.nextLine();
    this.#running.stdin?.write(`${JSON.stringify(request)}\n`);
    const over = this.#running.ended;
    const said = await Promise.race([line, over]);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, drainMs);
    });
    await Promise.race([quiet, over, late]);
    clearTimeout(timer);
    const [out, err] = [this.#stdout.take(), this.#stderr.take()];
    return {
      stdout: out.text,
      stderr: err.text,
      cutBytes: out.cutBytes + err.cutBytes,
      ...(typeof said === 'string' ? { answer: answerIn(said) } : { ended: said }),
    };
  }

  /** Ends the process and everything it started. */
  stop(why: 'timeout' | 'abort'): void {
    this.#running.stop(why);
  }

  async end(): Promise<void> {
    this.stop('abort');
    await this.#running.ended;
  }
}

/** What runs there may write what it likes, so the line is read with care. */
function answerIn(line: string): ReplAnswer {
  try {
    const { value, error } = Object(JSON.parse(line)) as Readonly<Record<string, unknown>>; // tested below
    return {
      ...(typeof value === 'string' && { value }),
      ...(typeof error === 'string' && { error }),
    };
  } catch {
    return { error: 'The session gave no readable answer.' };
  }
}
