// What hooks cost in time: a PreToolUse hook and the classifier run side by side, so a call waits for the
// slower of them; four hooks that wait cost what one does; a bash hook costs little more than its process.
//   node --conditions=@toolgate/source packages/hooks/bench/latency.ts
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { allow, buildTool, createToolgate, definePlugin, emptySnapshot } from '@toolgate/core';
import { z } from 'zod';
import { commandHooks } from '../src/index.ts';

const waitMs = 100;
const noop = buildTool({
  name: 'Bash',
  description: 'Does nothing.',
  inputSchema: z.object({ command: z.string() }),
  call: () => ({ data: 'ok' }),
});

/** A classifier as core sees one: it starts in stage 3, and its slot waits for the answer in stage 4. */
const classifier = definePlugin({
  name: 'bench-classifier',
  setup(gate) {
    gate.hooks.start.tap('classifier', () => ({
      later: sleep(waitMs).then(() => allow('Harmless.', 'all')),
    }));
    gate.hooks.resolve.tap(
      { name: 'classifier', slot: 'classifier' },
      ({ call }) => call.pendingClassifierCheck,
    );
  },
});

const gateWith = (commands: readonly string[], isClassified: boolean) => {
  const hooks = commands.map((command) => ({ type: 'command', command }));
  const value = { PreToolUse: [{ hooks }] };
  const values = [{ key: 'hooks', value, source: 'userSettings' as const }];
  return createToolgate({
    tools: [noop],
    plugins: [commandHooks(), ...(isClassified ? [classifier()] : [])],
    settings: { current: () => ({ ...emptySnapshot, values }) },
    ...(!isClassified && { permissions: () => allow('Bench.', 'all') }),
  });
};

const waiting = `sleep ${waitMs / 1000}`;
const cases = {
  'no hook': gateWith([], false),
  'one bash hook': gateWith(['true'], false),
  'one hook that waits': gateWith([waiting], false),
  'four hooks that wait': gateWith(
    [1, 2, 3, 4].map((n) => `${waiting} # ${n}`),
    false,
  ),
  'classifier alone': gateWith([], true),
  'classifier and a hook that waits': gateWith([waiting], true),
};

/** The median in milliseconds of a few runs. */
async function median(work: (round: number) => Promise<unknown>, rounds = 15): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    await work(round);
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
}

const spawned = await median(
  () => new Promise((resolve) => spawn('/bin/bash', ['-c', 'true']).once('close', resolve)),
);
console.log(`a bash process: ${spawned.toFixed(1)} ms`);
for (const [name, gate] of Object.entries(cases)) {
  const input = { command: 'x' };
  const call = (round: number) =>
    gate.run({ type: 'tool_use', id: `toolu_${round}`, name: 'Bash', input });
  await call(-1);
  console.log(`${name}: ${(await median(call)).toFixed(1)} ms`);
  await gate.close();
}
