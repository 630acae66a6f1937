import type { Readable } from 'node:stream';

const maxBytes = 1024 * 1024;

/** Keeps the first MiB of a stream and lets the rest pass. */
export function gatherOutput(stream: Readable, onFirstLine?: (line: string) => void) {
  let chunks: Buffer[] = [];
  let room = maxBytes;
  let isCut = false;
  let isFirstLineDue = onFirstLine !== undefined;
  stream.on('data', (chunk: Buffer) => {
    if (chunk.length > room) isCut = true;
    if (room <= 0) return;
    // A copy: a part of a chunk would hold the whole of it.
    chunks.push(chunk.length > room ? Buffer.from(chunk.subarray(0, room)) : chunk);
    room -= Math.min(room, chunk.length);
    if (isFirstLineDue && chunk.includes(10)) {
      isFirstLineDue = false;
      onFirstLine?.(Buffer.concat(chunks).toString('utf8').split('\n', 1)[0] ?? '');
    }
  });
  const closed = new Promise<void>((resolve) => {
    stream.once('end', resolve);
    stream.once('close', resolve);
    stream.on('error', () => resolve());
  });
  return {
    closed,
    text: () => Buffer.concat(chunks).toString('utf8'),
    isCut: () => isCut,
    /** Keeps nothing from now on, and no process alive. */
    release() {
      chunks = [];
      room = 0;
      if ('unref' in stream && typeof stream.unref === 'function') stream.unref();
    },
  };
}
