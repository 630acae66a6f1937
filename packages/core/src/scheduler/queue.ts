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
  /** All places before it are done: nothing below looks at them again. */
  #first = 0;
  #running = 0;
  /** Where the order stopped last: every place from `#first` to it runs and is safe, or is done. */
  #next = 0;
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
    if (place.state === 'running') this.#running -= 1;
    place.state = 'waiting';
    place.isSafe = isSafe;
    this.#next = Math.min(this.#next, index);
    const admitted = new Promise<void>((resolve) => (place.go = resolve));
    this.#pump();
    return admitted;
  }

  /** The call has its result. */
  leave(index: number): void {
    const place = this.#places[index];
    if (place?.state === 'running') this.#running -= 1;
    if (place) place.state = 'done';
    this.#pump();
  }

  /** After an abort nobody waits any more; each call then ends by itself. */
  open(): void {
    this.#isOpen = true;
    for (const place of this.#places) place.go?.();
  }

  #pump(): void {
    while (this.#places[this.#first]?.state === 'done') this.#first += 1;
    this.#next = Math.max(this.#next, this.#first);
    for (; ; this.#next += 1) {
      const place = this.#places[this.#next];
      if (!place) break;
      if (place.state === 'done') continue;
      if (place.state === 'checking') return;
      if (place.state === 'running') {
        if (!place.isSafe) return;
        continue;
      }
      if (place.isSafe ? this.#running >= this.#limit : this.#running > 0) return;
      this.#start(place);
      if (!place.isSafe) return;
    }
    if (this.#running === 0) this.#beforeGroup(this.#places.length);
  }

  #start(place: Place): void {
    const opensGroup = this.#running === 0 && !(place.isSafe && this.#inSafeGroup);
    if (opensGroup) this.#beforeGroup(this.#next);
    this.#inSafeGroup = place.isSafe;
    place.state = 'running';
    this.#running += 1;
    place.go?.();
  }
}
