// oxlint-disable unicorn/no-thenable -- hostile thenables are what is tested
import { describe, expect, test } from 'vitest';
import { attempt, attemptNow, guard } from '../../src/hooks/guard.ts';
import { record, text } from '../../src/hooks/answer.ts';
import { fakeClock, hang, noUnhandledRejections, settled } from '../helpers.ts';

noUnhandledRejections();

const { clock, pass } = fakeClock();
const never = new AbortController().signal;
const scope = { signal: never, clock, callId: 'c', tool: 'T' };
const tap = (fn: (input: object, options: { signal: AbortSignal }) => unknown, limitMs = 100) => ({
  name: 'tap',
  plugin: 'p',
  hook: 'start',
  stage: 'start' as const,
  limitMs,
  answer: record({ message: text }),
  fn,
});
const who = { tap: 'tap', plugin: 'p' };

test('a synchronous tap is answered synchronously', () => {
  expect(
    guard(
      tap(() => ({ message: 'hi' })),
      {},
      scope,
    ),
  ).toEqual({
    ok: true,
    value: { message: 'hi' },
    ...who,
  });
});

test('a tap that throws synchronously has failed, with what it threw', () => {
  const cause = new Error('broken');
  const fn = () => {
    throw cause;
  };
  expect(guard(tap(fn), {}, scope)).toEqual({
    ok: false,
    reason: 'threw',
    message: 'broken',
    cause,
    ...who,
  });
});

test('a tap that never settles has timed out, and its signal has aborted', async () => {
  let signal: AbortSignal | undefined;
  const fn = (_: object, options: { signal: AbortSignal }) => {
    ({ signal } = options);
    return hang();
  };
  const answer = guard(tap(fn), {}, scope);
  await pass(100);
  expect(await answer).toEqual({
    ok: false,
    reason: 'timed_out',
    message: 'no answer within 100 ms',
    ...who,
  });
  expect(signal?.aborted).toBe(true);
});

test('a tap that rejects after an abort has been aborted, and the rejection is nobody’s', async () => {
  const controller = new AbortController();
  let reject: (reason: unknown) => void = () => undefined;
  const fn = () => new Promise((_, no) => (reject = no));
  const answer = guard(tap(fn), {}, { ...scope, signal: controller.signal });
  controller.abort();
  reject(new Error('late'));
  expect(await answer).toEqual({
    ok: false,
    reason: 'aborted',
    message: 'stopped by an abort',
    ...who,
  });
});

test('a tap does not start after an abort', () => {
  let started = false;
  const fn = () => (started = true);
  const answer = guard(tap(fn), {}, { ...scope, signal: AbortSignal.abort() });
  expect(answer).toMatchObject({ ok: false, reason: 'aborted' });
  expect(started).toBe(false);
});

test('a tap may set no limit of its own and is then held to its scope’s', async () => {
  const answer = guard(tap(hang, Infinity), {}, { ...scope, limitMs: 7 });
  await pass(7);
  expect(await answer).toMatchObject({ reason: 'timed_out', message: 'no answer within 7 ms' });
});

describe('hostile thenables', () => {
  test('a then getter that throws is a throw', () => {
    const value = Object.defineProperty({}, 'then', {
      get: () => {
        throw new Error('no then');
      },
    });
    expect(
      guard(
        tap(() => value),
        {},
        scope,
      ),
    ).toMatchObject({ ok: false, message: 'no then' });
  });

  test('a then that throws is a throw', async () => {
    const value = {
      then: () => {
        throw new Error('bad then');
      },
    };
    expect(
      await guard(
        tap(() => value),
        {},
        scope,
      ),
    ).toMatchObject({ message: 'bad then' });
  });

  test('a then that calls back twice counts once', async () => {
    const value = {
      then: (yes: (value: unknown) => void, no: (reason: unknown) => void) => {
        yes({ message: 'first' });
        yes({ message: 'second' });
        no(new Error('third'));
      },
    };
    expect(
      await guard(
        tap(() => value),
        {},
        scope,
      ),
    ).toMatchObject({ value: { message: 'first' } });
  });

  test('a native promise is observed past its own then and constructor', async () => {
    const value = Promise.reject(new Error('inner'));
    void Object.defineProperty(value, 'then', { value: hang });
    void Object.defineProperty(value, 'constructor', { get: hang, configurable: true });
    expect(
      await guard(
        tap(() => value),
        {},
        scope,
      ),
    ).toMatchObject({
      ok: false,
      reason: 'threw',
      message: 'inner',
    });
  });

  test('a promise of a subclass whose species throws is observed', async () => {
    class Hostile extends Promise<unknown> {
      static override get [Symbol.species](): PromiseConstructor {
        throw new Error('species');
      }
    }
    const value = Hostile.reject(new Error('inner'));
    expect(
      await guard(
        tap(() => value),
        {},
        scope,
      ),
    ).toMatchObject({ message: 'inner' });
  });
});

describe('answers', () => {
  test('a misspelled key is named with the nearest one', () => {
    expect(
      guard(
        tap(() => ({ mesage: 'x' })),
        {},
        scope,
      ),
    ).toEqual({
      ok: false,
      reason: 'bad_answer',
      message:
        'the answer of tap "tap" to start has the unknown key "mesage". Did you mean "message"?',
      ...who,
    });
  });

  test('a promise in a bad answer is still observed', async () => {
    const answer = () => ({ mesage: Promise.reject(new Error('lost')) });
    expect(guard(tap(answer), {}, scope)).toMatchObject({ reason: 'bad_answer' });
    await settled();
  });

  test.for([[null], [undefined]])('%s is no answer', ([value]) => {
    expect(
      guard(
        tap(() => value),
        {},
        scope,
      ),
    ).toBeUndefined();
  });

  test.for([['text'], [5], [true], [[]], [() => undefined], [Symbol('s')]])(
    '%s is a bad answer',
    ([value]) => {
      expect(
        guard(
          tap(() => value),
          {},
          scope,
        ),
      ).toMatchObject({ ok: false, reason: 'bad_answer' });
    },
  );

  test('a proxy whose traps throw is a bad answer', () => {
    const value = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('trap');
        },
      },
    );
    expect(
      guard(
        tap(() => value),
        {},
        scope,
      ),
    ).toMatchObject({
      reason: 'bad_answer',
      message: 'the answer of tap "tap" to start cannot be read: trap',
    });
  });

  test('a getter has no say after it was read', () => {
    let reads = 0;
    const value = {
      get message() {
        reads += 1;
        return reads === 1 ? 'first' : 'second';
      },
    };
    const answer = guard<object, { message: string }>(
      tap(() => value),
      {},
      scope,
    );
    expect(answer).toMatchObject({ value: { message: 'first' } });
    expect(reads).toBe(1);
  });
});

test('what a tap gets is frozen, as deep as it goes', () => {
  const input = { call: { list: [{ a: 1 }], other: { b: 2 } } };
  void guard(
    tap(() => undefined),
    input,
    scope,
  );
  expect(
    [input, input.call, input.call.list, input.call.list[0], input.call.other].map(Object.isFrozen),
  ).toEqual([true, true, true, true, true]);
});

test('foreign code that must answer at once may not answer with a promise', async () => {
  expect(attemptNow(() => Promise.reject(new Error('x')))).toEqual({
    ok: false,
    reason: 'bad_answer',
    message: 'it answered with a promise',
  });
  await settled();
});

test('an answer in time cancels the timer and leaves no listener behind', async () => {
  const fake = fakeClock();
  const controller = new AbortController();
  let listeners = 0;
  const { signal } = controller;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...all: Parameters<typeof add>) => (listeners++, add(...all));
  signal.removeEventListener = (...all: Parameters<typeof remove>) => (listeners--, remove(...all));
  await attempt(() => Promise.resolve(1), 50, { clock: fake.clock, signal });
  expect({ listeners, timers: fake.open() }).toEqual({ listeners: 0, timers: 0 });
});
