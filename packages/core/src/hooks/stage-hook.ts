// Being written.
export class StageHook<In, Out> {
  readonly spec: HookSpec;
  constructor(spec: HookSpec) {
    this.spec = spec;
  }
  tap(
    _options: string | TapOptions,
    _fn: (
      input: In,
      options: { readonly signal: AbortSignal },
    ) => Out | undefined | void | Promise<Out | undefined | void>,
  ): void {}
}
export interface TapOptions {
  readonly name: string;
  readonly slot?: string;
  /** Milliseconds; default: the hook's. */
  readonly limitMs?: number;
  /** Of a `start` tap: called again in the second round even when it was the one that rewrote. */
  readonly rechecks?: boolean;
}
export interface HookSpec {
  readonly name: string;
  readonly shape: 'firstAnswer' | 'rewrite' | 'collectAll' | 'race';
  readonly limitMs: number;
  readonly slots?: readonly string[];
  readonly slotLimitsMs?: Readonly<Record<string, number>>;
  readonly answer: {
    readonly keys: readonly string[];
    readonly behaviors?: readonly string[];
    readonly opinionAt?: string;
  };
}
