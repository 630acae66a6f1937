import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export const root = fileURLToPath(new URL('../../..', import.meta.url));
const launcher = join(root, 'node_modules', '.bin', 'toolgate');

export interface Ended {
  readonly code: number | null;
  /** What ended it from outside. */
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output, a JSON value a line. */
  readonly lines: readonly any[];
}

/** An empty folder that goes away with the test; its real path. */
export async function emptyFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'toolgate-e2e-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts the command in a folder that is its HOME as well, so that no settings of a person count. */
export function start(
  args: readonly string[],
  cwd: string,
  environment: Readonly<Record<string, string>> = {},
): ChildProcessWithoutNullStreams {
  const env = { ...process.env, HOME: cwd, NODE_OPTIONS: '', ...environment };
  return spawn(launcher, args, { cwd, env });
}

/** Runs the command to its end with that standard input. */
export async function toolgate(
  args: readonly string[],
  options: { readonly cwd: string; readonly input?: string },
): Promise<Ended> {
  const child = start(args, options.cwd);
  child.stdin.on('error', () => undefined).end(options.input ?? '');
  return ended(child);
}

/** What a started command said and how it ended. */
export async function ended(child: ChildProcessWithoutNullStreams): Promise<Ended> {
  const texts = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (texts.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (texts.stderr += text));
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>(
    (resolve, reject) =>
      child
        .on('error', reject)
        .on('close', (...end: [number | null, NodeJS.Signals | null]) => resolve(end)),
  );
  const lines = texts.stdout
    .split('\n')
    .filter(Boolean)
    .flatMap((line) => {
      try {
        return [JSON.parse(line)];
      } catch {
        return [];
      }
    });
  return { code, signal, ...texts, lines };
}

/** A `tool_use` block as a line of input. */
export const use = (name: string, input: unknown, id = 'toolu_1'): string =>
  `${JSON.stringify({ type: 'tool_use', id, name, input })}\n`;
