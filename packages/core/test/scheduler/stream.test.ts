import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { buildTool, type PermissionBackend } from '../../src/index.ts';
import {
  gateWith,
  hang,
  hastyClock,
  noUnhandledRejections,
  refusal,
  result,
  settled,
  toolUse,
} from '../helpers.ts';

noUnhandledRejections();

/** A model that says its blocks when it is told to. */
function model() {
  const said: (() => Promise<IteratorResult<{ type: string }>>)[] = [];
  let wake: (() => void) | undefined;
  let closed = false;
  const say = async (step: () => Promise<IteratorResult<{ type: string }>>) => {
    said.push(step);
    wake?.();
    await settled();
  };
  const blocks: AsyncIterable<{ type: string }> = {
    [Symbol.asyncIterator]: () => ({
      async next() {
        while (said.length === 0) await new Promise<void>((resolve) => (wake = resolve));
        return said.shift()?.() ?? { done: true, value: undefined };
      },
      async return() {
        closed = true;
        return { done: true, value: undefined };
      },
    }),
  };
  return {
    blocks,
    isClosed: () => closed,
    block: (value: { type: string }) => say(async () => ({ done: false, value })),
    end: () => say(async () => ({ done: true, value: undefined })),
    breaks: () => say(() => Promise.reject(new Error('connection lost'))),
  };
}

function tools() {
  const log: string[] = [];
  const finish = new Map<string, (failure?: Error) => void>();
  const make = (name: string, isSafe: boolean) =>
    buildTool({
      name,
      description: '',
      inputSchema: z.object({}),
      isReadOnly: () => isSafe,
      isConcurrencySafe: () => isSafe,
      interruptBehavior: () => 'cancel',
      call: async (_, { toolUseId, signal }) => {
        log.push(`+${toolUseId}`);
        await new Promise<void>((resolve, reject) => {
          finish.set(toolUseId, (failure) => (failure ? reject(failure) : resolve()));
          signal.addEventListener('abort', () => reject(new Error('told to stop')));
        });
        log.push(`-${toolUseId}`);
        return { data: toolUseId };
      },
    });
  const end = async (id: string, failure?: Error) => {
    finish.get(id)?.(failure);
    await settled();
  };
  return { tools: [make('Safe', true), make('Alone', false)], log, end };
}
const permissions: PermissionBackend = () => ({ behavior: 'allow', reason: '', covers: 'all' });
const use = (name: string, id: string) => toolUse(name, {}, { id });

describe('a turn that is fed while the model still speaks', () => {
  test('starts each call in its turn as soon as its block is there', async () => {
    const { blocks, block, end: hush } = model();
    const { tools: given, log, end } = tools();
    const { gate } = gateWith({ tools: given, permissions });
    const turn = gate.runTurn(blocks);
    await block({ type: 'text' });
    await block(use('Safe', 'a'));
    expect(log).toEqual(['+a']);
    await block(use('Safe', 'b'));
    await block(use('Alone', 'c'));
    await block(use('Safe', 'd'));
    expect(log).toEqual(['+a', '+b']);
    await end('b');
    expect(log).toEqual(['+a', '+b', '-b']);
    await end('a');
    expect(log.slice(3)).toEqual(['-a', '+c']);
    await hush();
    await end('c');
    await end('d');
    expect((await turn.message).content).toEqual(['a', 'b', 'c', 'd'].map((id) => result(id, id)));
  });
  test('that breaks off answers every call that had come', async () => {
    const { blocks, block, breaks } = model();
    const { tools: given, end } = tools();
    const { gate, diagnostics } = gateWith({ tools: given, permissions });
    const turn = gate.runTurn(blocks);
    await block(use('Safe', 'a'));
    await breaks();
    await end('a');
    expect((await turn.message).content).toEqual([result('a', 'a')]);
    expect(diagnostics).toEqual([
      {
        code: 'stream-broke',
        severity: 'warning',
        message:
          "the model's message broke off: connection lost. Each call that had come whole is answered.",
      },
    ]);
  });
  test('hears nothing after an abort, and closes the stream', async () => {
    const { blocks, block, isClosed } = model();
    const { tools: given, log } = tools();
    const { gate } = gateWith({ tools: given, permissions });
    const controller = new AbortController();
    const turn = gate.runTurn(blocks, { signal: controller.signal });
    await block(use('Safe', 'a'));
    controller.abort();
    await block(use('Safe', 'b'));
    expect(
      (await turn.outcomes).map(({ outcome, block: { tool_use_id: id } }) => [id, outcome]),
    ).toEqual([['a', 'aborted']]);
    expect([log, isClosed()]).toEqual([['+a'], true]);
  });
  test.for<[string, unknown]>([
    ['hangs', { next: hang }],
    [
      'throws at once',
      {
        next: () => {
          throw new Error('x');
        },
      },
    ],
    ['answers nonsense', { next: async () => undefined }],
    [
      'hands over what is none',
      {
        next: (() => {
          let n = 0;
          return async () => ({
            done: (n += 1) > 3,
            value: [
              null,
              5,
              {
                get type() {
                  throw new Error('x');
                },
              },
            ][n - 1],
          });
        })(),
      },
    ],
    ['cannot be closed', { next: hang, return: () => Promise.reject(new Error('x')) }],
  ])('by a stream that %s still ends', async ([, iterator]) => {
    const { gate } = gateWith();
    const controller = new AbortController();
    const turn = gate.runTurn({ [Symbol.asyncIterator]: () => iterator } as never, {
      signal: controller.signal,
    });
    await settled();
    controller.abort();
    expect((await turn.message).content).toEqual([]);
  });
  test('by a stream that cannot be opened is refused', () => {
    const { gate } = gateWith();
    const broken = {
      [Symbol.asyncIterator]() {
        throw new Error('x');
      },
    };
    expect(() => gate.runTurn(broken as never)).toThrow('runTurn takes an assistant message');
  });
  test('refuses the second of two calls with one id, wherever it comes', async () => {
    const { blocks, block, end: hush } = model();
    const { tools: given, end } = tools();
    const { gate } = gateWith({ tools: given, permissions });
    const turn = gate.runTurn(blocks);
    await block(use('Safe', 'a'));
    await block(use('Safe', 'a'));
    await hush();
    await end('a');
    expect((await turn.outcomes).map(({ code }) => code)).toEqual([undefined, 'duplicate_id']);
  });
});

describe('siblings', () => {
  const cancelled = (id: string) =>
    refusal(
      'The call was cancelled because another call of the same message failed: Safe (a). See to that one first, then send this call again if it is still wanted.',
      id,
    );
  const content = ['a', 'b'].map((id) => use('Safe', id)).concat([use('Alone', 'c')]);
  test('are independent unless the gate says otherwise', async () => {
    const { tools: given, end } = tools();
    const { gate } = gateWith({ tools: given, permissions });
    const turn = gate.runTurn({ role: 'assistant', content });
    await settled();
    await end('a', new Error('broken'));
    await end('b');
    await end('c');
    expect((await turn.outcomes).map(({ outcome }) => outcome)).toEqual(['failed', 'ok', 'ok']);
  });
  test('are cancelled with the first that fails, which they name, whether they ran or waited', async () => {
    const { tools: given, log, end } = tools();
    const { gate } = gateWith({
      tools: given,
      permissions,
      siblings: 'cancel',
    });
    const turn = gate.runTurn({ role: 'assistant', content });
    await settled();
    await end('a', new Error('broken'));
    const [first, ...rest] = await turn.outcomes;
    expect(first).toMatchObject({ outcome: 'failed', code: 'tool_failed' });
    expect(rest.map(({ block }) => block)).toEqual([cancelled('b'), cancelled('c')]);
    expect(rest.map(({ code }) => code)).toEqual(['call_aborted', 'call_aborted']);
    expect(log).toEqual(['+a', '+b']);
  });
  test('that come later in a stream are cancelled too, and each has its result', async () => {
    const { blocks, block, end: hush } = model();
    const { tools: given, end } = tools();
    const { gate } = gateWith({
      tools: given,
      permissions,
      siblings: 'cancel',
    });
    const turn = gate.runTurn(blocks);
    await block(use('Safe', 'a'));
    await end('a', new Error('broken'));
    await block(use('Safe', 'b'));
    await hush();
    expect((await turn.message).content.slice(1)).toEqual([cancelled('b')]);
  });
  test('leave nothing on the signal of the session when the turn is over', async () => {
    const { tools: given, end } = tools();
    const { gate } = gateWith({ tools: given, permissions });
    const { signal } = new AbortController();
    const turn = gate.runTurn({ role: 'assistant', content: [use('Safe', 'a')] }, { signal });
    await settled();
    expect(getEventListeners(signal, 'abort').length).toBeGreaterThan(0);
    await end('a');
    await turn.message;
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
  test('of a call that was refused are left alone', async () => {
    const { tools: given, end } = tools();
    const { gate } = gateWith({
      tools: given,
      siblings: 'cancel',
      permissions: ({ toolUse: { id } }) =>
        id === 'a'
          ? { behavior: 'deny', reason: 'No.' }
          : { behavior: 'allow', reason: '', covers: 'all' },
    });
    const turn = gate.runTurn({ role: 'assistant', content });
    await settled();
    await end('b');
    await end('c');
    expect((await turn.outcomes).map(({ outcome }) => outcome)).toEqual(['refused', 'ok', 'ok']);
  });
});

describe('retry', () => {
  const passing = () => Object.assign(new Error('reset'), { code: 'ECONNRESET' });
  const failing = (failures: readonly (Error | undefined)[], part: object = {}) => {
    let runs = 0;
    const tool = buildTool({
      name: 'Net',
      description: '',
      inputSchema: z.object({}),
      isIdempotent: () => true,
      call: () => {
        const failure = failures[runs];
        runs += 1;
        if (failure) throw failure;
        return { data: `attempt ${runs}` };
      },
      ...part,
    });
    const events: unknown[] = [];
    const { gate } = gateWith({
      tools: [tool],
      clock: hastyClock,
      permissions,
      retry: { attempts: 3, backoffMs: 1 },
      plugin: ({ hooks }) =>
        hooks.trace.tap('t', (event) => {
          if (event.event === 'retry') events.push([event.attempt, event.code]);
        }),
    });
    return { gate, runs: () => runs, events };
  };
  const net = toolUse('Net');
  test('runs a trusted idempotent tool again after a passing failure, each attempt in the trace', async () => {
    const { gate, runs, events } = failing([
      passing(),
      Object.assign(new Error('x'), { retryable: true }),
    ]);
    expect((await gate.run(net)).block.content).toBe('attempt 3');
    expect([runs(), events]).toEqual([
      3,
      [
        [2, 'tool_failed'],
        [3, 'tool_failed'],
      ],
    ]);
  });
  test('ends with the last failure when the attempts are used up', async () => {
    const { gate, runs } = failing([passing(), passing(), passing(), passing()]);
    expect((await gate.run(net)).code).toBe('tool_failed');
    expect(runs()).toBe(3);
  });
  test('after a time limit, too', async () => {
    const { gate, runs } = failing([], {
      timeoutMs: 5,
      interruptBehavior: () => 'cancel',
      call: hang,
    });
    expect(runs()).toBe(0);
    const outcome = await gate.run(net);
    expect(outcome.code).toBe('tool_timed_out');
  });
  test.for<[string, readonly Error[], object]>([
    ['another failure', [new Error('no such thing')], {}],
    ['a tool that is not idempotent', [passing()], { isIdempotent: () => false }],
    [
      'a tool that cannot say',
      [passing()],
      {
        isIdempotent: () => {
          throw new Error('x');
        },
      },
    ],
  ])('is not for %s', async ([, failures, part]) => {
    const { gate, runs, events } = failing(failures, part);
    expect((await gate.run(net)).code).toBe('tool_failed');
    expect([runs(), events]).toEqual([1, []]);
  });
  test('stops with an abort, also while it waits', async () => {
    const controller = new AbortController();
    const { gate, runs } = failing([passing(), passing(), passing()], {});
    const running = gate.run(net, { signal: controller.signal });
    controller.abort();
    expect((await running).outcome).toBe('aborted');
    expect(runs()).toBeLessThanOrEqual(1);
  });
});

test('a plugin replaces its tools while the gate is at work; others’ names stay theirs', async () => {
  const make = (name: string) =>
    buildTool({
      name,
      description: '',
      inputSchema: z.object({}),
      isReadOnly: () => true,
      call: (_, { options }) => ({
        data: options
          .refreshTools()
          .map((tool) => tool.name)
          .join(),
      }),
    });
  let refresh: (names: readonly string[]) => void = () => undefined;
  const { gate } = gateWith({
    tools: [make('Own')],
    permissions,
    plugin: ({ tools: brought }) => {
      brought.add(make('A'));
      refresh = (names) => brought.refresh(names.map(make));
    },
  });
  const names = async () => (await gate.toolDefinitions()).map(({ name }) => name);
  expect(await names()).toEqual(['Own', 'A']);
  refresh(['B', 'C']);
  expect(await names()).toEqual(['Own', 'B', 'C']);
  expect((await gate.run(toolUse('A'))).code).toBe('tool_not_found');
  expect((await gate.run(toolUse('Own'))).block.content).toBe('Own,B,C');
  // What a plugin brings is not trusted by that, the first time or later (security rule 7).
  expect((await gate.explain(toolUse('B'))).trail.length).toBeGreaterThan(0);
  expect(() => refresh(['Own'])).toThrow('the name "Own" already belongs to tool Own');
  expect(await names()).toEqual(['Own', 'B', 'C']);
});
