/** How many calls that are safe beside each other run at once. */
export const defaultConcurrency = 10;

interface Place {
  state: 'checking' | 'waiting' | 'running' | 'done';
  isSafe: boolean;
  go: (() => void) | undefined;
}

/**
 * Lets the calls of one turn go on in the model's order: neighbours that are safe for their input together,
 * others alone. A call that becomes unsafe while it runs waits again for a turn of its own.
 */
export class Queue {
  readonly #places: Place[] = [];
  readonly #limit: number;
  readonly #beforeGroup: (index: number) => void;
  #isOpen = false;
  /** The last place admitted was safe beside others, so that its safe neighbours belong to its group. */
  #inSafeGroup = false;

  /** `beforeGroup` is told, between groups, the first place of the order that is not done. */
  constructor(limit: number, beforeGroup: (index: number) => void) {
    this.#limit = limit;
    this.#beforeGroup = beforeGroup;
  }

  /** Takes the next place in the order. */
  join(): number {
    return this.#places.push({ state: 'checking', isSafe: false, go: undefined }) - 1;
  }

  /** Resolves when the call may go on; undefined when it may at once. */
  admit(index: number, isSafe: boolean): Promise<void> | undefined {
    const place = this.#places[index];
    if (!place || this.#isOpen) return undefined;
    const keepsRunning = place.state === 'running' && (isSafe || !place.isSafe);
    if (keepsRunning) return undefined;
    place.state = 'waiting';
    place.isSafe = isSafe;
    const admitted = new Promise<void>((resolve) => (place.go = resolve));
    this.#pump();
    return admitted;
  }

  /** The call has its result. */
  leave(index: number): void {
    const place = this.#places[index];
    if (place) place.state = 'done';
    this.#pump();
  }

  /** After an abort nobody waits any more; each call then ends by itself. */
  open(): void {
    this.#isOpen = true;
    for (const place of this.#places) place.go?.();
  }

  #pump(): void {
    let running = this.#places.filter(({ state }) => state === 'running').length;
    for (const [index, place] of this.#places.entries()) {
      if (place.state === 'done') continue;
      if (place.state === 'checking') return;
      if (place.state === 'running') {
        if (!place.isSafe) return;
        continue;
      }
      if (place.isSafe ? running >= this.#limit : running > 0) return;
      if (running === 0 && !(place.isSafe && this.#inSafeGroup)) this.#beforeGroup(index);
      this.#inSafeGroup = place.isSafe;
      place.state = 'running';
      running += 1;
      place.go?.();
      if (!place.isSafe) return;
    }
    if (running === 0) this.#beforeGroup(this.#places.length);
  }
}
