import { expect, test } from 'vitest';
import { allow, deny, type Opinion } from '../../src/index.ts';
import { gateWith, noUnhandledRejections, toolUse } from '../helpers.ts';

noUnhandledRejections();

/** A gate whose start tap keeps its signals; what it was at the opinions is kept, too. */
function watched(permissions: () => Opinion, rewrites = false) {
  const signals: AbortSignal[] = [];
  const whenJudged: boolean[] = [];
  const { gate } = gateWith({
    permissions: () => {
      whenJudged.push(signals.at(-1)?.aborted ?? true);
      return permissions();
    },
    plugin: ({ hooks }) => {
      hooks.start.tap('slow', ({ signal }) => void signals.push(signal));
      if (rewrites) hooks.start.tap('rewrite', () => ({ updatedInput: { text: 'new' } }));
    },
  });
  return { gate, signals, whenJudged };
}

test.for([
  ['allowed', () => allow('fine', 'all')],
  ['denied', () => deny('no')],
] as const)(
  'work for the decision is ended when the call is %s, and not before',
  async ([, say]) => {
    const { gate, signals, whenJudged } = watched(say);
    await gate.run(toolUse('Echo', { text: 'x' }));

    expect(whenJudged).toEqual([false]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  },
);

test('work for an input that was replaced is ended at once, that for the new one at the decision', async () => {
  const { gate, signals, whenJudged } = watched(() => allow('fine', 'all'), true);
  await gate.run(toolUse('Echo', { text: 'old' }));

  expect(whenJudged).toEqual([false]);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
});

test('work for the decision is ended when the call is aborted', async () => {
  const aborting = new AbortController();
  const { gate, signals } = watched(() => {
    aborting.abort();
    expect(signals[0]?.aborted).toBe(true);
    return allow('fine', 'all');
  });
  const { outcome } = await gate.run(toolUse('Echo', { text: 'x' }), { signal: aborting.signal });

  expect(outcome).toBe('aborted');
});
