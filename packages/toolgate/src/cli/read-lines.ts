import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { UsageError } from './usage-error.ts';

/** One line of input, counted from 1, or the item of a JSON document at that position. */
export interface InputLine {
  readonly number: number;
  readonly text: string;
}

/**
 * The lines of a file, or of standard input for `-` or nothing. A line ends at a line feed and nowhere
 * else, since JSON text may hold other separators. A `.json` file is one document: its items are the lines.
 *
 * @throws UsageError when the file is missing or unreadable, in one line.
 */
export async function* readLines(
  file: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<InputLine> {
  if (file?.endsWith('.json')) yield* itemsOf(file);
  else yield* split(await open(file), file ?? 'standard input', signal);
}

async function open(file: string | undefined): Promise<Readable> {
  if (file === undefined || file === '-') return process.stdin;
  const stats = await stat(file).catch((error: unknown) => {
    throw new UsageError(`cannot read ${file}: ${reason(error)}`);
  });
  if (stats.isDirectory()) throw new UsageError(`cannot read ${file}: it is a folder`);
  return createReadStream(file);
}

async function* split(
  stream: Readable,
  name: string,
  signal: AbortSignal,
): AsyncGenerator<InputLine> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let number = 0;
  const iterator = stream[Symbol.asyncIterator]();
  try {
    for (;;) {
      const chunk = await nextChunk(iterator, signal);
      if (chunk === undefined) break;
      const [first = '', ...more] = decoder.write(Buffer.from(chunk)).split('\n');
      rest += first;
      for (const next of more) {
        yield { number: (number += 1), text: clean(rest, number) };
        rest = next;
      }
    }
  } catch (error) {
    if (!signal.aborted) throw new UsageError(`cannot read ${name}: ${reason(error)}`);
  } finally {
    // An open standard input would keep the process alive after an abort.
    if (signal.aborted) stream.destroy();
  }
  rest += decoder.end();
  if (rest !== '' && !signal.aborted) yield { number: number + 1, text: clean(rest, number + 1) };
}

/** The next chunk, or nothing at the end or when the signal aborts. */
async function nextChunk(
  iterator: AsyncIterator<string | Buffer>,
  signal: AbortSignal,
): Promise<string | Buffer | undefined> {
  if (signal.aborted) return undefined;
  let stop = () => {};
  const aborted = new Promise<undefined>((resolve) => (stop = () => resolve(undefined)));
  signal.addEventListener('abort', stop, { once: true });
  const next = await Promise.race([iterator.next(), aborted]);
  signal.removeEventListener('abort', stop);
  return next?.done ? undefined : next?.value;
}

const clean = (text: string, number: number): string =>
  (number === 1 ? text.replace(/^\ufeff/, '') : text).replace(/\r$/, '');

/** The items of a document; a file that is no document may still hold JSON Lines. */
async function* itemsOf(file: string): AsyncGenerator<InputLine> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(`cannot read ${file}: ${reason(error)}`);
  });
  const list = listIn(text);
  const lines = list ? list.map((item) => JSON.stringify(item)) : text.split('\n');
  for (const [index, line] of lines.entries())
    yield { number: index + 1, text: clean(line, index + 1) };
}

/** The list that a document is, or holds under `vectors`. */
function listIn(text: string): readonly unknown[] | undefined {
  try {
    const document: unknown = JSON.parse(text);
    if (Array.isArray(document)) return document;
    const held = typeof document === 'object' && document !== null && 'vectors' in document;
    return held && Array.isArray(document.vectors) ? document.vectors : undefined;
  } catch {
    return undefined;
  }
}

/** The short reason of a failed read. */
function reason(error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
    return 'there is no such file';
  if (error instanceof Error && 'code' in error && error.code === 'EACCES')
    return 'permission denied';
  return error instanceof Error ? error.message : String(error);
}
