import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { trace } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { createHookRunner } from '@toolgate/hooks';
import { createOpenTelemetry } from '@toolgate/telemetry';
import { expect, onTestFinished, test } from 'vitest';
import { createStandardToolgate } from '../src/index.ts';

test('a hook process has the trace context of the call it runs for', async () => {
  const exporter = new InMemorySpanExporter();
  trace.setGlobalTracerProvider(
    new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }),
  );
  const home = await realpath(await mkdtemp(join(tmpdir(), 'toolgate-trace-')));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  await mkdir(join(home, '.claude'));
  const seen = join(home, 'seen');
  await writeFile(
    join(home, '.claude/settings.json'),
    JSON.stringify({
      hooks: {
        PreToolUse: [
          { hooks: [{ type: 'command', command: `printf %s "$TRACEPARENT" > ${seen}` }] },
        ],
      },
    }),
  );
  const telemetry = createOpenTelemetry();
  const gate = await createStandardToolgate({
    cwd: home,
    home,
    managedFolder: join(home, 'none'),
    hooks: createHookRunner({ callEnvironment: (id) => telemetry.callEnvironment(id) }),
    overrides: { plugins: [telemetry.plugin] },
  });
  await gate.run({ type: 'tool_use', id: 'a', name: 'Glob', input: { pattern: '*' } });
  await gate.close();

  const span = exporter.getFinishedSpans().find(({ name }) => name === 'execute_tool Glob');
  const { traceId = '', spanId = '' } = span?.spanContext() ?? {};
  expect(await readFile(seen, 'utf8')).toBe(`00-${traceId}-${spanId}-01`);
  expect(telemetry.traceContext('a')).toEqual({});
});
