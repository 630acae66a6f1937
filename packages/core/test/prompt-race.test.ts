import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allow, type PermissionAnswer } from '../src/index.ts';
import { fakeClock, gateWith, noUnhandledRejections, settled, toolUse } from './helpers.ts';

noUnhandledRejections();

type Who = 'person' | 'hook' | 'classifier';
interface Say {
  readonly who: Who;
  readonly behavior: 'allow' | 'deny';
}

/** Lets everybody answer, in that order; gives what became of the call, how often it ran, and who was told to stop. */
async function race(says: readonly Say[]) {
  const { clock, pass } = fakeClock();
  const answers: Partial<Record<Who, (say: Say) => void>> = {};
  const told: Who[] = [];
  const waitsFor = <T>(who: Who, signal: AbortSignal, as: (say: Say) => T) =>
    new Promise<T>((resolve) => {
      answers[who] = (say) => resolve(as(say));
      signal.addEventListener('abort', () => told.push(who));
    });
  const answer = ({ behavior }: Say): PermissionAnswer => ({ behavior });
  const { gate, ran } = gateWith({
    clock,
    dialog: (_prompt, { signal }) => waitsFor('person', signal, answer),
    plugin: ({ hooks }) => {
      hooks.prompt.tap({ name: 'h', slot: 'hooks' }, (_input, { signal }) =>
        waitsFor('hook', signal, (say) => ({ by: 'hook' as const, answer: answer(say) })),
      );
      hooks.resolve.tap({ name: 'c', slot: 'classifier' }, (_input, { signal }) =>
        waitsFor('classifier', signal, ({ behavior }) =>
          behavior === 'allow' ? allow('Fine.', 'all') : undefined,
        ),
      );
    },
  });
  const outcome = gate.run(toolUse('Echo', { text: 'x' }));
  await pass(2_000);
  for (const say of says) {
    answers[say.who]?.(say);
    await settled();
  }
  return { outcome: (await outcome).outcome, ran: ran.length, told: told.toSorted() };
}

const behavior = fc.constantFrom('allow', 'deny') satisfies fc.Arbitrary<Say['behavior']>;
const says = fc
  .record({ person: behavior, hook: behavior, classifier: behavior })
  .chain((all) =>
    fc
      .shuffledSubarray<Who>(['person', 'hook', 'classifier'], { minLength: 3 })
      .map((order) => order.map((who): Say => ({ who, behavior: all[who] }))),
  );

test('whoever answers first decides, once, and what comes later changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(says, async (order) => {
      // A classifier can only allow; of anything else nobody hears.
      const first = order.find(
        ({ who, behavior: said }) => who !== 'classifier' || said === 'allow',
      );
      const isAllowed = first?.behavior === 'allow';
      const { outcome, ran, told } = await race(order);
      expect({ outcome, ran }).toEqual({
        outcome: isAllowed ? 'ok' : 'refused',
        ran: isAllowed ? 1 : 0,
      });
      // The losers among those who were asked are told, so that an open question goes away.
      expect(told).toEqual(['hook', 'person'].filter((who) => who !== first?.who));
    }),
    { numRuns: 60 },
  );
});
