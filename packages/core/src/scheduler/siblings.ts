import type { CallOutcome } from '../outcome.ts';

/** Why the other calls of a turn were cancelled: one of them failed. */
export class SiblingFailed extends Error {
  constructor({ block }: CallOutcome, tool: string) {
    super(
      `The call was cancelled because another call of the same message failed: ${tool} (${block.tool_use_id}). See to that one first, then send this call again if it is still wanted.`,
    );
  }
}

/** The calls of a turn as a group: they abort with the turn, and with each other where that is wanted. */
export class Siblings {
  readonly #controller = new AbortController();
  readonly #turn: AbortSignal;
  readonly #cancels: boolean;
  readonly #onAbort = (): void => this.#controller.abort(this.#turn.reason);

  constructor(turn: AbortSignal, policy: 'independent' | 'cancel') {
    this.#turn = turn;
    this.#cancels = policy === 'cancel';
    if (turn.aborted) this.#onAbort();
    turn.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Aborts every call that has not ended. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** A call has ended; if it ran and failed, the rest are cancelled where that is the policy. */
  ended(outcome: CallOutcome, tool: string): void {
    if (this.#cancels && outcome.outcome === 'failed')
      this.#controller.abort(new SiblingFailed(outcome, tool));
  }

  close(): void {
    this.#turn.removeEventListener('abort', this.#onAbort);
  }
}
