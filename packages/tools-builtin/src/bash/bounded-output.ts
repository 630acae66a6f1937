import { StringDecoder } from 'node:string_decoder';

/**
 * Keeps the start and the end of a stream in fixed memory, whatever its length.
 * Cut places fall between whole characters.
 */
export class BoundedOutput {
  readonly #headMax: number;
  readonly #tailMax: number;
  #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer | undefined;
  #total = 0;

  /** @param maxBytes  Kept of the stream; half from its start, half from its end. */
  constructor(maxBytes: number) {
    this.#headMax = Math.ceil(maxBytes / 2);
    this.#tailMax = Math.max(1, maxBytes - this.#headMax);
  }

  get totalBytes(): number {
    return this.#total;
  }

  /** Bytes that were dropped between start and end. */
  get cutBytes(): number {
    return Math.max(0, this.#total - this.#headMax - this.#tailMax);
  }

  add(chunk: Buffer): void {
    const room = this.#headMax - this.#headBytes;
    if (room > 0) {
      const start = chunk.subarray(0, room);
      this.#head.push(Buffer.from(start)); // Copied: the stream's slab may be far larger.
      this.#headBytes += start.length;
      this.#total += start.length;
    }
    const rest = chunk.subarray(Math.max(room, 0));
    if (rest.length > 0) this.#addToTail(rest);
  }

  text(): string {
    const head = Buffer.concat(this.#head);
    const tail = this.#tailInOrder();
    if (this.cutBytes === 0) return Buffer.concat([head, tail]).toString('utf8');
    const note = `\n… [${this.cutBytes} bytes left out] …\n`;
    // The decoder keeps back a character that the cut broke.
    return new StringDecoder('utf8').write(head) + note + fromWholeCharacter(tail).toString('utf8');
  }

  /** A ring: the oldest bytes are overwritten. */
  #addToTail(bytes: Buffer): void {
    this.#tail ??= Buffer.allocUnsafe(this.#tailMax);
    let at = (this.#total - this.#headMax) % this.#tailMax;
    this.#total += bytes.length;
    const last = bytes.subarray(Math.max(0, bytes.length - this.#tailMax));
    at = (at + bytes.length - last.length) % this.#tailMax;
    const first = last.copy(this.#tail, at);
    if (first < last.length) last.copy(this.#tail, 0, first);
  }

  #tailInOrder(): Buffer {
    const written = this.#total - this.#headBytes;
    if (!this.#tail || written <= 0) return Buffer.alloc(0);
    if (written <= this.#tailMax) return this.#tail.subarray(0, written);
    const at = written % this.#tailMax;
    return Buffer.concat([this.#tail.subarray(at), this.#tail.subarray(0, at)]);
  }
}

function fromWholeCharacter(bytes: Buffer): Buffer {
  let at = 0;
  while (at < 4 && at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at += 1;
  return bytes.subarray(at);
}
