import { BoundedOutput } from '../bash/bounded-output.ts';

/** Longer lines after a marker are given up. */
const maxLineBytes = 1_048_576;

/** One stream of a session, parted by marked lines: what stands between two of them belongs to one call. */
export class MarkedOutput {
  readonly #marker: Buffer;
  readonly #maxBytes: number;
  #output: BoundedOutput;
  #rest: Buffer = Buffer.alloc(0);
  #isInLine = false;
  #hear: ((line: string) => void) | undefined;

  constructor(marker: string, maxBytes: number) {
    this.#marker = Buffer.from(marker);
    this.#maxBytes = maxBytes;
    this.#output = new BoundedOutput(maxBytes);
  }

  /** The rest of the next marked line. */
  nextLine(): Promise<string> {
    return new Promise((resolve) => {
      this.#hear = resolve;
    });
  }

  /** What came since this was asked last. */
  take(): { readonly text: string; readonly cutBytes: number } {
    if (!this.#isInLine) {
      this.#output.add(this.#rest);
      this.#rest = Buffer.alloc(0);
    }
    const { cutBytes } = this.#output;
    const text = this.#output.text();
    this.#output = new BoundedOutput(this.#maxBytes);
    return { text, cutBytes };
  }

  add(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    while (this.#step());
  }

  /** True when there may be more to find. */
  #step(): boolean {
    if (this.#isInLine) {
      const end = this.#rest.indexOf(10);
      if (end === -1) {
        if (this.#rest.length > maxLineBytes) this.#isInLine = false;
        return false;
      }
      const line = this.#rest.toString('utf8', 0, end);
      this.#rest = Buffer.from(this.#rest.subarray(end + 1));
      this.#isInLine = false;
      this.#hear?.(line);
      return true;
    }
    const at = this.#rest.indexOf(this.#marker);
    const before = at === -1 ? Math.max(0, this.#rest.length - this.#marker.length + 1) : at;
    this.#output.add(this.#rest.subarray(0, before));
    this.#rest = Buffer.from(this.#rest.subarray(at === -1 ? before : at + this.#marker.length));
    this.#isInLine = at !== -1;
    return at !== -1;
  }
}
