import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { buildTool } from '../src/index.ts';
import { runTool } from '../src/testing.ts';

const count = buildTool({
  name: 'Count',
  description: 'Counts up.',
  inputSchema: z.object({ to: z.number() }),
  effects: ({ to }) => ({ units: [{ tool: 'Count', content: String(to), readOnly: false }] }),
  async call({ to }, { signal, cwd }, onProgress: (data: { readonly at: number }) => void) {
    for (let at = 1; at <= to; at++) onProgress({ at });
    if (to === 0)
      await new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(new Error('stopped'))),
      );
    return { data: { cwd, to } };
  },
  mapToolResultToToolResultBlockParam: ({ to }) => ({ content: `counted to ${to}` }),
});

describe('runTool', () => {
  test('runs a tool through the stages and tells what it gave', async () => {
    const run = await runTool(count, { to: '2' }, { cwd: '/' });
    expect(run).toMatchObject({
      outcome: {
        outcome: 'ok',
        block: { type: 'tool_result', tool_use_id: 'toolu_1', content: 'counted to 2' },
      },
      data: { cwd: '/', to: 2 },
      progress: [{ at: 1 }, { at: 2 }],
      prompts: [],
      diagnostics: [],
    });
    const doubled: number | undefined = run.data?.to;
    expect(doubled).toBe(2);
  });
  test.for([
    [{ allow: ['Count'] }, 'ok'],
    [{ allow: ['Count(2)'] }, 'ok'],
    [{ allow: ['Count(3)'] }, 'refused'],
    [{ deny: ['Count(2)'], allow: ['Count'] }, 'refused'],
    [{ ask: ['Count'], allow: ['Count'] }, 'refused'],
    [{}, 'refused'],
  ] as const)('under the rules %j the call is %s', async ([rules, outcome]) => {
    expect((await runTool(count, { to: 2 }, { rules })).outcome.outcome).toBe(outcome);
  });
  test('asks, and takes the answers in their order', async () => {
    const yes = await runTool(count, { to: 2 }, { rules: { ask: ['Count'] }, answers: ['allow'] });
    expect([yes.outcome.outcome, yes.prompts.map(({ tool }) => tool)]).toEqual(['ok', ['Count']]);
    const edited = await runTool(
      count,
      { to: 2 },
      { answers: [{ behavior: 'allow', updatedInput: { to: 1 } }] },
    );
    expect(edited.data?.to).toBe(1);
    const no = await runTool(count, { to: 2 }, { answers: ['deny'] });
    expect(no.outcome).toMatchObject({ outcome: 'refused', code: 'permission_denied' });
    expect((await runTool(count, { to: 2 }, { answers: [] })).outcome.outcome).toBe('refused');
  });
  test('rules may be read by a backend', async () => {
    const permissions = () => ({ behavior: 'deny', reason: 'No.' }) as const;
    expect((await runTool(count, { to: 2 }, { permissions })).outcome.code).toBe(
      'permission_denied',
    );
  });
  test('an abort, a refusal and a failure are outcomes', async () => {
    const controller = new AbortController();
    const running = runTool(count, { to: 0 }, { signal: controller.signal });
    controller.abort();
    expect((await running).outcome.outcome).toBe('aborted');
    expect((await runTool(count, {})).outcome.code).toBe('input_invalid');
    const broken = { ...count, call: () => Promise.reject(new Error('broken')) };
    expect((await runTool(broken, { to: 1 })).outcome.code).toBe('tool_failed');
  });
  test('calls before it share its session', async () => {
    const note = buildTool({
      name: 'Note',
      description: '',
      inputSchema: z.object({}),
      call: (_, context) => {
        context.setAppState(() => ({ noted: true }));
        return { data: '' };
      },
    });
    const tell = buildTool({
      name: 'Tell',
      description: '',
      inputSchema: z.object({}),
      call: (_, context) => ({ data: context.getAppState() }),
    });
    const run = await runTool(tell, {}, { before: [{ tool: note, input: {} }] });
    expect(run.data).toEqual({ noted: true });
  });
});
