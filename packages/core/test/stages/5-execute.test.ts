import { expect, test, describe } from 'vitest';
import { z } from 'zod';
import {
  ChangedSinceApproval,
  definePlugin,
  allow,
  buildTool,
  type LedgerClaim,
  type PermittedCall,
  type ToolDef,
  type ToolEnding,
} from '../../src/index.ts';
import type { Run } from '../../src/run.ts';
import { execute } from '../../src/stages/5-execute.ts';
import {
  fakeClock,
  gateWith,
  hang,
  hastyClock,
  noUnhandledRejections,
  refusal,
  result,
  settled,
  textOf,
  toolUse,
} from '../helpers.ts';

noUnhandledRejections();

type Def = Partial<ToolDef<z.ZodObject, unknown, { n: number }>>;
const slow = (call: Def['call'], rest: Def = {}) =>
  buildTool<z.ZodObject, unknown, { n: number }>({
    name: 'Slow',
    description: '',
    inputSchema: z.object({}),
    timeoutMs: 1_000,
    call: call ?? hang,
    ...rest,
  });
const permissions = () => allow('', 'all');
const timedOut = refusal('Slow was stopped after 1000 ms. Ask for less, or raise its limit.');
const interrupted = refusal(
  'The call was interrupted before it was done. Wait for the person before trying again.',
);

describe('the time limit of a tool', () => {
  test('stops it: it is told, gets its grace, and its late result is dropped and traced', async () => {
    const { clock, pass } = fakeClock();
    const late: unknown[] = [];
    let signal: AbortSignal | undefined;
    let finish: (value: { data: string }) => void = () => undefined;
    const tool = slow((_, context) => {
      ({ signal } = context);
      return new Promise((resolve) => (finish = resolve));
    });
    const { gate } = gateWith({
      tools: [tool],
      permissions,
      clock,
      graceMs: 20,
      plugin: ({ hooks }) =>
        hooks.trace.tap(
          't',
          (event) => void (event.code === 'late-result' && late.push(event.event)),
        ),
    });
    const running = gate.run(toolUse('Slow'));
    await pass(999);
    expect(signal?.aborted).toBe(false);
    await pass(1);
    expect(signal?.aborted).toBe(true);
    await pass(20);
    expect(await running).toMatchObject({
      block: timedOut,
      code: 'tool_timed_out',
      outcome: 'failed',
    });
    finish({ data: 'late' });
    await settled();
    expect(late).toEqual(['diagnostic']);
  });

  test('within its grace a tool may still end by itself', async () => {
    const { clock, pass } = fakeClock();
    const tool = slow(
      (_, { signal }) =>
        new Promise((resolve) =>
          signal.addEventListener('abort', () => resolve({ data: 'partial' })),
        ),
    );
    const { gate } = gateWith({ tools: [tool], permissions, clock });
    const running = gate.run(toolUse('Slow'));
    await pass(1_000);
    expect((await running).block).toEqual(result('partial'));
  });

  test('a tool that throws because it was told to stop has timed out', async () => {
    const { clock, pass } = fakeClock();
    const tool = slow(
      (_, { signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(new Error('AbortError'))),
        ),
    );
    const { gate } = gateWith({ tools: [tool], permissions, clock });
    const running = gate.run(toolUse('Slow'));
    await pass(1_000);
    expect((await running).block).toEqual(timedOut);
  });
});

describe('an abort', () => {
  test('abandons a tool that ignores its signal after its grace', async () => {
    const { clock, pass } = fakeClock();
    const controller = new AbortController();
    const { gate } = gateWith({ tools: [slow(hang)], permissions, clock, graceMs: 20 });
    let ended = false;
    const running = gate
      .run(toolUse('Slow'), { signal: controller.signal })
      .finally(() => (ended = true));
    await settled();
    controller.abort();
    await pass(19);
    expect(ended).toBe(false);
    await pass(1);
    expect(await running).toMatchObject({
      block: interrupted,
      outcome: 'aborted',
      code: 'call_aborted',
    });
  });

  test('a tool that may be cancelled is left at once', async () => {
    const controller = new AbortController();
    const { clock } = fakeClock();
    const { gate } = gateWith({
      tools: [slow(hang, { interruptBehavior: () => 'cancel' })],
      permissions,
      clock,
    });
    const running = gate.run(toolUse('Slow'), { signal: controller.signal });
    await settled();
    controller.abort();
    expect((await running).block).toEqual(interrupted);
  });

  test.for([
    'lookup',
    'parse',
    'check',
    'start',
    'opinions',
    'prompt',
    'execute',
    'claim',
  ] as const)('during %s, nothing starts after it', async (when) => {
    const controller = new AbortController();
    const started: string[] = [];
    const abort = async () => {
      controller.abort();
      await settled();
      return undefined;
    };
    const claim = async (): Promise<LedgerClaim> => (await abort(), { state: 'claimed' });
    const { gate } = gateWith({
      tools: [slow(() => (started.push('tool'), { data: '' }))],
      ...(when !== 'prompt' && { permissions }),
      ...(when === 'claim' && {
        ledger: { claim, complete: () => undefined, forget: () => undefined },
      }),
      plugin: ({ hooks }) => {
        if (when !== 'claim') hooks[when].tap('abort', abort);
        const order = [
          'lookup',
          'parse',
          'check',
          'start',
          'opinions',
          'prompt',
          'execute',
          'postToolUse',
          'postToolUseFailure',
        ] as const;
        const at = order.findIndex((name) => name === (when === 'claim' ? 'execute' : when));
        for (const name of order.slice(at + 1))
          hooks[name].tap('note', () => void started.push(name));
      },
    });
    expect(await gate.run(toolUse('Slow'), { signal: controller.signal })).toMatchObject({
      outcome: 'aborted',
      block: interrupted,
    });
    expect(started).toEqual([]);
  });

  test('what a tool had finished is still read, redacted and handed on', async () => {
    const controller = new AbortController();
    const tool = slow(async () => (controller.abort(), { data: 'secret' }));
    const { gate } = gateWith({
      tools: [tool],
      permissions,
      clock: hastyClock,
      results: async ({ content }) => ({ content: textOf(content).replace('secret', '***') }),
    });
    expect(await gate.run(toolUse('Slow'), { signal: controller.signal })).toMatchObject({
      block: result('***'),
      outcome: 'ok',
    });
  });

  test('before the call nothing at all happens, and a closed gate is aborted for good', async () => {
    const { gate, ran } = gateWith({ permissions });
    const use = toolUse('Echo', { text: 'x' });
    expect((await gate.run(use, { signal: AbortSignal.abort() })).block).toEqual(interrupted);
    await gate.close();
    expect((await gate.run(use)).block).toEqual(interrupted);
    expect((await gate.runTurn({ role: 'assistant', content: [use] }).message).content).toEqual([
      interrupted,
    ]);
    expect(ran).toEqual([]);
  });
});

test('a tool that throws, or returns no data, has failed', async () => {
  for (const [call, message] of [
    [
      () => {
        throw new Error('disk full');
      },
      'disk full',
    ],
    [() => ({}) as { data: unknown }, 'Slow returned no { data }.'],
  ] as const) {
    const { gate } = gateWith({ tools: [slow(call)], permissions });
    expect(await gate.run(toolUse('Slow'))).toMatchObject({
      block: refusal(message),
      outcome: 'failed',
      code: 'tool_failed',
    });
  }
});

test('progress reaches its taps while the call runs, and not afterwards', async () => {
  let report: (data: { n: number }) => void = () => undefined;
  const heard: unknown[] = [];
  const tool = slow((_, _context, onProgress) => {
    report = onProgress;
    onProgress({ n: 1 });
    return { data: '' };
  });
  const { gate } = gateWith({
    tools: [tool],
    permissions,
    plugin: ({ hooks }) => hooks.progress.tap('p', (event) => void heard.push(event)),
  });
  await gate.run(toolUse('Slow'));
  report({ n: 2 });
  expect(heard).toEqual([{ toolUseID: 'toolu_1', data: { n: 1 } }]);
});

test('a rewrite that came with an abort is not even checked', async () => {
  const controller = new AbortController();
  const checked: unknown[] = [];
  const tool = slow(() => ({ data: '' }), {
    inputSchema: z.object({ n: z.number() }),
    validateInput: (input) => (checked.push(input), { result: true }),
  });
  const { gate } = gateWith({
    tools: [tool],
    permissions,
    plugin: ({ hooks }) =>
      hooks.start.tap('s', () => {
        controller.abort();
        return { updatedInput: { n: 2 } };
      }),
  });
  expect(await gate.run(toolUse('Slow', { n: 1 }), { signal: controller.signal })).toMatchObject({
    block: interrupted,
    outcome: 'aborted',
  });
  expect(checked).toEqual([{ n: 1 }]);
});

test('a call that is not the approved one does not run', async () => {
  let approved: PermittedCall | undefined;
  const { gate } = gateWith({
    permissions,
    plugin: ({ hooks }) => hooks.execute.tap('e', (call) => void (approved = call)),
  });
  await gate.run(toolUse('Echo', { text: 'good' }));
  if (!approved) throw new Error('nothing was approved');
  const changed = { ...approved, input: { text: 'evil' } };
  const run = { signal: new AbortController().signal } as Run; // all that is read before the refusal
  expect(await execute(changed, run)).toMatchObject({
    left: 'refused',
    refusal: { code: 'changed_since_approval', stage: 'execute' },
  });
});

test('a call that was aborted before asks nothing of its tool', async () => {
  const asked: string[] = [];
  const note = (name: string) => () => (asked.push(name), true);
  const tool = slow(() => ({ data: '' }), {
    isEnabled: note('isEnabled'),
    isReadOnly: note('isReadOnly'),
  });
  const { gate } = gateWith({ tools: [tool], permissions });
  await gate.run(toolUse('Slow'), { signal: AbortSignal.abort() });
  expect(asked).toEqual([]);
});

describe('an executor', () => {
  const ended: ToolEnding = { ok: true, result: { data: 'elsewhere' } };
  test('runs the call in the tool’s place, and its failure is final', async () => {
    for (const [executor, expected] of [
      [async () => ended, result('elsewhere')],
      [
        async () => {
          throw new Error('no worker');
        },
        refusal('The call could not be run where it should: no worker'),
      ],
      [
        async () => ({ ok: true }) as never,
        refusal(
          'The call could not be run where it should: the answer of the executor has no result with data.',
        ),
      ],
      [
        async () => undefined as never,
        refusal('The call could not be run where it should: it gave no answer'),
      ],
    ] as const) {
      const { gate, ran } = gateWith({ permissions, executor });
      expect((await gate.run(toolUse('Echo', { text: 'x' }))).block).toEqual(expected);
      expect(ran).toEqual([]);
    }
  });
  test('cannot run a call twice', async () => {
    const { gate, ran } = gateWith({
      permissions,
      executor: async (_, { run }) => (await run(), run()),
    });
    expect((await gate.run(toolUse('Echo', { text: 'x' }))).block).toEqual(result('x'));
    expect(ran).toHaveLength(1);
  });
  test('that hangs is held to the tool’s limit and its grace, as an execute tap is', async () => {
    for (const options of [
      { executor: hang },
      {
        plugin: (({ hooks }) => hooks.execute.tap('e', hang)) as Parameters<
          typeof gateWith
        >[0] extends infer T
          ? NonNullable<T extends { plugin?: infer P } ? P : never>
          : never,
      },
    ]) {
      const { clock, pass } = fakeClock();
      const { gate } = gateWith({
        tools: [slow(hang)],
        permissions,
        clock,
        graceMs: 20,
        ...options,
      });
      const running = gate.run(toolUse('Slow'));
      await pass(1_020);
      expect((await running).block).toEqual(timedOut);
    }
  });
});

describe('the ledger', () => {
  const withClaim = (claim: unknown, isReadOnly = false) =>
    gateWith({
      tools: [slow(() => ({ data: 'ran' }), { isReadOnly: () => isReadOnly })],
      permissions,
      ledger: {
        claim: () => claim as LedgerClaim,
        complete: () => undefined,
        forget: () => undefined,
      },
    }).gate.run(toolUse('Slow'));
  test.for([
    [{ state: 'claimed' }, 'ok', undefined],
    [{ state: 'started' }, 'refused', 'outcome_unknown'],
    [{ state: 'reused' }, 'refused', 'id_reused'],
    [{ state: 'done', content: 'stored', isError: false }, 'answered', undefined],
    [{ state: 'done', content: 5 }, 'refused', 'outcome_unknown'],
    [{ state: 'cliamed' }, 'refused', 'plugin_failed'],
    [undefined, 'refused', 'plugin_failed'],
  ] as const)('%j: %s', async ([claim, outcome, code]) => {
    const ended = await withClaim(claim);
    expect([ended.outcome, ended.code]).toEqual([outcome, code]);
  });
  test('a call that was started may run again if it only reads', async () => {
    expect(await withClaim({ state: 'started' }, true)).toMatchObject({ outcome: 'ok' });
  });
  test('hands out a stored result only after stages 1 to 4', async () => {
    expect((await withClaim({ state: 'done', content: 'stored', isError: false })).block).toEqual(
      result('stored'),
    );
    const denied = gateWith({
      ledger: {
        claim: () => ({ state: 'done', content: 'stored', isError: false }),
        complete: () => undefined,
        forget: () => undefined,
      },
    });
    expect(await denied.gate.run(toolUse('Echo', { text: 'x' }))).toMatchObject({
      code: 'permission_denied',
    });
  });
});

test('what a trusted tool finds changed since it was approved is a refusal; of another tool it is a failure', async () => {
  const finder = buildTool({
    name: 'Finder',
    description: '',
    inputSchema: z.object({}),
    call: () => {
      throw new ChangedSinceApproval('The file changed; try again.');
    },
  });
  const permissions = () => allow('', 'all');
  const trusted = await gateWith({ tools: [finder], permissions }).gate.run(toolUse('Finder'));
  expect(trusted).toMatchObject({
    outcome: 'refused',
    code: 'changed_since_approval',
    decision: { behavior: 'allow' },
    block: { content: '<tool_use_error>The file changed; try again.</tool_use_error>' },
  });
  const plugin = definePlugin({ name: 'pack', setup: (gate) => gate.tools.add(finder) });
  const other = await gateWith({ plugins: [plugin()], permissions }).gate.run(toolUse('Finder'));
  expect(other).toMatchObject({ outcome: 'failed', code: 'tool_failed' });
});
