import { emptySnapshot } from '@toolgate/core';
import { expect, test } from 'vitest';
import {
  fromCanUseTool,
  modes,
  rulesBackend,
  type CanUseTool,
  type CanUseToolOptions,
  type CanUseToolResult,
} from '../../src/index.ts';
import { echoGate, toolUse } from '../helpers/gate.ts';

const gateOf = (callback: CanUseTool) =>
  echoGate({ dialog: fromCanUseTool(callback), plugins: [modes()] });
const answering = (result: CanUseToolResult | null) => gateOf(async () => result);

test('the callback hears of tool, input, reason, ids and suggestions', async () => {
  const heard: unknown[] = [];
  const { gate } = gateOf(async (tool, input, options) => {
    heard.push(tool, input, options);
    return { behavior: 'allow', updatedInput: input };
  });
  await gate.run(toolUse(), { context: { agentId: 'child' } });
  expect(heard).toEqual([
    'Echo',
    { text: 'x' },
    {
      signal: expect.any(AbortSignal),
      suggestions: [
        {
          type: 'addRules',
          rules: [{ toolName: 'Echo' }],
          behavior: 'allow',
          destination: 'session',
        },
      ],
      decisionReason: 'No rule allows this call.',
      toolUseID: 'toolu_1',
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      agentID: 'child',
    },
  ]);
});

test('allow runs the call, with the edited input if there is one', async () => {
  const { gate, ran } = answering({ behavior: 'allow' });
  expect(await gate.run(toolUse())).toMatchObject({ outcome: 'ok' });
  const edited = answering({ behavior: 'allow', updatedInput: { text: 'y' } });
  await edited.gate.run(toolUse());
  expect([...ran, ...edited.ran]).toEqual([{ text: 'x' }, { text: 'y' }]);
});

test('a callback that writes into the input it was given changes nothing', async () => {
  const { gate, ran } = gateOf(async (_tool, input) => {
    input['text'] = 'y';
    return { behavior: 'allow' };
  });
  await gate.run(toolUse());
  expect(ran).toEqual([{ text: 'x' }]);
});

test('deny refuses with the message; interrupt ends the loop', async () => {
  const { gate, ran } = answering({ behavior: 'deny', message: 'No.', interrupt: true });
  expect(await gate.run(toolUse())).toMatchObject({
    outcome: 'refused',
    block: { content: '<tool_use_error>No.</tool_use_error>' },
    stop: { reason: 'No.' },
  });
  expect(ran).toEqual([]);
});

test('suggestions handed back are kept: the next call asks no one', async () => {
  let calls = 0;
  const { gate } = gateOf(async (_tool, _input, { suggestions }: CanUseToolOptions) => {
    calls += 1;
    return { behavior: 'allow', updatedPermissions: suggestions };
  });
  await gate.run(toolUse());
  expect(gate.policy.snapshot().rules).toMatchObject([{ behavior: 'allow', text: 'Echo' }]);
  expect(calls).toBe(1);
});

test('other updates count as well', async () => {
  const { gate } = answering({
    behavior: 'allow',
    updatedPermissions: [
      { type: 'setMode', mode: 'acceptEdits', destination: 'session' },
      { type: 'addDirectories', directories: ['/q'], destination: 'session' },
    ],
  });
  await gate.run(toolUse());
  expect(gate.policy.snapshot()).toMatchObject({ mode: 'acceptEdits', directories: ['/q'] });
});

test.each<readonly [string, CanUseTool]>([
  ['null', async () => null],
  ['a throw', () => Promise.reject(new Error('broken'))],
  ['nonsense', async () => ({ behavior: 'maybe' }) as never],
  ['an answer for another call', async () => ({ behavior: 'allow', toolUseID: 'toolu_2' })],
  ['an unreadable edit', async () => ({ behavior: 'allow', updatedInput: { text: 5 } })],
])('%s is no yes', async (_what, callback) => {
  const { gate, ran } = gateOf(callback);
  expect(await gate.run(toolUse())).toMatchObject({ outcome: 'refused' });
  expect(ran).toEqual([]);
});

test('it is not asked in mode dontAsk, nor about what is settled', async () => {
  let calls = 0;
  const { gate } = gateOf(async () => (calls++, { behavior: 'allow' }));
  gate.policy.setMode('dontAsk');
  expect(await gate.run(toolUse())).toMatchObject({ outcome: 'refused' });
  expect(calls).toBe(0);
});

test('the whole snapshot stays as it is when the answer is no', async () => {
  const { gate } = answering({ behavior: 'deny', message: 'No.' });
  await gate.run(toolUse());
  expect(gate.policy.snapshot()).toEqual(emptySnapshot);
});

test('the callback hears of the ask rule that matched', async () => {
  const heard: unknown[] = [];
  const { gate } = echoGate({
    permissions: rulesBackend(),
    dialog: fromCanUseTool(async (_tool, _input, { matchedAskRule }) => {
      heard.push(matchedAskRule);
      return { behavior: 'deny', message: 'No.' };
    }),
  });
  gate.policy.addRules('session', { ask: ['Echo'] });
  await gate.run(toolUse());
  expect(heard).toEqual([{ source: 'session', toolName: 'Echo' }]);
});
