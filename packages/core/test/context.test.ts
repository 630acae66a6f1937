import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { buildTool, deny, type ToolUseContext } from '../src/index.ts';
import { gateWith, hang, hastyClock, noUnhandledRejections, settled, toolUse } from './helpers.ts';

noUnhandledRejections();

/** A gate whose one tool hands out its context. */
function watched() {
  const seen: ToolUseContext[] = [];
  const make = (name: string) =>
    buildTool({
      name,
      description: '',
      inputSchema: z.object({ text: z.string().default('') }),
      call: (_, context) => {
        seen.push(context);
        return { data: '' };
      },
    });
  const { gate, diagnostics } = gateWith({
    tools: [make('Look'), make('Other')],
    permissions: ({ input }) =>
      input['text'] === 'no'
        ? deny('Not that.')
        : { behavior: 'allow', reason: 'Yes.', covers: 'all' },
  });
  return { gate, seen, diagnostics };
}

test('a tool sees what the embedder handed over, and nothing where it did not', async () => {
  const { gate, seen, diagnostics } = watched();
  const given = {
    commands: ['/help'],
    thinkingConfig: { type: 'enabled' },
    mcpClients: ['one'],
    agentDefinitions: ['explorer'],
    maxBudgetUsd: 3,
    queryTracking: { chainId: 'c', depth: 1 },
    fileReadingLimits: { maxTokens: 5 },
    globLimits: { maxResults: 6 },
    mainLoopModel: 'm',
    agentType: 't',
  };
  await gate.run(toolUse('Look'), { context: given });
  const { queryTracking, fileReadingLimits, globLimits, mainLoopModel, agentType, ...options } =
    given;
  expect(seen[0]?.options).toMatchObject({
    ...options,
    mainLoopModel,
    isNonInteractiveSession: true,
  });
  expect(seen[0]).toMatchObject({ queryTracking, fileReadingLimits, globLimits, agentType });
  expect(diagnostics).toEqual([]);
  await gate.run(toolUse('Look'));
  expect(seen[1]).toMatchObject({ queryTracking: undefined, parentMessage: undefined });
  expect(Object.keys(seen[1]?.options ?? {})).not.toContain('commands');
});

test('a tool sees a copy of the message that holds its call, and how the calls before it were decided', async () => {
  const { gate, seen } = watched();
  const message = {
    role: 'assistant' as const,
    content: [toolUse('Look', { text: 'no' }, { id: 'a' }), toolUse('Look', {}, { id: 'b' })],
  };
  await gate.runTurn(message).message;
  const [context] = seen;
  expect(context?.parentMessage).toEqual(message);
  expect(context?.parentMessage).not.toBe(message);
  expect(Object.isFrozen(message.content)).toBe(false);
  expect(context?.toolDecisions.get('a')).toMatchObject({ behavior: 'deny', reason: 'Not that.' });
});

test('a tool may ask what would be decided about a call of its agent; nothing runs', async () => {
  const { gate, seen } = watched();
  await gate.run(toolUse('Look'), { context: { tools: ['Look'] } });
  const [context] = seen;
  expect(await context?.canUseTool('Look', {})).toMatchObject({ behavior: 'allow' });
  expect(await context?.canUseTool('Look', { text: 'no' })).toMatchObject({ behavior: 'deny' });
  // Its agent may not use it, whatever the rules say.
  expect(await context?.canUseTool('Other', {})).toMatchObject({
    behavior: 'deny',
    reason: 'There is no tool named "Other" here.',
  });
  expect(seen).toHaveLength(1);
  expect(context?.options.refreshTools().map(({ name }) => name)).toEqual(['Look']);
  expect(Object.isFrozen(context?.options.tools)).toBe(true);
});

describe('detach', () => {
  /** A tool that answers at once and goes on until it is told to end. */
  function detaching(part: object = {}) {
    const log: string[] = [];
    let end = (): void => {};
    let again: unknown;
    const tool = buildTool({
      name: 'Long',
      description: '',
      inputSchema: z.object({}),
      timeoutMs: 50,
      call: async (_, context) => {
        const signal = context.detach({ data: 'goes on' });
        signal.addEventListener('abort', () => (log.push('told to stop'), end()));
        try {
          context.detach({ data: 'twice' });
        } catch (error) {
          again = error;
        }
        await new Promise<void>((resolve) => (end = resolve));
        log.push('ended');
        return { data: 'late' };
      },
      ...part,
    });
    const events: (string | undefined)[] = [];
    const fixture = gateWith({
      tools: [tool],
      clock: hastyClock,
      permissions: () => ({ behavior: 'allow', reason: '', covers: 'all' }),
      plugin: ({ hooks }) => hooks.trace.tap('t', ({ code }) => void (code && events.push(code))),
    });
    return { ...fixture, log, end: () => end(), again: () => again, events };
  }
  test('answers a call and lets it go on, whatever its limit and the turn’s signal say', async () => {
    const { gate, log, end, again, events } = detaching();
    const controller = new AbortController();
    const outcome = await gate.run(toolUse('Long'), { signal: controller.signal });
    expect(outcome).toMatchObject({ outcome: 'ok', block: { content: 'goes on' } });
    controller.abort();
    await new Promise((resolve) => hastyClock.after(8, () => resolve(undefined)));
    expect(log).toEqual([]);
    expect(String(again())).toContain('The call is over');
    end();
    await settled();
    expect([log, events]).toEqual([['ended'], []]);
    await gate.close();
  });
  test('what goes on is told to stop when the gate closes, and waited for', async () => {
    const { gate, log } = detaching();
    await gate.run(toolUse('Long'));
    await gate.close();
    expect(log).toEqual(['told to stop', 'ended']);
  });
  test('what does not stop keeps nobody waiting for longer than its grace', async () => {
    const { gate } = detaching({
      call: async (_: unknown, context: ToolUseContext) => {
        context.detach({ data: 'goes on' });
        return hang();
      },
    });
    await gate.run(toolUse('Long'));
    await expect(gate.close()).resolves.toBeUndefined();
  });
  test('is not for a tool that is only asked', async () => {
    const { gate } = detaching({
      validateInput: (_: unknown, context: ToolUseContext) => {
        context.detach({ data: '' });
        return { result: true };
      },
    });
    expect((await gate.run(toolUse('Long'))).block.content).toContain('Only a tool that runs');
  });
});
