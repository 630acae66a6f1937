import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { open, rename, writeFile, type FileHandle } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { lineOf, noHead, readLine, type AuditEntry, type ChainHead } from './chain.ts';

/** Where a log is written, and how. */
export interface AuditWriterOptions {
  readonly file: string;
  readonly key: Buffer;
  /** Where the head is kept beside: a file in another folder. */
  readonly headFile: string;
  /** A file is put aside when it is this long, in bytes. */
  readonly maxBytes: number;
  /** Flushes each batch to the disk itself, so that lines survive a crash of the machine, too. */
  readonly sync: boolean;
}

/** Writes lines one behind the other. */
export interface AuditWriter {
  /** Resolves once the line is in the file; rejects when it cannot be written, and from then on always. */
  write(event: AuditEntry['event'], facts: Readonly<Record<string, unknown>>): Promise<void>;
  head(): ChainHead;
  close(): Promise<void>;
}

/** How much of the end of a file is read to find its last line, in bytes. */
const tailBytes = 1_048_576;

/**
 * Opens a log for writing, alone: a second writer is refused. A last line that a killed writer left unfinished
 * is ended, and the repair is a line of its own.
 *
 * @throws Error when another process writes it, or it does not end as its kept head says.
 */
export function openAuditWriter(options: AuditWriterOptions): AuditWriter {
  const file = resolve(options.file);
  const { key, headFile, maxBytes, sync } = options;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  mkdirSync(dirname(headFile), { recursive: true, mode: 0o700 });
  const unlock = lock(`${file}.lock`);
  let head = noHead;
  let bytes = 0;
  let handle: FileHandle | undefined;
  let failure: Error | undefined;
  const waiting: {
    readonly event: AuditEntry['event'];
    readonly facts: Readonly<Record<string, unknown>>;
    readonly resolve: () => void;
    readonly reject: (error: Error) => void;
  }[] = [];
  let writing: Promise<void> | undefined;

  const last = tailOf(file);
  head = last.head ?? readHead(headFile) ?? noHead;
  bytes = last.bytes;
  const start: readonly (readonly [AuditEntry['event'], Readonly<Record<string, unknown>>])[] = [
    ...(last.partial
      ? [
          [
            'repaired',
            {
              bytes: last.partial.length,
              sha256: createHash('sha256').update(last.partial).digest('hex'),
            },
          ] as const,
        ]
      : []),
    ['opened', { pid: process.pid }],
  ];

  const textFor = (event: AuditEntry['event'], facts: Readonly<Record<string, unknown>>) => {
    const entry = { seq: head.seq + 1, time: new Date().toISOString(), event, ...facts };
    const made = lineOf(key, head, entry);
    head = made.head;
    return `${made.line}\n`;
  };

  async function drain(): Promise<void> {
    await Promise.resolve(); // so that it is never over before it is remembered
    while (waiting.length > 0) {
      const batch = waiting.splice(0, 1_000);
      try {
        if (failure) throw failure;
        handle ??= await open(
          file,
          constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW,
          0o600,
        );
        let text = batch.map(({ event, facts }) => textFor(event, facts)).join('');
        const rotates = bytes > 0 && bytes + text.length > maxBytes;
        if (rotates) text += textFor('rotated', { to: `${file}.${head.seq}` });
        await append(handle, text);
        bytes += Buffer.byteLength(text);
        if (sync) await handle.datasync();
        await keepHead();
        if (rotates) await rotate();
        for (const { resolve: done } of batch) done();
      } catch (thrown) {
        failure = thrown instanceof Error ? thrown : new Error('the audit log cannot be written');
        for (const { reject } of batch) reject(failure);
      }
    }
    writing = undefined;
  }

  async function rotate(): Promise<void> {
    await handle?.close();
    handle = undefined;
    const aside = `${file}.${head.seq - 1}`;
    await rename(file, aside);
    bytes = 0;
    // First of all, whatever waits already: it leads to the file before.
    waiting.unshift({
      event: 'opened',
      facts: { pid: process.pid, previous: aside },
      resolve: () => undefined,
      reject: () => undefined, // the next write says it again
    });
  }

  async function keepHead(): Promise<void> {
    const temporary = `${headFile}.${randomBytes(4).toString('hex')}`;
    await writeFile(temporary, `${JSON.stringify({ file, ...head })}\n`, { mode: 0o600 });
    await rename(temporary, headFile);
  }

  const enqueue = (event: AuditEntry['event'], facts: Readonly<Record<string, unknown>>) =>
    new Promise<void>((done, reject) => {
      waiting.push({ event, facts, resolve: done, reject });
      writing ??= drain();
    });

  if (last.partial) endPartial(file);
  for (const [event, facts] of start) void enqueue(event, facts).catch(() => undefined); // the next write says it again
  let closing: Promise<void> | undefined;
  return {
    write: (event, facts) =>
      closing ? Promise.reject(new Error('the audit log is closed')) : enqueue(event, facts),
    head: () => head,
    close: () =>
      (closing ??= (async () => {
        await enqueue('closed', {}).catch(() => undefined);
        await writing;
        await handle?.close();
        unlock();
      })()),
  };
}

async function append(handle: FileHandle, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) at += (await handle.write(bytes, at)).bytesWritten;
}

/** Puts the line feed that a killed writer did not get to behind what it left. */
function endPartial(file: string): void {
  const handle = openSync(file, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW);
  try {
    writeFileSync(handle, '\n');
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** The last whole line of a file, and what stands unfinished behind it. */
function tailOf(file: string): {
  readonly bytes: number;
  readonly head?: ChainHead;
  readonly partial?: Buffer;
} {
  let handle: number;
  try {
    handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (thrown) {
    if (Object(thrown).code === 'ENOENT') return { bytes: 0 };
    throw thrown;
  }
  try {
    const { size } = fstatSync(handle);
    const length = Math.min(size, tailBytes);
    const tail = Buffer.alloc(length);
    readSync(handle, tail, 0, length, size - length);
    const end = tail.lastIndexOf(10) + 1;
    const partial = tail.subarray(end);
    const lines = tail.subarray(0, end).toString('utf8').split('\n').slice(0, -1);
    const found = lines
      .toReversed()
      .map((line) => readLine(line))
      .find((line) => line !== undefined);
    return {
      bytes: size,
      ...(found && { head: { seq: found.entry.seq, mac: found.mac } }),
      ...(partial.length > 0 && { partial }),
    };
  } finally {
    closeSync(handle);
  }
}

/** The kept head; undefined when there is none, or it is none. */
export function readHead(headFile: string): ChainHead | undefined {
  try {
    const { seq, mac } = JSON.parse(readFileSync(headFile, 'utf8')) as Partial<ChainHead>; // checked next
    return typeof seq === 'number' && typeof mac === 'string' ? { seq, mac } : undefined;
  } catch {
    return undefined;
  }
}

/** Takes the log for this process; a lock whose process is gone is taken over. */
function lock(path: string): () => void {
  for (let attempt = 0; attempt < 2; attempt += 1) {
    try {
      const handle = openSync(path, 'wx', 0o600);
      writeFileSync(handle, String(process.pid));
      closeSync(handle);
      return () => rmSync(path, { force: true });
    } catch (thrown) {
      if (Object(thrown).code !== 'EEXIST') throw thrown;
    }
    const holder = Number(readFileSync(path, 'utf8'));
    if (isAlive(holder)) throw new Error(`process ${holder} writes this audit log`);
    const aside = `${path}.${randomBytes(4).toString('hex')}`;
    renameSync(path, aside);
    rmSync(aside, { force: true });
  }
  throw new Error('another process writes this audit log');
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return Object(thrown).code === 'EPERM';
  }
}
