import { attempt, neverAborts } from './hooks/guard.ts';
import type { Clock } from './ports.ts';

/** Work that outlives the call that began it. */
export class Background {
  readonly #work = new Map<AbortController, Promise<unknown>>();

  /** Takes over work that never rejects. */
  add(work: Promise<void>, controller: AbortController): AbortSignal {
    const ended = work.then(() => void this.#work.delete(controller));
    this.#work.set(controller, ended);
    return controller.signal;
  }

  /** Tells all of it to stop, and waits as long as a tool gets to end. */
  async close(graceMs: number, clock: Clock): Promise<void> {
    for (const controller of this.#work.keys()) controller.abort();
    await attempt(() => Promise.all(this.#work.values()), graceMs, { clock, signal: neverAborts });
  }
}
