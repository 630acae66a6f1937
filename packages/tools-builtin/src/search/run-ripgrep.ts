import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileError } from '../files/judged-path.ts';

export interface RipgrepRun {
  /** The program. */
  readonly path: string;
  readonly args: readonly string[];
  /** An open folder to search, or the open file that is read from standard input. */
  readonly folder?: { readonly fd: number; readonly realPath: string };
  readonly stdin?: number;
  /** The byte that ends a record. */
  readonly separator: number;
  readonly signal: AbortSignal;
}

/** Longer records are dropped: paths and cut lines are far shorter. */
const maxRecordBytes = 65_536;
/** Most bytes kept of what ripgrep complains about. */
const maxComplaintBytes = 4_096;

/** Ripgrep cannot read the pattern, or lacks a flag; the message is its own. */
export class PatternRefused extends Error {}

/**
 * Runs ripgrep and yields its records as they come. Ends it when the caller stops early or aborts; it has
 * no configuration and no environment, and searches the folder that is open, wherever that is moved.
 *
 * @throws PatternRefused before the first record.
 */
export async function* runRipgrep(run: RipgrepRun): AsyncGenerator<Buffer> {
  const { signal, folder } = run;
  signal.throwIfAborted();
  const isLinux = process.platform === 'linux';
  const child = spawn(run.path, ['--no-config', '--color=never', '--no-messages', ...run.args], {
    env: {},
    stdio: [run.stdin ?? 'ignore', 'pipe', 'pipe'],
    ...(folder && {
      cwd: isLinux ? `/proc/${process.pid}/fd/${folder.fd}` : folder.realPath,
    }),
  });
  const { stdout, stderr } = child;
  if (!stdout || !stderr) throw fileError('ripgrep has no output.', 'no ripgrep'); // Both are piped.
  const kill = () => void child.kill('SIGKILL');
  const closed = once(child, 'close');
  closed.catch(() => undefined); // A failed start is told below.
  let complaint = '';
  stderr.on('data', (chunk: Buffer) => {
    if (complaint.length < maxComplaintBytes) complaint += chunk.toString('utf8');
  });
  signal.addEventListener('abort', kill, { once: true });
  process.on('exit', kill);
  try {
    yield* records(stdout, run.separator);
    const [code, killedBy]: unknown[] = await closed.catch((error: Error) => {
      throw fileError(`ripgrep could not be started: ${error.message}.`, 'no ripgrep');
    });
    signal.throwIfAborted();
    // What it could not read of the disk it does not speak of; this is about the pattern, or a flag it lacks.
    if (code === 2 && complaint !== '') throw new PatternRefused(complaint.trim().slice(0, 1_000));
    if (typeof killedBy === 'string')
      throw fileError(
        `ripgrep was ended by ${killedBy}. Search less at a time.`,
        'ripgrep was ended',
      );
  } finally {
    signal.removeEventListener('abort', kill);
    process.removeListener('exit', kill);
    kill();
  }
}

async function* records(stream: AsyncIterable<Buffer>, separator: number): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of stream) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let from = 0;
    for (let end = bytes.indexOf(separator); end !== -1; end = bytes.indexOf(separator, from)) {
      yield bytes.subarray(from, end);
      from = end + 1;
    }
    rest = bytes.subarray(from);
    if (rest.length > maxRecordBytes) rest = Buffer.alloc(0);
  }
  if (rest.length > 0) yield rest;
}
