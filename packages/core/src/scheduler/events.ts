import type { TraceEvent } from '../trace.ts';

/** Most events a reader may fall behind. */
const maxBehind = 1_000;

interface Reader {
  readonly queue: TraceEvent[];
  missed: number;
  wake: (() => void) | undefined;
}

/** Hands a turn's events to any number of readers, each with a bounded queue of its own. */
export class EventReaders {
  readonly #readers = new Set<Reader>();
  #hasEnded = false;

  get areListening(): boolean {
    return this.#readers.size > 0;
  }

  push(event: TraceEvent): void {
    for (const reader of this.#readers) {
      reader.queue.push(event);
      if (reader.queue.length > maxBehind) {
        reader.queue.shift();
        reader.missed += 1;
      }
      reader.wake?.();
    }
  }

  end(): void {
    this.#hasEnded = true;
    for (const reader of this.#readers) reader.wake?.();
  }

  /** Events from now on. */
  read(): AsyncIterable<TraceEvent> {
    const reader: Reader = { queue: [], missed: 0, wake: undefined };
    if (!this.#hasEnded) this.#readers.add(reader);
    return { [Symbol.asyncIterator]: () => this.#drain(reader) };
  }

  async *#drain(reader: Reader): AsyncGenerator<TraceEvent, undefined> {
    try {
      for (;;) {
        if (reader.missed > 0) {
          yield {
            event: 'diagnostic',
            id: '',
            tool: '',
            code: 'events-missed',
            message: `${reader.missed} events were missed`,
          };
          reader.missed = 0;
        }
        const event = reader.queue.shift();
        if (event) yield event;
        else if (this.#hasEnded) return undefined;
        else await new Promise<void>((resolve) => (reader.wake = resolve));
      }
    } finally {
      this.#readers.delete(reader);
    }
  }
}
