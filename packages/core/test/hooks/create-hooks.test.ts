import { expect, test } from 'vitest';
import { createHooks } from '../../src/hooks/create-hooks.ts';

test('each hook has the limits and slots of the design’s table', () => {
  const table = Object.values(createHooks()).map(({ spec }) => [
    spec.name,
    spec.limitMs,
    ...(spec.slots ?? []),
  ]);
  expect(table).toEqual([
    ['lookup', 5_000],
    ['parse', 5_000],
    ['check', 30_000],
    ['start', Infinity],
    ['opinions', 30_000, 'rules', 'other'],
    ['resolve', 15_000, 'mode', 'classifier'],
    ['prompt', Infinity, 'hooks', 'classifier', 'dialog'],
    ['permissionDenied', 30_000],
    ['execute', Infinity],
    ['result', 30_000],
    ['postToolUse', 30_000],
    ['postToolUseFailure', 30_000],
    ['postToolBatch', 30_000],
    ['emit', 30_000],
    ['trace', 30_000],
    ['progress', 30_000],
  ]);
});

test('a tap’s own limit counts before the embedder’s, that before its slot’s and the table’s', () => {
  const { resolve, lookup } = createHooks({ resolve: 9, lookup: 8 });
  resolve.tap({ name: 'own', slot: 'mode', limitMs: 1 }, () => undefined);
  resolve.tap({ name: 'slot', slot: 'mode' }, () => undefined);
  resolve.tap({ name: 'hook', slot: 'classifier' }, () => undefined);
  lookup.tap('hook', () => undefined);
  expect([...resolve.taps, ...lookup.taps].map(({ limitMs }) => limitMs)).toEqual([1, 9, 9, 8]);
  const usual = createHooks().resolve;
  usual.tap({ name: 'slot', slot: 'mode' }, () => undefined);
  usual.tap({ name: 'hook', slot: 'classifier' }, () => undefined);
  expect(usual.taps.map(({ limitMs }) => limitMs)).toEqual([5_000, 15_000]);
});
