import { expect, test } from 'vitest';
import { z } from 'zod';
import { buildTool, deny, type ToolUseContext } from '../src/index.ts';
import { gateWith, noUnhandledRejections, toolUse } from './helpers.ts';

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
