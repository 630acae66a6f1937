import { expect, test } from 'vitest';
import {
  allow,
  ask,
  deny,
  emptySnapshot,
  type Opinion,
  type PermissionMode,
  type PermissionPrompt,
} from '../src/index.ts';
import { fakeClock, gateWith, noUnhandledRejections, settled, toolUse } from './helpers.ts';

noUnhandledRejections();

/** A call nobody is certain about, a classifier that answers when told, and a dialog that is open until told. */
function racing({ mode = 'default', verdict }: { mode?: PermissionMode; verdict?: Opinion } = {}) {
  const { clock, pass } = fakeClock();
  const settings = { ...emptySnapshot, mode };
  let judge: (opinion: Opinion | undefined) => void = () => undefined;
  let answer: (behavior: 'allow' | 'deny') => void = () => undefined;
  const seen: { prompt?: PermissionPrompt; withdrawn: boolean; touched: () => void } = {
    withdrawn: false,
    touched: () => undefined,
  };
  const { gate, ran, diagnostics } = gateWith({
    clock,
    settings: { current: () => settings },
    ...(verdict && { permissions: () => verdict }),
    dialog: (prompt, { signal, touched }) => {
      Object.assign(seen, { prompt, touched });
      signal.addEventListener('abort', () => (seen.withdrawn = true));
      return new Promise((resolve) => (answer = (behavior) => resolve({ behavior })));
    },
    plugin: ({ hooks }) => {
      hooks.resolve.tap({ name: 'm', slot: 'mode' }, () => undefined);
      hooks.resolve.tap(
        { name: 'c', slot: 'classifier' },
        () => new Promise((resolve) => (judge = resolve)),
      );
    },
  });
  const outcome = gate.run(toolUse('Echo', { text: 'x' }));
  const told = {
    judge: (opinion?: Opinion) => judge(opinion),
    answer: (b: 'allow' | 'deny') => answer(b),
  };
  return { outcome, ran, pass, seen, diagnostics, ...told };
}
const yes = allow('It is fine.', 'all');

test('a classifier that is quick answers before anybody is asked', async () => {
  const { outcome, pass, judge, seen } = racing();
  await pass(1_999);
  judge(yes);
  expect(await outcome).toMatchObject({ outcome: 'ok' });
  expect(seen.prompt).toBeUndefined();
});

test('after two seconds a person is asked, and a late allow withdraws the question', async () => {
  const { outcome, ran, pass, judge, seen } = racing();
  await pass(2_000);
  expect(seen.prompt).toMatchObject({ classifier: 'pending' });
  judge(yes);
  expect((await outcome).decision).toMatchObject({
    behavior: 'allow',
    reason: 'The classifier allowed it.',
  });
  expect([ran.length, seen.withdrawn]).toEqual([1, true]);
});

test('a person who answers first decides, whatever the classifier says then', async () => {
  const { outcome, ran, pass, judge, answer } = racing();
  await pass(2_000);
  answer('deny');
  judge(yes);
  expect(await outcome).toMatchObject({ outcome: 'refused' });
  expect(ran).toEqual([]);
});

test('once a person has begun to answer, a late allow does not count', async () => {
  const { outcome, ran, pass, judge, answer, seen, diagnostics } = racing();
  await pass(2_000);
  seen.touched();
  judge(yes);
  await settled();
  expect([seen.withdrawn, ran]).toEqual([false, []]);
  expect(diagnostics).toMatchObject([{ code: 'answer-dropped' }]);
  answer('deny');
  expect(await outcome).toMatchObject({ outcome: 'refused' });
});

test.each([
  ['deny', deny('No.')],
  ['ask', ask('Hm.')],
  ['nothing', undefined],
])('a late %s leaves it to the person', async (_what, opinion) => {
  const { outcome, pass, judge, answer } = racing();
  await pass(2_000);
  judge(opinion);
  await settled();
  answer('allow');
  expect(await outcome).toMatchObject({ outcome: 'ok' });
});

test('an ask is for a person: a classifier is not waited for, and its allow does not count', async () => {
  const { outcome, ran, pass, judge, answer, seen } = racing({ verdict: ask('Sure?') });
  judge(yes);
  await pass(0);
  judge(yes);
  await settled();
  expect(seen.prompt).toBeDefined();
  answer('deny');
  expect(await outcome).toMatchObject({ outcome: 'refused' });
  expect(ran).toEqual([]);
});

test('in mode auto the classifier decides, so it is waited for', async () => {
  const { outcome, pass, judge, seen } = racing({ mode: 'auto' });
  await pass(14_000);
  expect(seen.prompt).toBeUndefined();
  judge(deny('No.'));
  expect(await outcome).toMatchObject({ outcome: 'refused' });
});
