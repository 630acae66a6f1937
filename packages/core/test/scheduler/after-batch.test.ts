import { expect, test } from 'vitest';
import { allow, type BatchInput, type PluginGate, type ToolLedger } from '../../src/index.ts';
import { gateWith, noUnhandledRejections, toolUse } from '../helpers.ts';

noUnhandledRejections();

const permissions = () => allow('fine', 'all');
const message = {
  role: 'assistant' as const,
  content: [toolUse('Echo', { text: 'a' }, { id: '1' }), toolUse('Nope', { x: 1 }, { id: '2' })],
};

test('when all calls of a turn have ended, each is shown with the block that answers it', async () => {
  const seen: BatchInput[] = [];
  const plugin = (gate: PluginGate) =>
    gate.hooks.postToolBatch.tap('look', (batch) => void seen.push(batch));
  const { gate } = gateWith({ permissions, plugin });

  const { content } = await gate.runTurn(message).message;

  expect(seen).toHaveLength(1);
  expect(seen[0]?.calls).toEqual([
    { toolUse: { id: '1', name: 'Echo', input: { text: 'a' } }, block: content.at(0) },
    { toolUse: { id: '2', name: 'Nope', input: { x: 1 } }, block: content.at(1) },
  ]);
});

test('what is said of a batch comes after all results, and may end the loop', async () => {
  const plugin = (gate: PluginGate) => {
    gate.hooks.postToolBatch.tap('a', () => ({ context: 'Run the tests.' }));
    gate.hooks.postToolBatch.tap('b', () => ({ preventContinuation: { stopReason: 'Enough.' } }));
  };
  const { gate } = gateWith({ permissions, plugin });
  const turn = gate.runTurn(message);

  expect((await turn.message).content.at(2)).toEqual({ type: 'text', text: 'Run the tests.' });
  expect((await turn.outcomes).map(({ stop }) => stop)).toEqual([undefined, { reason: 'Enough.' }]);
});

test('a tap that fails is reported and changes nothing', async () => {
  const plugin = (gate: PluginGate) =>
    gate.hooks.postToolBatch.tap('broken', () => {
      throw new Error('no luck');
    });
  const { gate, diagnostics } = gateWith({ permissions, plugin });

  expect((await gate.runTurn(message).message).content).toHaveLength(2);
  expect(diagnostics).toMatchObject([{ code: 'post-hook-failed' }]);
});

test('nobody hears of a turn without calls, of an aborted one, or of a single call', async () => {
  let heard = 0;
  const plugin = (gate: PluginGate) =>
    gate.hooks.postToolBatch.tap('count', () => void (heard += 1));
  const { gate } = gateWith({ permissions, plugin });

  await gate.runTurn({ role: 'assistant', content: [] }).message;
  await gate.runTurn(message, { signal: AbortSignal.abort() }).message;
  await gate.run(toolUse('Echo', { text: 'a' }));

  expect(heard).toBe(0);
});

test('turns of an agent inside the session do not shift the positions of the session’s own', async () => {
  const turns: [string, number][] = [];
  const ledger: ToolLedger = {
    claim({ agentId, turn }) {
      turns.push([agentId, turn]);
      return { state: 'claimed' };
    },
    complete: () => undefined,
    forget: () => undefined,
  };
  const { gate } = gateWith({ permissions, ledger });

  await gate.run(toolUse('Echo', { text: 'a' }));
  await gate.run(toolUse('Echo', { text: 'a' }), { context: { agentId: 'helper' } });
  await gate.run(toolUse('Echo', { text: 'a' }), { context: { agentId: 'helper' } });
  await gate.run(toolUse('Echo', { text: 'a' }));

  expect(turns).toEqual([
    ['', 1],
    ['helper', -1],
    ['helper', -2],
    ['', 2],
  ]);
});

test('taps learn which agent makes a call', async () => {
  const seen: unknown[] = [];
  const plugin = (gate: PluginGate) =>
    gate.hooks.start.tap('look', ({ call }) => void seen.push([call.agentId, call.agentType]));
  const { gate } = gateWith({ permissions, plugin });

  await gate.run(toolUse('Echo', { text: 'a' }));
  await gate.run(toolUse('Echo', { text: 'a' }), { context: { agentId: 'x', agentType: 'y' } });

  expect(seen).toEqual([
    [undefined, undefined],
    ['x', 'y'],
  ]);
});
