import { describe, expect, test } from 'vitest';
import { anything, record, text } from '../../src/hooks/answer.ts';
import {
  CollectAllHook,
  FirstAnswerHook,
  RaceHook,
  RewriteHook,
  type HookSpec,
} from '../../src/hooks/stage-hook.ts';
import { fakeClock, hang, noUnhandledRejections, settled } from '../helpers.ts';

noUnhandledRejections();

interface Said {
  readonly said: string;
}
const spec: HookSpec = {
  name: 'probe',
  limitMs: 100,
  slots: ['early', 'late'],
  answer: record({ said: text, by: anything }),
};
const say = (said: string): Said => ({ said });
const broken = () => {
  throw new Error('broken');
};

describe.for([['tapable'], ['plain']] as const)('on the %s engine', ([engine]) => {
  const scopeOf = (signal = new AbortController().signal) => {
    const fake = fakeClock();
    return { scope: { signal, clock: fake.clock, callId: 'c', tool: 'T' }, pass: fake.pass };
  };

  test('firstAnswer asks in order of slots and stops at the first answer', async () => {
    const hook = new FirstAnswerHook<object, Said>(spec);
    const asked: string[] = [];
    hook.tap({ name: 'c', slot: 'late' }, () => (asked.push('c'), say('c')));
    hook.tap('a', () => void asked.push('a'));
    hook.tap({ name: 'b', slot: 'early' }, async () => (asked.push('b'), say('b')));
    hook.seal(engine);
    const { scope } = scopeOf();
    expect(await hook.first({}, scope)).toEqual({
      ok: true,
      value: say('b'),
      tap: 'b',
      plugin: 'toolgate',
    });
    expect(asked).toEqual(['a', 'b']);
  });

  test('firstAnswer is synchronous when its taps are', () => {
    const hook = new FirstAnswerHook<object, Said>(spec);
    hook.tap('a', () => say('a'));
    hook.seal(engine);
    expect(hook.first({}, scopeOf().scope)).toMatchObject({ value: say('a') });
  });

  test('firstAnswer goes on after an answer that is not accepted', async () => {
    const hook = new FirstAnswerHook<object, Said>(spec);
    hook.tap('a', () => say('a'));
    hook.tap('b', () => say('b'));
    hook.seal(engine);
    const answer = await hook.first({}, scopeOf().scope, ({ tap }) => tap === 'b');
    expect(answer).toMatchObject({ value: say('b') });
  });

  test('firstAnswer takes a failure for an answer', async () => {
    const hook = new FirstAnswerHook<object, Said>(spec);
    hook.tap('a', broken);
    hook.tap('b', () => say('b'));
    hook.seal(engine);
    expect(await hook.first({}, scopeOf().scope)).toMatchObject({ ok: false, message: 'broken' });
  });

  test('firstAnswer is not held up by a tap that never settles', async () => {
    const hook = new FirstAnswerHook<object, Said>(spec);
    hook.tap('a', hang);
    hook.seal(engine);
    const { scope, pass } = scopeOf();
    const answer = hook.first({}, scope);
    await pass(100);
    expect(await answer).toMatchObject({ ok: false, reason: 'timed_out' });
  });

  test('collectAll starts all taps at once and answers in tap order, whatever their speed', async () => {
    const hook = new CollectAllHook<object, Said>(spec);
    let free: (value: Said) => void = () => undefined;
    hook.tap('slow', () => new Promise<Said>((resolve) => (free = resolve)));
    hook.tap('quick', () => (free(say('slow')), say('quick')));
    hook.tap('throws', broken);
    hook.tap('throws too', broken);
    hook.tap('silent', () => undefined);
    hook.seal(engine);
    const answers = await hook.collect({}, scopeOf().scope);
    expect(answers.map((answer) => [answer.tap, answer.ok])).toEqual([
      ['slow', true],
      ['quick', true],
      ['throws', false],
      ['throws too', false],
    ]);
  });

  test('collectAll leaves out what is skipped, and hangs with nobody', async () => {
    const hook = new CollectAllHook<object, Said>(spec);
    hook.tap('a', () => say('a'));
    hook.tap('b', hang);
    hook.tap('c', () => say('c'));
    hook.seal(engine);
    const { scope, pass } = scopeOf();
    const answers = hook.collect({}, scope, ({ name }) => name === 'a');
    await pass(100);
    expect((await answers).map(({ tap, ok }) => [tap, ok])).toEqual([
      ['b', false],
      ['c', true],
    ]);
  });

  test('rewrite gives each tap what the one before made, and keeps what it left out', async () => {
    const hook = new RewriteHook<Said & { readonly by: string }, Said>(spec);
    hook.tap('a', async ({ said }) => say(`${said}, a`));
    hook.tap('none', () => undefined);
    hook.tap('b', ({ said }) => say(`${said}, b`));
    hook.seal(engine);
    expect(await hook.rewrite({ said: 'x', by: 'me' }, scopeOf().scope)).toEqual({
      ok: true,
      value: { said: 'x, a, b', by: 'me' },
      tap: 'toolgate',
      plugin: 'toolgate',
    });
  });

  test('rewrite ends at a failure, and no later tap runs', async () => {
    const hook = new RewriteHook<Said, Said>(spec);
    let ran = false;
    hook.tap('a', broken);
    hook.tap('b', () => void (ran = true));
    hook.seal(engine);
    expect(await hook.rewrite(say('x'), scopeOf().scope)).toMatchObject({ ok: false, tap: 'a' });
    expect(ran).toBe(false);
  });

  test('race takes the first accepted answer once and aborts the losers', async () => {
    const hook = new RaceHook<object, Said>(spec);
    const signals: AbortSignal[] = [];
    let answerLate: (value: Said) => void = () => undefined;
    hook.tap('dropped', async () => say('dropped'));
    hook.tap('fails', broken);
    hook.tap('loser', (_, { signal }) => {
      signals.push(signal);
      return new Promise<Said>((resolve) => (answerLate = resolve));
    });
    hook.tap('winner', async () => {
      await settled();
      return say('winner');
    });
    hook.seal(engine);
    const offered: string[] = [];
    const won = await hook.race({}, scopeOf().scope, (answer) => {
      offered.push(answer.tap);
      return answer.tap === 'winner';
    });
    answerLate(say('loser'));
    await settled();
    expect(won).toMatchObject({ ok: true, value: say('winner') });
    expect(offered).toEqual(['fails', 'dropped', 'winner']);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test('race without an accepted answer ends in none, also by an abort', async () => {
    const controller = new AbortController();
    const hook = new RaceHook<object, Said>({ ...spec, limitMs: Infinity });
    hook.tap('hangs', hang);
    hook.tap('dropped', () => say('x'));
    hook.seal(engine);
    const running = hook.race({}, scopeOf(controller.signal).scope, () => false);
    controller.abort();
    expect(await running).toBeUndefined();
  });

  test('a hook without taps answers at once', async () => {
    const { scope } = scopeOf();
    const make = <T extends { seal(engine: 'tapable' | 'plain'): void }>(hook: T) => {
      hook.seal(engine);
      return hook;
    };
    expect(make(new FirstAnswerHook(spec)).first({}, scope)).toBeUndefined();
    expect(make(new CollectAllHook(spec)).collect({}, scope)).toEqual([]);
    expect(make(new RewriteHook(spec)).rewrite(say('x'), scope)).toMatchObject({ value: say('x') });
    expect(await make(new RaceHook(spec)).race({}, scope, () => true)).toBeUndefined();
  });
});

describe('a tap is refused', () => {
  const hook = () => new CollectAllHook<object, Said>(spec);
  test('with a misspelled slot, and the nearest one is named', () => {
    expect(() => hook().tap({ name: 'x', slot: 'erly' }, () => undefined, 'p')).toThrow(
      'hook probe has no slot "erly" (tap "x" of p). Did you mean "early"?',
    );
  });
  test('with a misspelled option', () => {
    const options = { name: 'x', limitMS: 5 };
    expect(() => hook().tap(options, () => undefined)).toThrow(
      'tap "x" has the unknown key "limitMS". Did you mean "limitMs"?',
    );
  });
  test.for([[0], [-1], [Number.NaN]])('with the limit %s', ([limitMs = 0]) => {
    expect(() => hook().tap({ name: 'x', limitMs }, () => undefined)).toThrow(/no positive number/);
  });
  test('that is no function', () => {
    const fn: unknown = 'later';
    expect(() => hook().tap('x', fn as () => undefined)).toThrow(/is no function/);
  });
  test('whose name the same plugin already used there', () => {
    const twice = hook();
    twice.tap('x', () => undefined, 'p');
    twice.tap('x', () => undefined, 'q');
    expect(() => twice.tap('x', () => undefined, 'p')).toThrow(/is there twice/);
  });
});
