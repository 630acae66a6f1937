// The only file that imports tapable. Its hooks never see a plugin's function, only guarded steps that
// cannot throw, reject or call back twice; see docs/decisions/0001-tapable-behind-a-guard.md.
import { AsyncParallelHook, AsyncSeriesBailHook, AsyncSeriesWaterfallHook } from 'tapable';
import { ToolgateError } from '../errors.ts';
import type { StageName } from '../failure.ts';
import { checkKeys, didYouMean } from '../nearest.ts';
import type { AnswerSpec } from './answer.ts';
import {
  guard,
  withSignal,
  type GuardedTap,
  type MaybePromise,
  type TapAnswer,
  type TapScope,
} from './guard.ts';
import { plainEngine, type Engine, type Shape, type StepFunction } from './plain-engine.ts';

export interface HookSpec {
  readonly name: string;
  readonly stage?: StageName;
  /** Default limit of a tap in milliseconds. */
  readonly limitMs: number;
  readonly slots?: readonly string[];
  readonly slotLimitsMs?: Readonly<Record<string, number>>;
  readonly answer: AnswerSpec;
}

/** What a tap may say of itself beside its name. */
export interface TapOptions {
  readonly name: string;
  /** One of the hook's named places; the first when left out. */
  readonly slot?: string;
  /** Milliseconds; default: the hook's. */
  readonly limitMs?: number;
  /** Of a `start` tap: called in the second round even when it was the one that rewrote. */
  readonly rechecks?: boolean;
}
/** A tap: gets frozen values and a signal; undefined is no answer. A throw means what the hook's table says. */
export type TapFunction<In, Out> = (
  input: In,
  options: { readonly signal: AbortSignal },
) => Out | undefined | void | Promise<Out | undefined | void>;

export interface LoadedTap<In, Out> extends GuardedTap<In, Out> {
  readonly slot: string | undefined;
  readonly rechecks: boolean;
}

interface Invocation<In, Out> {
  readonly input: In;
  readonly scope: TapScope;
  readonly on: (answer: TapAnswer<Out> | undefined, index: number) => boolean;
  readonly inputOf?: () => In;
  readonly skip?: (tap: LoadedTap<In, Out>) => boolean;
}

/** True where the runtime lets tapable compile its hooks. */
export const canGenerateCode: boolean = (() => {
  try {
    // oxlint-disable-next-line typescript/no-implied-eval -- asks whether code generation is allowed, runs a constant
    return Boolean(new Function('return true')());
  } catch {
    return false;
  }
})();

function tapableEngine<I>(shape: Shape, steps: readonly StepFunction<I>[]): Engine<I> {
  if (shape === 'parallel') {
    const hook = new AsyncParallelHook<[I]>(['invocation']);
    for (const [index, step] of steps.entries())
      hook.tapAsync(String(index), (invocation, done) => step(invocation, () => done()));
    return (invocation, done) => hook.callAsync(invocation, () => done());
  }
  if (shape === 'waterfall') {
    const hook = new AsyncSeriesWaterfallHook<[I]>(['invocation']);
    for (const [index, step] of steps.entries())
      hook.tapAsync(String(index), (invocation, done) =>
        step(invocation, () => done(null, invocation)),
      );
    return (invocation, done) => hook.callAsync(invocation, () => done());
  }
  const hook = new AsyncSeriesBailHook<[I], true>(['invocation']);
  for (const [index, step] of steps.entries())
    hook.tapAsync(String(index), (invocation, done) =>
      step(invocation, (stop) => (stop ? done(null, true) : done())),
    );
  return (invocation, done) => hook.callAsync(invocation, () => done());
}

abstract class StageHook<In, Out> {
  readonly spec: HookSpec;
  readonly #shape: Shape;
  #taps: LoadedTap<In, Out>[] = [];
  #engine: Engine<Invocation<In, Out>> | undefined;

  constructor(spec: HookSpec, shape: Shape) {
    this.spec = spec;
    this.#shape = shape;
  }

  /** The taps in the order they are asked and their answers counted. */
  get taps(): readonly LoadedTap<In, Out>[] {
    return this.#taps;
  }

  /** Adds a tap while the gate is built. Order is by slot, then by the order of loading. */
  tap(options: string | TapOptions, fn: TapFunction<In, Out>, plugin = 'toolgate'): void {
    const { name, slot, limitMs, rechecks } =
      typeof options === 'string' ? { name: options } : options;
    if (typeof options !== 'string')
      checkKeys(
        options,
        ['name', 'slot', 'limitMs', 'rechecks'],
        `tap "${name}"`,
        'TG_PLUGIN_INVALID',
      );
    const { slots = [], name: hook, slotLimitsMs } = this.spec;
    const refuse = (why: string) => {
      throw new ToolgateError('TG_PLUGIN_INVALID', `tap "${name}" of ${plugin} on ${hook} ${why}`);
    };
    if (typeof fn !== 'function') refuse('is no function.');
    if (limitMs !== undefined && !(limitMs > 0))
      refuse('has a limitMs that is no positive number.');
    // A tap is known by its name: a guard must not pass for the tap that rewrote the call.
    if (this.#taps.some((other) => other.name === name && other.plugin === plugin))
      refuse('is there twice. Give each tap a name of its own.');
    if (slot !== undefined && !slots.includes(slot))
      throw new ToolgateError(
        'TG_SLOT_UNKNOWN',
        `hook ${hook} has no slot "${slot}" (tap "${name}" of ${plugin}).${didYouMean(slot, slots)}`,
      );
    const place = slot ?? slots.at(0);
    const limit = limitMs ?? slotLimitsMs?.[place ?? ''] ?? this.spec.limitMs;
    this.#taps.push({
      name,
      plugin,
      hook,
      stage: this.spec.stage,
      slot: place,
      limitMs: limit,
      answer: this.spec.answer,
      fn,
      rechecks: rechecks ?? false,
    });
  }

  /** Fixes the list of taps; no tap is added afterwards. */
  seal(engine: 'tapable' | 'plain' = canGenerateCode ? 'tapable' : 'plain'): void {
    const { slots = [] } = this.spec;
    this.#taps.sort((a, b) => slots.indexOf(a.slot ?? '') - slots.indexOf(b.slot ?? ''));
    const steps = this.#taps.map((tap, index) => step(tap, index));
    this.#engine =
      engine === 'plain' ? plainEngine(this.#shape, steps) : tapableEngine(this.#shape, steps);
  }

  /** Runs all steps; synchronous when every tap was. */
  protected invoke(invocation: Invocation<In, Out>): MaybePromise<void> {
    if (!this.#engine) this.seal();
    let finished = false;
    let wake: (() => void) | undefined;
    this.#engine?.(invocation, () => {
      finished = true;
      wake?.();
    });
    return finished ? undefined : new Promise<void>((resolve) => (wake = resolve));
  }
}

function step<In, Out>(tap: LoadedTap<In, Out>, index: number): StepFunction<Invocation<In, Out>> {
  return (invocation, done) => {
    if (invocation.skip?.(tap)) return done(false);
    const answer = guard<In, Out>(
      tap,
      invocation.inputOf?.() ?? invocation.input,
      invocation.scope,
    );
    if (answer instanceof Promise)
      // oxlint-disable-next-line promise/no-callback-in-promise -- done is tapable's, and never throws
      void answer.then((settled) => done(invocation.on(settled, index)));
    else done(invocation.on(answer, index));
  };
}

/** Taps are asked one after the other; the first accepted answer or failure ends it. */
export class FirstAnswerHook<In, Out> extends StageHook<In, Out> {
  constructor(spec: HookSpec) {
    super(spec, 'bail');
  }
  first(
    input: In,
    scope: TapScope,
    accept?: (answer: TapAnswer<Out>, tap: LoadedTap<In, Out>) => boolean,
    skip?: (tap: LoadedTap<In, Out>) => boolean,
  ): MaybePromise<TapAnswer<Out> | undefined> {
    if (this.taps.every((tap) => skip?.(tap) ?? false)) return undefined;
    let taken: TapAnswer<Out> | undefined;
    const on = (answer: TapAnswer<Out> | undefined, index: number) => {
      const tap = this.taps[index];
      if (answer && tap && (accept?.(answer, tap) ?? true)) taken = answer;
      return taken !== undefined;
    };
    const running = this.invoke({ input, scope, on, ...(skip && { skip }) });
    return running ? running.then(() => taken) : taken;
  }
}

/** All taps start at once; the answers come in tap order, whatever their speed. */
export class CollectAllHook<In, Out> extends StageHook<In, Out> {
  constructor(spec: HookSpec) {
    super(spec, 'parallel');
  }
  collect(
    input: In,
    scope: TapScope,
    skip?: (tap: LoadedTap<In, Out>) => boolean,
  ): MaybePromise<readonly TapAnswer<Out>[]> {
    if (this.taps.length === 0) return [];
    const answers: (TapAnswer<Out> | undefined)[] = [];
    const on = (answer: TapAnswer<Out> | undefined, index: number) => {
      answers[index] = answer;
      return false;
    };
    const heard = () => answers.filter((answer) => answer !== undefined);
    const running = this.invoke({ input, scope, on, ...(skip && { skip }) });
    return running ? running.then(heard) : heard();
  }
}

/** Each tap gets what the one before it made, changed where it answered; a failure ends it and is the result. */
export class RewriteHook<In extends object, Out extends object> extends StageHook<In, Out> {
  constructor(spec: HookSpec) {
    super(spec, 'waterfall');
  }
  rewrite(input: In, scope: TapScope): MaybePromise<TapAnswer<In>> {
    let current = input;
    let failed: TapAnswer<never> | undefined;
    const on = (answer: TapAnswer<Out> | undefined) => {
      if (answer?.ok) current = { ...current, ...answer.value };
      else failed = answer;
      return failed !== undefined;
    };
    const outcome = (): TapAnswer<In> =>
      failed ?? { ok: true, value: current, tap: 'toolgate', plugin: 'toolgate' };
    if (this.taps.length === 0) return outcome();
    const running = this.invoke({
      input,
      scope,
      on,
      inputOf: () => current,
      skip: () => failed !== undefined,
    });
    return running ? running.then(outcome) : outcome();
  }
}

/** All taps start at once; the first accepted answer wins, once, and the other taps' signal aborts. */
export class RaceHook<In, Out> extends StageHook<In, Out> {
  constructor(spec: HookSpec) {
    super(spec, 'parallel');
  }
  race(
    input: In,
    scope: TapScope,
    accept: (answer: TapAnswer<Out>, tap: LoadedTap<In, Out>) => boolean,
    skip: (tap: LoadedTap<In, Out>) => boolean = () => false,
  ): Promise<TapAnswer<Out> | undefined> {
    if (this.taps.length === 0 || scope.signal.aborted) return Promise.resolve(undefined);
    const losers = new AbortController();
    const onAbort = () => losers.abort();
    scope.signal.addEventListener('abort', onAbort, { once: true });
    return new Promise((resolve) => {
      let claimed = false;
      const end = (winner?: TapAnswer<Out>) => {
        scope.signal.removeEventListener('abort', onAbort);
        resolve(winner);
      };
      const on = (answer: TapAnswer<Out> | undefined, index: number) => {
        const tap = this.taps[index];
        if (claimed || !answer || !tap || !accept(answer, tap)) return false;
        claimed = true;
        end(answer);
        losers.abort();
        return false;
      };
      const running = this.invoke({
        input,
        scope: withSignal(scope, losers.signal),
        on,
        skip: (tap) => claimed || skip(tap),
      });
      if (running) void running.then(() => end());
      else end();
    });
  }
}
