import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { buildTool, deny, type Opinion, type ToolgateOptions } from '../src/index.ts';
import { gateWith, hang, hastyClock, noUnhandledRejections, runs, settled } from './helpers.ts';

noUnhandledRejections();

/** As slow as the machine; a deep run has more to do. */
const unhurried = { timeout: 600_000 };

/** What may happen to a call, one after the other wherever foreign code is asked. */
const conduct = fc.constantFrom('at once', 'soon', 'later', 'throws', 'hangs');
type Conduct = 'at once' | 'soon' | 'later' | 'throws' | 'hangs';
async function behave<T>(how: Conduct, value: T): Promise<T> {
  if (how === 'throws') throw new Error('fault');
  if (how === 'hangs') return hang();
  if (how === 'soon') await Promise.resolve();
  if (how === 'later') await settled();
  return value;
}

const aUse = fc.record({
  type: fc.constant('tool_use'),
  id: fc.constantFrom<unknown>('a', 'b', 'c', 'd', 'e', 7),
  name: fc.constantFrom('Safe', 'Alone', 'Cancel', 'Old', 'Nobody'),
  input: fc.oneof(
    fc.record({
      how: conduct,
      size: fc.constantFrom(0, 10, 5_000),
      moves: fc.boolean(),
    }),
    fc.constantFrom<unknown>({}, 'text', null, { how: 5 }, { how: 'at once', size: '10' }),
  ),
});
const aTurn = fc.record({
  content: fc.array(
    fc.oneof({ weight: 6, arbitrary: aUse }, fc.constant({ type: 'text', text: 'x' })),
    { maxLength: 7 },
  ),
  taps: fc.dictionary(
    fc.constantFrom(
      'lookup',
      'parse',
      'check',
      'start',
      'opinions',
      'resolve',
      'prompt',
      'execute',
      'result',
      'postToolUse',
      'postToolUseFailure',
      'postToolBatch',
      'permissionDenied',
      'emit',
      'trace',
      'progress',
    ),
    conduct,
    { maxKeys: 3 },
  ),
  permission: fc.constantFrom('allow', 'deny', 'ask', 'nothing', 'throws'),
  dialog: fc.constantFrom<Conduct | 'nobody'>('nobody', 'at once', 'later', 'throws', 'hangs'),
  siblings: fc.constantFrom('independent' as const, 'cancel' as const),
  /** Whole, or block by block while the model speaks. */
  isStream: fc.boolean(),
  abortAfter: fc.option(fc.nat(6), { nil: undefined }),
});
type Turn = typeof aTurn extends fc.Arbitrary<infer T> ? T : never;

/** Plays one turn and tells what its tools saw. */
async function play(turn: Turn) {
  const controller = new AbortController();
  const started: { readonly id: string; readonly aborted: boolean }[] = [];
  let running = 0;
  let beside = 0;
  const make = (name: string, part: object) =>
    buildTool({
      name,
      description: '',
      timeoutMs: 50,
      maxResultSizeChars: 2_000,
      inputSchema: z.object({
        how: z.enum(['at once', 'soon', 'later', 'throws', 'hangs']),
        size: z.number(),
        moves: z.boolean().default(false),
      }),
      call: async ({ how, size, moves }, context, onProgress) => {
        started.push({ id: context.toolUseId, aborted: controller.signal.aborted });
        // A tool that was told to stop and does not is left behind: it runs beside others from then on.
        const left = new Promise<void>((resolve) =>
          context.signal.addEventListener('abort', () => resolve()),
        );
        let end = () => {};
        const ended = new Promise<void>((resolve) => (end = resolve));
        void Promise.race([left, ended]).then(() => (running -= 1));
        running += 1;
        if (name === 'Alone') beside = Math.max(beside, running - 1);
        onProgress({ how });
        try {
          return {
            data: await behave(how, 'x'.repeat(size)),
            ...(moves && { contextModifier: () => ({ cwd: '/p/sub' }) }),
          };
        } finally {
          end();
        }
      },
      ...part,
    });
  const opinion = (): Opinion | undefined => {
    if (turn.permission === 'throws') throw new Error('fault');
    if (turn.permission === 'deny') return deny('No.');
    if (turn.permission === 'allow') return { behavior: 'allow', reason: '', covers: 'all' };
    return turn.permission === 'ask'
      ? { behavior: 'ask', strength: 'ask', reason: '?' }
      : undefined;
  };
  const options: ToolgateOptions = {
    clock: hastyClock,
    graceMs: 5,
    maxTurnResultChars: 4_000,
    siblings: turn.siblings,
    store: { store: async () => '/kept', owns: () => false },
    permissions: opinion,
    ...(turn.dialog !== 'nobody' && {
      dialog: () => behave(turn.dialog as Conduct, { behavior: 'allow' } as const),
    }),
    tools: [
      make('Safe', { isReadOnly: () => true, isConcurrencySafe: () => true }),
      make('Alone', { aliases: ['Also'], deprecatedAliases: ['Old'] }),
      make('Cancel', { interruptBehavior: () => 'cancel' }),
    ],
  };
  const { gate } = gateWith({
    ...options,
    plugin: ({ hooks }) => {
      for (const [name, how] of Object.entries(turn.taps))
        hooks[name as 'emit'].tap({ name: 'any', limitMs: 8 }, () => behave(how, undefined));
    },
  });
  const message = { role: 'assistant' as const, content: turn.content as never };
  const before = JSON.stringify(message);
  const stream = async function* () {
    for (const block of turn.content) {
      await Promise.resolve();
      yield block as { type: string };
    }
  };
  const input = turn.isStream ? stream() : message;
  const playing = gate.runTurn(input, { signal: controller.signal });
  // A person who never answers is waited for until an abort.
  const abortAfter = turn.abortAfter ?? (turn.dialog === 'hangs' ? 6 : undefined);
  if (abortAfter !== undefined) {
    for (let step = 0; step < abortAfter; step++) await settled();
    controller.abort();
  }
  const outcomes = await playing.outcomes;
  const answer = await playing.message;
  await gate.close();
  const untouched =
    JSON.stringify(message) === before &&
    turn.content.every(
      (block) =>
        (!Object.isFrozen(block) && !Object.isFrozen(block['input' as never] ?? {})) ||
        typeof block['input' as never] !== 'object',
    );
  return { outcomes, answer, started, beside, untouched };
}

describe('any turn, whatever its tools, plugins and people do, aborted at any time', () => {
  test('holds invariants 1, 2, 5, 6, 7 and 8', unhurried, async () => {
    await fc.assert(
      fc.asyncProperty(aTurn, async (turn) => {
        const { outcomes, answer, started, beside, untouched } = await play(turn);
        const all = turn.content.filter(({ type }) => type === 'tool_use');
        // What a model says after an abort is not heard.
        const uses = turn.isStream ? all.slice(0, outcomes.length) : all;
        expect(
          uses.length === all.length || turn.abortAfter !== undefined || turn.dialog === 'hangs',
        ).toBe(true);
        const idOf = (use: object) => {
          const id: unknown = Reflect.get(use, 'id');
          return typeof id === 'string' ? id : '';
        };
        // 1: one result per call, in order, and before anything else.
        expect(outcomes.map(({ block }) => block.tool_use_id)).toEqual(uses.map(idOf));
        expect(answer.content.slice(0, uses.length)).toEqual(outcomes.map(({ block }) => block));
        expect(answer.content.slice(uses.length).every(({ type }) => type === 'text')).toBe(true);
        // 2: every failure has its code; what succeeded has none.
        for (const { outcome, code, block } of outcomes)
          expect([outcome, code === undefined, block.is_error === true]).toEqual(
            outcome === 'ok' ? ['ok', true, false] : [outcome, false, true],
          );
        // 5: nothing runs that nothing allowed, nothing twice, and what is alone is alone.
        const ran = started.map(({ id }) => id);
        expect(new Set(ran).size).toBe(ran.length);
        const decided = new Map(
          outcomes.map(({ block, decision }) => [block.tool_use_id, decision]),
        );
        for (const id of ran) expect(decided.get(id)?.behavior).not.toBe('deny');
        expect(beside).toBe(0);
        // 6: the model's own objects stay as they were.
        expect(untouched).toBe(true);
        // 7: nothing starts after an abort.
        expect(started.filter(({ aborted }) => aborted)).toEqual([]);
        // 8: what the model gets is bounded.
        const sizes = outcomes.map(({ block }) => JSON.stringify(block.content).length);
        expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(4_000 + 1_800 * 7);
      }),
      { numRuns: runs(500, 20_000) },
    );
  });
});
