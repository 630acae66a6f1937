import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  allow,
  buildTool,
  type EffectsFacts,
  type ToolUse,
  type TraceEvent,
} from '../../src/index.ts';
import { EventReaders } from '../../src/scheduler/events.ts';
import { Queue } from '../../src/scheduler/queue.ts';
import { gateWith, noUnhandledRejections, refusal, result, settled, toolUse } from '../helpers.ts';

noUnhandledRejections();

/** `r…` reads (safe), `w…` writes (alone), `cd X` moves; each ends when it is told to. */
function shell() {
  const log: string[] = [];
  const finish = new Map<string, () => void>();
  const isSafe = ({ command }: { command: string }) => command.startsWith('r');
  const tool = buildTool({
    name: 'Sh',
    description: '',
    inputSchema: z.object({ command: z.string() }),
    isReadOnly: isSafe,
    isConcurrencySafe: isSafe,
    effects: ({ command }, facts: EffectsFacts) => ({
      units: [{ tool: 'Sh', readOnly: isSafe({ command }), content: `${command} in ${facts.cwd}` }],
    }),
    call: async ({ command }, context) => {
      log.push(`+${command} in ${context.cwd}`);
      if (!command.startsWith('cd'))
        await new Promise<void>((resolve) => finish.set(command, resolve));
      log.push(`-${command}`);
      const cwd = command.replace(/^cd /, '');
      return {
        data: command,
        ...(command.startsWith('cd') && { contextModifier: () => ({ cwd }) }),
      };
    },
  });
  const judged: unknown[] = [];
  const permissions = (call: { effects: { units: readonly { content?: string }[] } }) => (
    judged.push(call.effects.units[0]?.content),
    allow()
  );
  const message = (...commands: string[]) => ({
    role: 'assistant' as const,
    content: commands.map((command): ToolUse => toolUse('Sh', { command }, { id: command })),
  });
  const end = async (...commands: string[]) => {
    for (const command of commands) {
      await settled();
      finish.get(command)?.();
    }
    await settled();
  };
  return { tool, tools: [tool], log, permissions, judged, message, end };
}

test('safe neighbours run together, others alone, and results come in the model’s order', async () => {
  const { tools, permissions, message, log, end } = shell();
  const { gate } = gateWith({ tools, permissions });
  const turn = gate.runTurn(message('r1', 'r2', 'w1', 'w2', 'r3'));
  await end();
  expect(log.splice(0)).toEqual(['+r1 in /p', '+r2 in /p']);
  await end('r2');
  expect(log.splice(0)).toEqual(['-r2']);
  await end('r1');
  expect(log.splice(0)).toEqual(['-r1', '+w1 in /p']);
  await end('w1');
  expect(log.splice(0)).toEqual(['-w1', '+w2 in /p']);
  await end('w2', 'r3');
  expect(log).toEqual(['-w2', '+r3 in /p', '-r3']);
  expect((await turn.message).content).toEqual(
    ['r1', 'r2', 'w1', 'w2', 'r3'].map((id) => result(id, id)),
  );
});

test('at most 10 run together', async () => {
  const { tools, permissions, message, log, end } = shell();
  const { gate } = gateWith({ tools, permissions });
  const all = Array.from({ length: 12 }, (_, index) => `r${index}`);
  const turn = gate.runTurn(message(...all));
  await end();
  expect(log).toHaveLength(10);
  await end(...all);
  expect(await turn.outcomes).toHaveLength(12);
});

test('a slow check does not let a later call pass', async () => {
  const { tool, permissions, message, log, end } = shell();
  let check: () => void = () => undefined;
  const slow = {
    ...tool,
    validateInput: ({ command }: { command: string }) =>
      command === 'w1'
        ? new Promise<{ result: true }>((resolve) => (check = () => resolve({ result: true })))
        : { result: true as const },
  };
  const { gate } = gateWith({ tools: [slow], permissions });
  const turn = gate.runTurn(message('w1', 'r1'));
  await end();
  expect(log).toEqual([]);
  check();
  await end('w1', 'r1');
  expect(log).toEqual(['+w1 in /p', '-w1', '+r1 in /p', '-r1']);
  await turn.message;
});

describe('a folder that a call moves to', () => {
  test('is where later calls are judged and run', async () => {
    const { tools, permissions, message, log, judged, end } = shell();
    const { gate } = gateWith({ tools, permissions });
    const turn = gate.runTurn(message('cd /p/src', 'w1'));
    await end('w1');
    await turn.message;
    expect(judged).toEqual(['cd /p/src in /p', 'w1 in /p/src']);
    expect(log).toEqual(['+cd /p/src in /p', '-cd /p/src', '+w1 in /p/src', '-w1']);
    expect(gate.cwd).toBe('/p/src');
  });
  test.for([['/etc'], ['src'], ['/p/../etc'], ['/p2']])(
    'outside the working directories (%s) is not taken',
    async ([cwd]) => {
      const { tools, permissions, message } = shell();
      const { gate, diagnostics } = gateWith({ tools, permissions });
      await gate.runTurn(message(`cd ${cwd}`)).message;
      expect(gate.cwd).toBe('/p');
      expect(diagnostics.map(({ code }) => code)).toEqual(['cwd-outside']);
    },
  );
  test('by a modifier that throws or is asynchronous is not taken', async () => {
    for (const contextModifier of [
      () => {
        throw new Error('x');
      },
      () => Promise.reject(new Error('x')),
    ]) {
      const tool = buildTool({
        name: 'Mod',
        description: '',
        inputSchema: z.object({}),
        call: () => ({ data: '', contextModifier: contextModifier as never }),
      });
      const { gate, diagnostics } = gateWith({ tools: [tool], permissions: () => allow() });
      expect((await gate.run(toolUse('Mod'))).block).toEqual(
        result('(Mod ran and gave no output.)'),
      );
      expect(diagnostics.map(({ code }) => code)).toEqual(['modifier-failed']);
    }
  });
});

test('a call of a parallel group that is rewritten into something unsafe waits for a turn of its own', async () => {
  const { tools, permissions, message, log, end } = shell();
  const { gate } = gateWith({
    tools,
    permissions,
    plugin: ({ hooks }) =>
      hooks.start.tap('r', ({ call }) =>
        call.input['command'] === 'r1' ? { updatedInput: { command: 'w1' } } : undefined,
      ),
  });
  const turn = gate.runTurn(message('r1', 'r2', 'r3'));
  await end();
  expect(log.splice(0)).toEqual(['+r2 in /p', '+r3 in /p']);
  await end('r2', 'r3');
  expect(log.splice(0)).toEqual(['-r2', '-r3', '+w1 in /p']);
  await end('w1');
  expect((await turn.message).content).toEqual([
    result('w1', 'r1'),
    result('r2', 'r2'),
    result('r3', 'r3'),
  ]);
});

test('an abort answers every call of a turn, and starts none that waited', async () => {
  const { tools, permissions, message, log } = shell();
  const controller = new AbortController();
  const { gate } = gateWith({ tools, permissions, graceMs: 1 });
  const turn = gate.runTurn(message('w1', 'w2', 'r1'), { signal: controller.signal });
  await settled();
  controller.abort();
  const stopped = (id: string) =>
    refusal(
      'The call was interrupted before it was done. Wait for the person before trying again.',
      id,
    );
  expect((await turn.message).content).toEqual(['w1', 'w2', 'r1'].map(stopped));
  expect(log).toEqual(['+w1 in /p']);
});

test('settings that loosen during a turn wait for the next, what tightens counts at once (security rule 14)', async () => {
  const { tools, message, end } = shell();
  const rule = (behavior: 'allow' | 'deny', text: string) => ({
    behavior,
    text,
    source: 'userSettings' as const,
  });
  const snapshot = (rules: ReturnType<typeof rule>[], directories: string[] = []) => ({
    rules,
    mode: 'default' as const,
    directories,
    values: [],
    diagnostics: [],
  });
  let now = snapshot([rule('allow', 'old')]);
  const seen: unknown[] = [];
  const { gate } = gateWith({
    tools,
    settings: { current: () => now },
    permissions: ({ settings, directories }) => (
      seen.push([settings.rules.map(({ text }) => text), directories]),
      allow()
    ),
  });
  const turn = gate.runTurn(message('w1', 'w2'));
  await settled();
  now = snapshot([rule('allow', 'new'), rule('deny', 'no')], ['/etc']);
  await end('w1', 'w2');
  await turn.message;
  const next = gate.runTurn(message('w3'));
  await end('w3');
  await next.message;
  expect(seen).toEqual([
    [['old'], ['/p']],
    [['no'], ['/p']],
    [
      ['new', 'no'],
      ['/p', '/etc'],
    ],
  ]);
});

test('texts of hooks stand behind all results', async () => {
  const { gate } = gateWith({
    permissions: () => allow(),
    plugin: ({ hooks }) =>
      hooks.start.tap('s', ({ call }) => ({ context: `about ${call.toolUse.id}` })),
  });
  const turn = gate.runTurn({
    role: 'assistant',
    content: [
      toolUse('Echo', { text: 'a' }, { id: '1' }),
      toolUse('Echo', { text: 'b' }, { id: '2' }),
    ],
  });
  expect(await turn.message).toEqual({
    role: 'user',
    content: [
      result('a', '1'),
      result('b', '2'),
      { type: 'text', text: 'about 1' },
      { type: 'text', text: 'about 2' },
    ],
  });
});

test('a turn’s events tell of each stage and tap, without inputs', async () => {
  const { gate } = gateWith({ permissions: () => allow() });
  const turn = gate.runTurn({ role: 'assistant', content: [toolUse('Echo', { text: 'secret' })] });
  const events: TraceEvent[] = [];
  for await (const event of turn.events()) events.push(event);
  expect(
    events.map(({ event, stage, tap, outcome }) =>
      [event, stage ?? tap, outcome].filter(Boolean).join(' '),
    ),
  ).toEqual([
    'call-start',
    ...['lookup', 'validate', 'start'].flatMap((stage) => [
      `stage-start ${stage}`,
      `stage-end ${stage} ok`,
    ]),
    'stage-start authorize',
    'tap-start authorize',
    'tap-end authorize answer',
    'decision authorize allow',
    'stage-end authorize ok',
    ...['execute', 'result', 'post', 'emit'].flatMap((stage) => [
      `stage-start ${stage}`,
      `stage-end ${stage} ok`,
    ]),
    'call-end ok',
  ]);
  expect(JSON.stringify(events)).not.toContain('secret');
});

test('a reader that falls behind misses the oldest events and is told how many', async () => {
  const readers = new EventReaders();
  const reader = readers.read();
  for (let n = 0; n < 1_003; n++) readers.push({ event: 'call-start', id: String(n), tool: '' });
  readers.end();
  const ids: string[] = [];
  for await (const { id, message } of reader) ids.push(message ?? id);
  expect([ids.length, ids[0], ids[1], ids.at(-1)]).toEqual([
    1_001,
    '3 events were missed',
    '3',
    '1002',
  ]);
  for await (const event of readers.read())
    expect.fail(`nothing comes after the end, but ${event.id} did`);
  expect(readers.areListening).toBe(false);
});

test('a reader that stops listening is forgotten, and what it missed is an event of its own', async () => {
  const readers = new EventReaders();
  expect(readers.areListening).toBe(false);
  const reader = readers.read();
  expect(readers.areListening).toBe(true);
  for (let n = 0; n < 1_001; n++) readers.push({ event: 'call-start', id: String(n), tool: '' });
  for await (const event of reader) {
    expect(event).toEqual({
      event: 'diagnostic',
      id: '',
      tool: '',
      code: 'events-missed',
      message: '1 events were missed',
    });
    break;
  }
  expect(readers.areListening).toBe(false);
});

test('a queue tells between groups which calls are done', async () => {
  const told: number[] = [];
  const queue = new Queue(10, (before) => void told.push(before));
  const [a, b, c] = [queue.join(), queue.join(), queue.join()];
  void queue.admit(a, true);
  queue.leave(a);
  void queue.admit(b, true);
  queue.leave(b);
  void queue.admit(c, false);
  queue.leave(c);
  // Before the first group, before the unsafe call, at the end; not between the two safe neighbours.
  expect(told).toEqual([0, 2, 3]);
});
