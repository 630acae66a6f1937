import { closeSync, constants, openSync, writeSync } from 'node:fs';

/** Options of an {@link OutputFile}. */
export interface OutputFileOptions {
  /** An empty file for the output; undefined when there is none to be had. */
  readonly newFile: () => Promise<string | undefined>;
  /** Most bytes kept. */
  readonly maxBytes: number;
  /** Nothing is written before there is more than this. 0: from the first byte on. */
  readonly fromBytes: number;
}

/**
 * The whole of a command's output, both streams as they come, in a file up to a cap. A disk that is full ends
 * the file and not the command.
 */
export class OutputFile {
  readonly #options: OutputFileOptions;
  #early: Buffer[] = [];
  #total = 0;
  #written = 0;
  #path: string | undefined;
  #opening: Promise<void> | undefined;
  #descriptor: number | undefined;
  #isBroken = false;

  constructor(options: OutputFileOptions) {
    this.#options = options;
  }

  /** Bytes of both streams so far, kept or not. */
  get totalBytes(): number {
    return this.#total;
  }

  /** Where the output is, once there is a file. */
  get path(): string | undefined {
    return this.#path;
  }

  /** Whether all that came is in the file. */
  get isWhole(): boolean {
    return !this.#isBroken && this.#written === this.#total;
  }

  add(chunk: Buffer): void {
    this.#total += chunk.length;
    if (this.#descriptor !== undefined) return this.#write(chunk);
    if (this.#isBroken) return;
    const room = this.#options.maxBytes - (this.#total - chunk.length);
    // Copied: the stream's memory may be far larger.
    if (room > 0) this.#early.push(Buffer.from(chunk.subarray(0, room)));
    if (this.#total > this.#options.fromBytes) void this.open();
  }

  /** Makes the file now, whatever came so far. */
  open(): Promise<void> {
    return (this.#opening ??= this.#open());
  }

  /** Writes nothing after this. */
  async close(): Promise<void> {
    await this.#opening;
    this.#early = [];
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
    this.#isBroken ||= this.#path === undefined;
  }

  async #open(): Promise<void> {
    const path = await this.#options.newFile().catch(() => undefined);
    try {
      if (path === undefined) throw new Error('no file');
      const flags = constants.O_WRONLY | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);
      this.#descriptor = openSync(path, flags);
      this.#path = path;
    } catch {
      this.#isBroken = true;
    }
    const early = this.#early;
    this.#early = [];
    for (const chunk of early) this.#write(chunk);
  }

  #write(chunk: Buffer): void {
    const part = chunk.subarray(0, this.#options.maxBytes - this.#written);
    if (this.#descriptor === undefined || this.#isBroken || part.length === 0) return;
    try {
      for (let at = 0; at < part.length;) at += writeSync(this.#descriptor, part, at);
      this.#written += part.length;
    } catch {
      this.#isBroken = true; // The disk is full, say.
    }
  }
}
