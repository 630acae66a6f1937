import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { metrics, trace } from '@opentelemetry/api';
import {
  allow,
  buildTool,
  createToolgate,
  definePlugin,
  deny,
  type Toolgate,
} from '@toolgate/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { openTelemetry } from '../src/index.ts';

interface Attribute {
  readonly key: string;
  readonly value: {
    readonly stringValue?: string;
    readonly intValue?: number;
    readonly doubleValue?: number;
  };
}
interface ReceivedSpan {
  readonly name: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly status: { readonly code?: number };
  readonly attributes: readonly Attribute[];
  readonly events: readonly { readonly name: string; readonly attributes: readonly Attribute[] }[];
}

// A receiver on loopback for what a real SDK exports over OTLP/HTTP.
const bodies: { readonly path: string; readonly text: string }[] = [];
const receiver = createServer((request, response) => {
  void readText(request).then((text) => {
    bodies.push({ path: request.url ?? '', text });
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
});
let tracers: TracerProvider;
let meters: MeterProvider;
beforeAll(async () => {
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`; // it listens on a port
  tracers = new TracerProvider({
    spanProcessors: [
      new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: `${url}/v1/traces` }) }),
    ],
  });
  trace.setGlobalTracerProvider(tracers);
  meters = new MeterProvider({
    readers: [
      new PeriodicExportingMetricReader({
        exporter: new OTLPMetricExporter({ url: `${url}/v1/metrics` }),
      }),
    ],
  });
  metrics.setGlobalMeterProvider(meters);
});
afterAll(async () => {
  await tracers.shutdown();
  await meters.shutdown();
  receiver.closeAllConnections();
  receiver.close();
});

const secret = `ghp_${'wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx'}`;
const echo = buildTool({
  name: 'Echo',
  description: 'x',
  inputSchema: z.object({ text: z.string() }),
  call: ({ text }) => {
    if (text === 'throw') throw new TypeError('/secret/path');
    return { data: `said ${text}` };
  },
});
const use = (text: string, id: string) => ({
  type: 'tool_use' as const,
  id,
  name: 'Echo',
  input: { text },
});

const gateWith = (options: Parameters<typeof openTelemetry>[0], isDenied = false): Toolgate =>
  createToolgate({
    tools: [echo],
    sessionId: 's1',
    permissions: () => (isDenied ? deny('not /secret/reason') : allow('fine', 'all')),
    plugins: [
      openTelemetry(options),
      definePlugin({
        name: 'other',
        setup: (gate) =>
          gate.hooks.postToolUse.tap('broken', () => Promise.reject(new Error('/secret/hook'))),
      })(),
    ],
  });

const valueOf = (attributes: readonly Attribute[]) =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? value.intValue ?? value.doubleValue,
    ]),
  );

/** Everything that was received of some calls. */
async function received(work: () => Promise<unknown>) {
  bodies.length = 0;
  await work();
  await tracers.forceFlush();
  await meters.forceFlush();
  const spans = bodies
    .filter(({ path }) => path === '/v1/traces')
    .flatMap(
      ({ text }) =>
        (JSON.parse(text) as { resourceSpans: { scopeSpans: { spans: ReceivedSpan[] }[] }[] })
          .resourceSpans,
    ) // OTLP
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans);
  const all = bodies.map(({ text }) => text).join('\n');
  return { spans, all };
}

test('a call is a span with one for each stage below it, by the GenAI conventions', async () => {
  const { spans, all } = await received(() => gateWith({}).run(use('hello', 'a')));
  const call = spans.find(({ name }) => name === 'execute_tool Echo');
  expect(valueOf(call?.attributes ?? [])).toMatchObject({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'Echo',
    'gen_ai.tool.type': 'function',
    'gen_ai.tool.call.id': 'a',
    'gen_ai.conversation.id': 's1',
    'toolgate.outcome': 'ok',
    'toolgate.result.chars': 10,
  });
  const stages = spans.filter(({ parentSpanId }) => parentSpanId === call?.spanId);
  expect(stages.map(({ name }) => name)).toEqual(
    ['lookup', 'validate', 'start', 'authorize', 'execute', 'result', 'post', 'emit'].map(
      (name) => `toolgate ${name}`,
    ),
  );
  const events = spans.flatMap((span) => span.events);
  expect(events.map(({ name, attributes }) => [name, valueOf(attributes)])).toEqual([
    [
      'toolgate.tap',
      {
        'toolgate.hook': 'postToolUse',
        'toolgate.tap': 'broken',
        'toolgate.plugin': 'other',
        'toolgate.outcome': 'threw',
      },
    ],
    [
      'toolgate.decision',
      { 'toolgate.decision': 'allow', 'toolgate.decision.source': 'opinion permissions' },
    ],
  ]);
  expect(all).not.toMatch(/hello|\/secret/);
});

test('a failure carries its kind, a refusal its code; neither a message, a path or an input', async () => {
  const { spans, all } = await received(async () => {
    await gateWith({}).run(use('throw', 'b'));
    await gateWith({}, true).run(use('hello', 'c'));
  });
  const calls = spans.filter(({ name }) => name.startsWith('execute_tool'));
  expect(calls.map(({ status, attributes }) => [status.code, valueOf(attributes)])).toMatchObject([
    [
      2,
      { 'toolgate.outcome': 'failed', 'toolgate.code': 'tool_failed', 'error.type': 'TypeError' },
    ],
    [0, { 'toolgate.outcome': 'refused', 'toolgate.code': 'permission_denied' }],
  ]);
  expect(all).not.toMatch(/hello|\/secret/);
});

test('contents go out when asked for, field by field, without known secrets', async () => {
  const both = await received(() =>
    gateWith({ content: { input: true, output: true } }).run(use(secret, 'd')),
  );
  const call = both.spans.find(({ name }) => name === 'execute_tool Echo');
  expect(valueOf(call?.attributes ?? [])).toMatchObject({
    'gen_ai.tool.call.arguments': '{"text":"[redacted github]"}',
    'gen_ai.tool.call.result': 'said [redacted github]',
  });
  expect(both.all).not.toContain(secret);
  const input = await received(() =>
    gateWith({ content: { input: true }, maxContentChars: 8 }).run(use('hello', 'e')),
  );
  const one = input.spans.find(({ name }) => name === 'execute_tool Echo');
  expect(valueOf(one?.attributes ?? [])).toMatchObject({
    'gen_ai.tool.call.arguments': '{"text":',
  });
  expect(input.all).not.toContain('said');
});

test('metrics count calls by tool, decision and code, and measure duration, queue and size', async () => {
  const { all } = await received(() => gateWith({}).run(use('hello', 'f')));
  for (const name of [
    'gen_ai.execute_tool.duration',
    'toolgate.calls',
    'toolgate.queue.duration',
    'toolgate.result.size',
  ])
    expect(all).toContain(`"name":"${name}"`);
});
