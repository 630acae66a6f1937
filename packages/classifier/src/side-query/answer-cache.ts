/** Keeps the newest answers, bounded, and forgets all of them when the descriptions change. */
export class AnswerCache<T> {
  readonly #answers = new Map<string, T>();
  #descriptions = '';
  readonly #most: number;

  /** @param most  How many answers are kept. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Answers given under other descriptions are dropped. */
  under(descriptions: string): this {
    if (descriptions !== this.#descriptions) this.#answers.clear();
    this.#descriptions = descriptions;
    return this;
  }

  get(key: string): T | undefined {
    const found = this.#answers.get(key);
    if (found === undefined) return undefined;
    this.#answers.delete(key);
    this.#answers.set(key, found);
    return found;
  }

  set(key: string, answer: T): void {
    this.#answers.delete(key);
    const oldest = this.#answers.size < this.#most ? undefined : this.#answers.keys().next().value;
    if (oldest !== undefined) this.#answers.delete(oldest);
    this.#answers.set(key, answer);
  }

  get size(): number {
    return this.#answers.size;
  }
}
