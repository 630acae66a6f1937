export interface Dated {
  readonly path: string;
  readonly modifiedMs: number;
}

/** Keeps the newest few of any number of files; equal times in order of their names. */
export class Newest<T extends Dated = Dated> {
  readonly #most: number;
  #files: T[] = [];
  #count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get count(): number {
    return this.#count;
  }

  add(file: T): void {
    this.#count += 1;
    this.#files.push(file);
    if (this.#files.length >= this.#most * 2 + 64) this.#trim();
  }

  list(): readonly T[] {
    this.#trim();
    return this.#files;
  }

  #trim(): void {
    this.#files.sort((a, b) => b.modifiedMs - a.modifiedMs || (a.path < b.path ? -1 : 1));
    this.#files.length = Math.min(this.#files.length, this.#most);
  }
}
