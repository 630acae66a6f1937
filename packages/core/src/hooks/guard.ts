import { types } from 'node:util';
import { messageOf, type StageName } from '../failure.ts';
import { deepFrozen } from '../json.ts';
import type { Clock } from '../ports.ts';
import type { TraceEvent } from '../trace.ts';
import { readAnswer, type AnswerSpec } from './answer.ts';

/** What the guard needs to know of the call it guards for. */
export interface TapScope {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly callId: string;
  readonly tool: string;
  /** Absent when nobody listens. */
  readonly trace?: ((event: TraceEvent) => void) | undefined;
  /** Milliseconds a tap without a limit of its own may take. */
  readonly limitMs?: number;
}

/** The same surroundings under another signal. */
export const withSignal = (scope: TapScope, signal: AbortSignal): TapScope => ({
  signal,
  clock: scope.clock,
  callId: scope.callId,
  tool: scope.tool,
  get trace() {
    return scope.trace;
  },
});

/** For work that an abort must not stop: observers, and what has already happened. */
export const neverAborts: AbortSignal = new AbortController().signal;

export interface GuardedTap<In, Out> {
  readonly name: string;
  readonly plugin: string;
  readonly hook: string;
  readonly stage: StageName | undefined;
  readonly limitMs: number;
  readonly answer: AnswerSpec;
  readonly fn: (input: In, options: { readonly signal: AbortSignal }) => unknown;
  /** Only carries the type of the answer. */
  readonly out?: Out;
}

export type AttemptFailure = {
  readonly ok: false;
  readonly reason: 'threw' | 'timed_out' | 'aborted' | 'bad_answer';
  readonly message: string;
  readonly cause?: unknown;
};
export type Attempt<T> = { readonly ok: true; readonly value: T } | AttemptFailure;
/** A tap's answer or its failure, with who said it. No answer is `undefined`. */
export type TapAnswer<Out> = ({ readonly ok: true; readonly value: Out } | AttemptFailure) & {
  readonly tap: string;
  readonly plugin: string;
};
export type MaybePromise<T> = T | Promise<T>;

/** A signal made only when somebody reads it: most taps never do. */
class LazySignal {
  #controller: AbortController | undefined;
  #aborted = false;
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#aborted) this.#controller.abort();
    return this.#controller.signal;
  }
  abort(): void {
    this.#aborted = true;
    this.#controller?.abort();
  }
}

/**
 * Runs foreign code: isolated, within a time limit and until the scope's signal aborts. Never throws and
 * never rejects; synchronous when `fn` is. Whatever a late promise does afterwards is ignored.
 */
export function attempt<T>(
  fn: (options: { readonly signal: AbortSignal }) => unknown,
  limitMs: number,
  scope: Pick<TapScope, 'signal' | 'clock'>,
): MaybePromise<Attempt<T>> {
  const life = new LazySignal();
  let value: unknown;
  try {
    value = fn(life);
    if (!isThenable(value)) return { ok: true, value: value as T }; // the caller checks the shape
  } catch (thrown) {
    return { ok: false, reason: 'threw', message: messageOf(thrown), cause: thrown };
  }
  return settle<T>(value, life, limitMs, scope);
}

function settle<T>(
  value: unknown,
  life: LazySignal,
  limitMs: number,
  scope: Pick<TapScope, 'signal' | 'clock'>,
) {
  return new Promise<Attempt<T>>((resolve) => {
    let cancelTimer: (() => void) | undefined;
    const end = (ended: Attempt<T>) => {
      cancelTimer?.();
      scope.signal.removeEventListener('abort', onAbort);
      resolve(ended);
    };
    const stop = (reason: 'timed_out' | 'aborted', message: string) => {
      life.abort();
      end({ ok: false, reason, message });
    };
    const onAbort = () => stop('aborted', 'stopped by an abort');
    observe(
      value,
      (settled) => end({ ok: true, value: settled as T }), // the caller checks the shape
      (thrown) => end({ ok: false, reason: 'threw', message: messageOf(thrown), cause: thrown }),
    );
    if (scope.signal.aborted) return onAbort();
    scope.signal.addEventListener('abort', onAbort, { once: true });
    if (limitMs !== Infinity)
      cancelTimer = scope.clock.after(limitMs, () =>
        stop('timed_out', `no answer within ${limitMs} ms`),
      );
  });
}

/**
 * Runs foreign code that must answer at once. A promise is no answer, and whatever becomes of it is
 * ignored.
 */
export function attemptNow<T>(fn: () => unknown): Attempt<T> {
  try {
    const value = fn();
    if (!isThenable(value)) return { ok: true, value: value as T }; // the caller checks the shape
    quiet(value);
    return { ok: false, reason: 'bad_answer', message: 'it answered with a promise' };
  } catch (thrown) {
    return { ok: false, reason: 'threw', message: messageOf(thrown), cause: thrown };
  }
}

/** Sees to it that nobody has to handle a promise's rejection. */
export function quiet(value: unknown): void {
  const ignore = () => undefined;
  try {
    if (isThenable(value)) observe(value, ignore, ignore);
  } catch {
    // it cannot be read, so it cannot reject either
  }
}

/** Attaches to a promise in a way its own properties cannot prevent; a foreign thenable is adopted. */
function observe(
  value: unknown,
  done: (value: unknown) => void,
  failed: (thrown: unknown) => void,
): void {
  if (types.isPromise(value)) {
    try {
      // `then` would ask the promise's own constructor for the promise it returns.
      if (value.constructor !== Promise)
        void Object.defineProperty(value, 'constructor', { value: Promise, configurable: true });
      void Promise.prototype.then.call(value, done, failed);
      return;
    } catch {
      // a promise with a hostile constructor: adopt it like a foreign thenable
    }
  }
  // oxlint-disable-next-line promise/no-callback-in-promise -- both handlers are settle's own and never throw
  new Promise((resolve) => resolve(value)).then(done, failed);
}

function isThenable(value: unknown): boolean {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false;
  return types.isPromise(value) || ('then' in value && typeof value.then === 'function');
}

/** Nothing starts after an abort. */
export const stopped: AttemptFailure = {
  ok: false,
  reason: 'aborted',
  message: 'stopped by an abort',
};

/** Runs one tap and checks its answer against the hook's closed list of keys. */
export function guard<In, Out>(
  tap: GuardedTap<In, Out>,
  input: In,
  scope: TapScope,
): MaybePromise<TapAnswer<Out> | undefined> {
  const startedAt = scope.trace ? scope.clock.now() : 0;
  if (scope.signal.aborted) return named(tap, stopped);
  if (scope.trace) traceTap(tap, scope, { event: 'tap-start' });
  deepFrozen(input);
  const limitMs = tap.limitMs === Infinity ? (scope.limitMs ?? Infinity) : tap.limitMs;
  const attempted = attempt<unknown>((options) => tap.fn(input, options), limitMs, scope);
  const finish = (ended: Attempt<unknown>): TapAnswer<Out> | undefined => {
    const answer = named(tap, ended);
    if (scope.trace)
      traceTap(tap, scope, {
        event: 'tap-end',
        outcome: outcomeOf(answer),
        ms: scope.clock.now() - startedAt,
      });
    return answer;
  };
  return attempted instanceof Promise ? attempted.then(finish) : finish(attempted);
}

function named<In, Out>(
  tap: GuardedTap<In, Out>,
  ended: Attempt<unknown>,
): TapAnswer<Out> | undefined {
  const who = { tap: tap.name, plugin: tap.plugin };
  if (!ended.ok) return { ...ended, ...who };
  const answer = readAnswer(
    ended.value,
    tap.answer,
    `the answer of tap "${tap.name}" to ${tap.hook}`,
  );
  if (answer.ok)
    return answer.value === undefined
      ? undefined
      : { ok: true, value: answer.value as Out, ...who }; // checked by readAnswer
  attemptNow(() => Object.values(Object(ended.value)).forEach(quiet));
  return { ok: false, reason: 'bad_answer', message: answer.problem, ...who };
}

const outcomeOf = (answer: TapAnswer<unknown> | undefined) =>
  !answer ? 'none' : answer.ok ? 'answer' : answer.reason;

function traceTap(
  tap: GuardedTap<never, unknown>,
  scope: TapScope,
  rest: Pick<TraceEvent, 'event' | 'outcome' | 'ms'>,
): void {
  const stage = tap.stage && { stage: tap.stage };
  scope.trace?.({
    ...rest,
    id: scope.callId,
    tool: scope.tool,
    ...stage,
    hook: tap.hook,
    tap: tap.name,
    plugin: tap.plugin,
  });
}
