/** A page that was fetched, as text. */
export interface LoadedPage {
  readonly kind: 'page';
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly bytes: number;
  readonly text: string;
  readonly isCut: boolean;
}

/** Keeps the newest pages for a while; bounded by number and by their text together. */
export class PageCache {
  readonly #pages = new Map<string, { readonly page: LoadedPage; readonly at: number }>();
  readonly #ttlMs: number;
  readonly #now: () => number;

  /** @param ttlMs  How long a page is kept, in milliseconds. */
  constructor(ttlMs: number, now: () => number = Date.now) {
    this.#ttlMs = ttlMs;
    this.#now = now;
  }

  get(url: string): LoadedPage | undefined {
    this.#forgetOld();
    return this.#pages.get(url)?.page;
  }

  set(url: string, page: LoadedPage): void {
    this.#pages.delete(url);
    this.#pages.set(url, { page, at: this.#now() });
    this.#forgetOld();
  }

  #forgetOld(): void {
    const oldest = this.#now() - this.#ttlMs;
    let room = 20_000_000;
    const newestFirst = [...this.#pages].toReversed();
    for (const [index, [url, { page, at }]] of newestFirst.entries()) {
      room -= page.text.length;
      if (at < oldest || index >= 50 || room < 0) this.#pages.delete(url);
    }
  }
}
