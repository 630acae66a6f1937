// Runs one turn of three calls under a real SDK and draws its spans: docs/trace.svg.
//   node --conditions=@toolgate/source packages/telemetry/bench/trace-picture.ts
import { writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { trace } from '@opentelemetry/api';
import { allow, buildTool, createToolgate, definePlugin, deny } from '@toolgate/core';
import { z } from 'zod';
import { openTelemetry } from '../src/index.ts';

const exporter = new InMemorySpanExporter();
trace.setGlobalTracerProvider(
  new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }),
);

const tool = (name: string, ms: number, isSafe: boolean) =>
  buildTool({
    name,
    description: name,
    inputSchema: z.object({}),
    isConcurrencySafe: () => isSafe,
    call: async () => {
      await wait(ms);
      return { data: 'done' };
    },
  });
const hook = definePlugin({
  name: 'hook',
  setup: (gate) =>
    gate.hooks.start.tap('PreToolUse', async () => {
      await wait(6);
      return undefined;
    }),
});
const gate = createToolgate({
  tools: [tool('Read', 12, true), tool('Grep', 20, true), tool('Bash', 9, false)],
  permissions: ({ tool: { name } }) => (name === 'Bash' ? deny('no') : allow('yes', 'all')),
  plugins: [openTelemetry(), hook()],
});
await gate.runTurn({
  role: 'assistant',
  content: ['Read', 'Grep', 'Bash'].map((name, index) => ({
    type: 'tool_use',
    id: `toolu_${index}`,
    name,
    input: {},
  })),
}).message;
await gate.close();

const spans = exporter.getFinishedSpans();
const msOf = ([seconds, nanos]: readonly [number, number]) => seconds * 1_000 + nanos / 1e6;
const calls = spans
  .filter(({ name }) => name.startsWith('execute_tool'))
  .toSorted((a, b) =>
    String(a.attributes['gen_ai.tool.call.id']).localeCompare(
      String(b.attributes['gen_ai.tool.call.id']),
    ),
  );
const rows = calls.flatMap((call) => [
  call,
  ...spans
    .filter(({ parentSpanContext }) => parentSpanContext?.spanId === call.spanContext().spanId)
    .filter(({ duration }) => msOf(duration) > 0.3),
]);
const from = Math.min(...rows.map(({ startTime }) => msOf(startTime)));
const to = Math.max(...rows.map(({ endTime }) => msOf(endTime)));
const width = 560;
const scale = width / (to - from);
const bars = rows.map(({ name, startTime, duration, attributes }, index) => {
  const isCall = name.startsWith('execute_tool');
  const x = 210 + (msOf(startTime) - from) * scale;
  const w = Math.max(2, msOf(duration) * scale);
  const y = 30 + index * 22;
  const outcome = attributes['toolgate.outcome'];
  const label = isCall ? `${name} (${String(outcome)})` : name.replace('toolgate ', '');
  const color = isCall ? (outcome === 'ok' ? '#2b6cb0' : '#b83232') : '#9db8d2';
  return `<text x="${isCall ? 8 : 24}" y="${y + 12}">${label}</text><rect x="${x.toFixed(1)}" y="${y}" width="${w.toFixed(1)}" height="15" rx="2" fill="${color}"/><text x="${(x + w + 5).toFixed(1)}" y="${y + 12}" fill="#666">${msOf(duration).toFixed(1)} ms</text>`;
});
const height = 40 + rows.length * 22;
writeFileSync(
  new URL('../../../docs/trace.svg', import.meta.url),
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 ${height}" font-family="sans-serif" font-size="12">
<title>The spans of one turn of three calls</title><rect width="860" height="${height}" fill="white"/>
<text x="8" y="18" font-weight="bold">One turn: Read and Grep together, Bash behind them, refused</text>
${bars.join('\n')}
</svg>
`,
);
console.log(`${rows.length} spans, ${(to - from).toFixed(1)} ms`);
