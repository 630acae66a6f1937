// What a call costs beside a minimal executor (look up, safeParse, await, one tool_result), in turns of 10,
// 100 and 1,000. Both run in alternating slices of one process; the figure is the ratio of their best deciles.
//   node --conditions=@toolgate/source packages/core/bench/call-overhead.ts
import { z } from 'zod';
import { buildTool, createToolgate, definePlugin } from '../src/index.ts';

const inputSchema = z.object({ text: z.string(), count: z.number() });
const noop = buildTool({
  name: 'Noop',
  description: 'Does nothing.',
  inputSchema,
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  checkPermissions: () => ({ behavior: 'allow', reason: 'It does nothing.' }),
  call: async () => ({ data: 'ok' }),
});
const input = { text: 'x', count: 1 };

const messageOf = (calls: number) => ({
  role: 'assistant' as const,
  content: Array.from({ length: calls }, (_, index) => ({
    type: 'tool_use' as const,
    id: `toolu_${index}`,
    name: 'Noop',
    input,
  })),
});

async function minimal(message: ReturnType<typeof messageOf>): Promise<unknown> {
  const tools = new Map([['Noop', async () => 'ok']]);
  return Promise.all(
    message.content.map(async (use) => {
      const call = tools.get(use.name);
      const parsed = inputSchema.safeParse(use.input);
      const content = call && parsed.success ? await call() : 'invalid';
      return { type: 'tool_result', tool_use_id: use.id, content };
    }),
  );
}

const threePlugins = (isAsync: boolean) =>
  ['a', 'b', 'c'].map((name) =>
    definePlugin({
      name: `bench-${name}`,
      setup(gate) {
        const answer = () => (isAsync ? Promise.resolve(undefined) : undefined);
        gate.hooks.start.tap(name, answer);
        gate.hooks.opinions.tap(name, answer);
        gate.hooks.postToolUse.tap(name, answer);
      },
    })(),
  );

const gates = {
  'no plugins': createToolgate({ tools: [noop] }),
  '3 plugins, synchronous': createToolgate({ tools: [noop], plugins: threePlugins(false) }),
  '3 plugins, promises': createToolgate({ tools: [noop], plugins: threePlugins(true) }),
};

/** Microseconds a call, best decile of alternating slices. */
async function compare(calls: number, works: readonly (() => Promise<unknown>)[]) {
  const rounds = Math.max(60, Math.round(20_000 / calls));
  const times = works.map(() => [] as number[]);
  for (let round = 0; round < rounds; round++)
    for (const [index, work] of works.entries()) {
      const start = performance.now();
      await work();
      times[index]?.push(((performance.now() - start) / calls) * 1_000);
    }
  return times.map((list) => list.sort((a, b) => a - b)[Math.floor(list.length / 10)] ?? 0);
}

for (const calls of [10, 100, 1_000]) {
  const message = messageOf(calls);
  const works = Object.values(gates).map((gate) => () => gate.runTurn(message).message);
  await compare(calls, [() => minimal(message), ...works]);
  const [base = 1, ...ours] = await compare(calls, [() => minimal(message), ...works]);
  const figures = Object.keys(gates).map((name, index) => {
    const us = ours[index] ?? 0;
    return `${name}: ${us.toFixed(1)} us (${(us / base).toFixed(1)}x)`;
  });
  console.log(
    `${calls} calls a turn; minimal executor ${base.toFixed(2)} us; ${figures.join('; ')}`,
  );
}
