import type { FileHandle } from 'node:fs/promises';
import { binaryKind, encodingOf } from './file-kind.ts';

export interface WindowOptions {
  /** First line, from 1. */
  readonly offset: number;
  /** Most lines. */
  readonly limit: number;
  readonly signal?: AbortSignal;
  /** Counts the lines after the window, too. Default true. */
  readonly countAll?: boolean;
  /** Most UTF-16 code units of the window. Default {@link maxWindowChars}. */
  readonly maxChars?: number;
}

export interface LineWindow {
  readonly lines: readonly string[];
  readonly startLine: number;
  /** Lines in the file; with `countAll: false`, at least the lines seen. */
  readonly totalLines: number;
  /** The window is the whole file, no line cut. */
  readonly complete: boolean;
  readonly endsWithNewline: boolean;
  /** How many lines were longer than `maxLineChars`. */
  readonly cutLines: number;
  /** The size limit ended the window before `limit` did. */
  readonly full: boolean;
  /** What the file seems to be when it is not text; the rest is then empty. */
  readonly binary?: string;
}

/** Most UTF-16 code units of a line, and of a window. */
export const maxLineChars = 2_000;
export const maxWindowChars = 100_000;

const chunkBytes = 262_144;
/** A line keeps its first bytes only: enough for `maxLineChars` characters of any length. */
const maxLineBytes = maxLineChars * 4;

/**
 * Reads lines of UTF-8 text, or UTF-16 with a byte-order mark, without holding more than the window: a BOM
 * and `\r` before a line's end are left out, what cannot be read appears as U+FFFD, long lines are cut and
 * say so.
 */
export async function readWindow(handle: FileHandle, options: WindowOptions): Promise<LineWindow> {
  const collector = new LineCollector(options);
  const buffer = Buffer.allocUnsafe(chunkBytes);
  let sawEnd = false;
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  for (let position = 0; ;) {
    options.signal?.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, chunkBytes, position);
    if (bytesRead === 0) {
      sawEnd = true;
      if (decoder) collector.add(Buffer.from(decoder.decode()));
      break;
    }
    let chunk = buffer.subarray(0, bytesRead);
    if (position === 0) {
      const binary = binaryKind(chunk);
      if (binary) return { ...collector.end(false), binary };
      if (chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf) chunk = chunk.subarray(3);
      const encoding = encodingOf(chunk);
      if (encoding !== 'utf-8') decoder = new TextDecoder(encoding);
    }
    position += bytesRead;
    collector.add(decoder ? Buffer.from(decoder.decode(chunk, { stream: true })) : chunk);
    if (options.countAll === false && collector.isFull) break;
  }
  return collector.end(sawEnd);
}

class LineCollector {
  readonly #options: WindowOptions;
  readonly #lines: string[] = [];
  #parts: Buffer[] = [];
  #partBytes = 0;
  #lineBytes = 0;
  #lastByte = -1;
  #total = 0;
  #chars = 0;
  #cutLines = 0;
  #full = false;

  constructor(options: WindowOptions) {
    this.#options = options;
  }

  get isFull(): boolean {
    return this.#full || this.#total >= this.#options.offset - 1 + this.#options.limit;
  }

  add(chunk: Buffer): void {
    for (let from = 0; from < chunk.length;) {
      const end = chunk.indexOf(10, from);
      const piece = chunk.subarray(from, end === -1 ? chunk.length : end);
      this.#keep(piece);
      if (end === -1) return;
      this.#endLine();
      this.#lastByte = 10;
      from = end + 1;
    }
  }

  end(sawEnd: boolean): LineWindow {
    const endsWithNewline = this.#lastByte === 10 && this.#lineBytes === 0;
    if (this.#lineBytes > 0) this.#endLine();
    const { offset } = this.#options;
    return {
      lines: this.#lines,
      startLine: offset,
      totalLines: this.#total,
      complete:
        sawEnd && offset === 1 && this.#lines.length === this.#total && this.#cutLines === 0,
      endsWithNewline,
      cutLines: this.#cutLines,
      full: this.#full,
    };
  }

  #wanted(): boolean {
    return this.#total >= this.#options.offset - 1 && !this.isFull;
  }

  #keep(piece: Buffer): void {
    this.#lineBytes += piece.length;
    const room = maxLineBytes - this.#partBytes;
    if (room <= 0 || piece.length === 0 || !this.#wanted()) return;
    // Copied: the chunk's memory is used again for the next one.
    this.#parts.push(Buffer.from(piece.subarray(0, room)));
    this.#partBytes += Math.min(room, piece.length);
  }

  #endLine(): void {
    if (this.#wanted()) this.#takeLine();
    this.#total += 1;
    this.#parts = [];
    this.#partBytes = 0;
    this.#lineBytes = 0;
  }

  #takeLine(): void {
    let line = Buffer.concat(this.#parts).toString('utf8');
    const whole = this.#lineBytes === this.#partBytes;
    if (whole && line.endsWith('\r')) line = line.slice(0, -1);
    const cut = !whole || line.length > maxLineChars;
    if (cut) line = `${line.slice(0, maxLineChars)}… [cut: the line has ${this.#lineBytes} bytes]`;
    if (this.#chars + line.length > (this.#options.maxChars ?? maxWindowChars)) {
      this.#full = true;
      return;
    }
    this.#chars += line.length + 1;
    if (cut) this.#cutLines += 1;
    this.#lines.push(line);
  }
}
