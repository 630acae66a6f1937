import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Queue } from '../../src/scheduler/queue.ts';
import { runs, settled } from '../helpers.ts';

interface Call {
  readonly isSafe: boolean;
  /** Becomes unsafe beside others while it runs, as a rewritten input does. */
  readonly turnsUnsafe: boolean;
}
const anyCall = fc.record({ isSafe: fc.boolean(), turnsUnsafe: fc.boolean() });

/** A queue whose calls tell when they may go on. */
function watched(calls: readonly Call[], limit: number) {
  const groups: number[] = [];
  const queue = new Queue(limit, (index) => void groups.push(index));
  const states = calls.map(() => 'checking' as 'checking' | 'waiting' | 'running' | 'done');
  const safe = calls.map(({ isSafe }) => isSafe);
  const places = calls.map(() => queue.join());
  const admit = async (index: number, isSafe: boolean): Promise<void> => {
    safe[index] = isSafe;
    states[index] = 'waiting';
    await queue.admit(places[index] ?? 0, isSafe);
    states[index] = 'running';
  };
  const leave = (index: number): void => {
    states[index] = 'done';
    queue.leave(places[index] ?? 0);
  };
  return { groups, queue, states, safe, admit, leave };
}

test('any calls, checked and ended in any order: each runs in its turn, alone or beside safe ones, and all do', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyCall, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 3 }),
      fc.infiniteStream(fc.nat()),
      async (calls, limit, dice) => {
        const { groups, states, safe, admit, leave } = watched(calls, limit);
        const unsafe = new Set<number>();
        const pick = (indices: readonly number[]) =>
          indices[Number(dice.next().value) % indices.length] ?? 0;
        const are = (state: string) =>
          states.flatMap((one, index) => (one === state ? [index] : []));
        for (let step = 0; are('done').length < calls.length; step++) {
          expect(step).toBeLessThan(100);
          const choices = [...are('checking'), ...are('running')];
          expect(choices.length).toBeGreaterThan(0);
          const index = pick(choices);
          if (states[index] === 'checking') void admit(index, calls[index]?.isSafe ?? false);
          else if (calls[index]?.turnsUnsafe && safe[index] && !unsafe.has(index)) {
            unsafe.add(index);
            void admit(index, false);
          } else leave(index);
          await settled();

          const running = are('running');
          expect(running.length).toBeLessThanOrEqual(limit);
          expect(running.length === 1 || running.every((one) => safe[one])).toBe(true);
          const first = states.findIndex((state) => state !== 'done');
          // Whoever runs has before it only what is done, runs beside it, or waits for a turn of its own.
          for (const one of running)
            for (const before of states.slice(0, one).keys())
              expect(
                states[before] === 'done' || states[before] === 'running' || unsafe.has(before),
              ).toBe(true);
          // The first of the order never waits for nothing.
          expect(running.length > 0 || first < 0 || states[first] === 'checking').toBe(true);
        }
        expect(groups.at(-1)).toBe(calls.length);
        expect(groups).toEqual(groups.toSorted((a, b) => a - b));
      },
    ),
    { numRuns: runs(150, 5_000) },
  );
});

describe('a place in the queue', () => {
  const all = (count: number) =>
    Array.from({ length: count }, () => ({ isSafe: true, turnsUnsafe: false }));
  test('is given at once to the first, and to a safe one beside it', async () => {
    const { states, admit } = watched(all(3), 2);
    void admit(0, true);
    void admit(1, true);
    void admit(2, true);
    await settled();
    expect(states).toEqual(['running', 'running', 'waiting']);
  });
  test('waits for one that is still checked, however long', async () => {
    const { states, admit } = watched(all(2), 2);
    void admit(1, true);
    await settled();
    expect(states).toEqual(['checking', 'waiting']);
  });
  test('is kept by a call that stays as safe as it was, or becomes safer', async () => {
    const { queue, states, admit } = watched(all(2), 2);
    void admit(0, false);
    await settled();
    expect(queue.admit(0, false)).toBeUndefined();
    expect(queue.admit(0, true)).toBeUndefined();
    void admit(1, true);
    await settled();
    expect(states).toEqual(['running', 'waiting']);
  });
  test('left by a call that never ran lets the next go on', async () => {
    const { queue, states, admit, leave } = watched(all(2), 1);
    void admit(1, false);
    leave(0);
    await settled();
    expect(states).toEqual(['done', 'running']);
    leave(0);
    queue.leave(7);
    await settled();
    expect(states).toEqual(['done', 'running']);
  });
  test('is nobody’s wait any more once the queue is open', async () => {
    const { queue, states, admit } = watched(all(3), 1);
    void admit(0, false);
    void admit(1, false);
    await settled();
    expect(states).toEqual(['running', 'waiting', 'checking']);
    queue.open();
    await settled();
    expect(states).toEqual(['running', 'running', 'checking']);
    expect(queue.admit(2, false)).toBeUndefined();
    expect(queue.admit(9, true)).toBeUndefined();
  });
  test('of a safe group is told once, with the first place that is not done', async () => {
    const { groups, admit, leave } = watched(all(4), 2);
    for (const index of [0, 1, 2]) void admit(index, true);
    await settled();
    expect(groups).toEqual([0]);
    leave(0);
    leave(1);
    await settled();
    expect(groups).toEqual([0]);
    leave(2);
    void admit(3, false);
    await settled();
    expect(groups).toEqual([0, 3]);
    leave(3);
    expect(groups).toEqual([0, 3, 4]);
  });
});
