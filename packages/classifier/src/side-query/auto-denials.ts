/** After how many denials auto mode asks instead (protocol 2.3). */
export interface AutoLimits {
  /** In a row. Default 3. */
  readonly inARow: number;
  /** Since the last time it came to asking. Default 20. */
  readonly inAll: number;
}

/** Counts the denials of auto mode: three in a row, or twenty in all, and a person is asked instead. */
export class AutoDenials {
  #inARow = 0;
  #inAll = 0;
  readonly #limits: AutoLimits;

  constructor(limits: AutoLimits) {
    this.#limits = limits;
  }

  /** Any call that was allowed ends the row. */
  allowed(): void {
    this.#inARow = 0;
  }

  /** @returns true when a person is to be asked instead of this denial; the count in all then begins anew. */
  denied(): boolean {
    if (this.#inARow >= this.#limits.inARow || this.#inAll >= this.#limits.inAll) {
      this.#inAll = 0;
      return true;
    }
    this.#inARow += 1;
    this.#inAll += 1;
    return false;
  }
}
