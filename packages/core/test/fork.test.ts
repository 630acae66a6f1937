import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import {
  allow,
  ask,
  buildTool,
  deny,
  type CallOutcome,
  type ForkedAgent,
  type ForkOptions,
  type PermissionPrompt,
  type ToolgateOptions,
  type ToolUseContext,
} from '../src/index.ts';
import { gateWith, noUnhandledRejections, textOf as text, toolUse } from './helpers.ts';

noUnhandledRejections();

const textOf = ({ block }: CallOutcome): string => text(block.content);

/** A gate with a tool that makes a sub-agent and hands it, while it runs, to `work`. */
function gateForking(
  work: (agent: ForkedAgent, context: ToolUseContext) => unknown,
  { fork, ...options }: ToolgateOptions & { readonly fork?: ForkOptions } = {},
) {
  const seen: ToolUseContext[] = [];
  const spawn = buildTool({
    name: 'Spawn',
    description: '',
    inputSchema: z.object({}),
    call: async (_, context) => ({ data: await work(context.fork(fork), context) }),
  });
  const echo = buildTool({
    name: 'Echo',
    aliases: ['Say'],
    description: '',
    inputSchema: z.object({ text: z.string().default('') }),
    call({ text }, context) {
      seen.push(context);
      context.setAppState(() => ({ leaked: true }));
      context.readFileState.set('/f', { content: text, modifiedMs: 0 });
      return { data: text };
    },
  });
  const other = buildTool({
    name: 'Other',
    description: '',
    inputSchema: z.object({}),
    call: () => ({ data: 'other' }),
  });
  const made = gateWith({
    permissions: () => allow('', 'all'),
    ...options,
    tools: [spawn, echo, other],
  });
  return { ...made, seen };
}

const message = (...uses: readonly ReturnType<typeof toolUse>[]) => ({
  role: 'assistant' as const,
  content: [...uses],
});
const contents = async (agent: ForkedAgent, ...uses: readonly ReturnType<typeof toolUse>[]) =>
  (await agent.runTurn(message(...uses)).outcomes).map(({ block }) => block.content);

test('calls of a sub-agent go through the gate under an id below that of its parent', async () => {
  const ids: (string | undefined)[] = [];
  const { gate, seen } = gateForking(
    async (agent) => {
      ids.push(agent.agentId);
      return (await contents(agent, toolUse('Echo', { text: 'hi' })))[0];
    },
    { fork: { agentType: 'helper' } },
  );

  const outcome = await gate.run(toolUse('Spawn'));
  expect(textOf(outcome)).toBe('hi');
  expect(seen[0]).toMatchObject({ agentId: ids[0], agentType: 'helper' });
  expect(ids[0]).toMatch(/^agent-[0-9a-f-]{36}$/);

  const again = await gate.run(toolUse('Spawn', {}, { id: 'b' }), { context: { agentId: 'top' } });
  expect(again.outcome).toBe('ok');
  expect(ids[1]).toMatch(/^top\/agent-/);
});

test('what it changes of the state, and what it has read, is not its parent’s', async () => {
  const { gate, seen } = gateForking(async (agent, context) => {
    await contents(agent, toolUse('Echo', { text: 'child' }));
    return JSON.stringify([context.getAppState(), [...context.readFileState.keys()]]);
  });

  expect(textOf(await gate.run(toolUse('Spawn')))).toBe('[{},[]]');
  expect([...(seen[0]?.readFileState.keys() ?? [])]).toEqual(['/f']);
});

test('it has only tools that its parent has, under none of their names', async () => {
  const { gate } = gateForking(
    async (agent) => [
      (await agent.toolDefinitions()).map(({ name }) => name),
      await contents(agent, toolUse('Other'), toolUse('Say', {}, { id: 'b' })),
    ],
    { fork: { tools: ['Echo', 'Other', 'Ghost'] } },
  );

  const run = async (tools?: readonly string[]) =>
    textOf(await gate.run(toolUse('Spawn'), tools && { context: { tools } }));
  expect(JSON.parse(await run())).toEqual([
    ['Echo', 'Other'],
    ['other', expect.stringContaining('Echo ran')],
  ]);
  expect(JSON.parse(await run(['Spawn', 'Other']))).toEqual([
    ['Other'],
    ['other', expect.stringMatching(/There is no tool named "Say"\. The tools are Other\./)],
  ]);
});

test('a deny binds it, an ask reaches the dialog with its id, and nobody there denies', async () => {
  const prompts: PermissionPrompt[] = [];
  const options: ToolgateOptions = {
    permissions: ({ tool, input }) => {
      if (tool.name === 'Spawn') return allow();
      return input['text'] === 'no' ? deny('Never.') : ask('Sure?');
    },
  };
  const calls = [toolUse('Echo', { text: 'no' }), toolUse('Echo', { text: 'x' }, { id: 'b' })];
  const work = (agent: ForkedAgent) => contents(agent, ...calls);
  const asked = gateForking(work, {
    ...options,
    dialog: async (prompt) => {
      prompts.push(prompt);
      return { behavior: 'allow' };
    },
  });

  expect(JSON.parse(textOf(await asked.gate.run(toolUse('Spawn'))))).toEqual([
    expect.stringContaining('Never.'),
    'x',
  ]);
  expect(prompts).toMatchObject([{ tool: 'Echo', agentId: expect.stringMatching(/^agent-/) }]);
  const alone = gateForking(work, options);
  expect(JSON.parse(textOf(await alone.gate.run(toolUse('Spawn'))))[1]).toMatch(/tool_use_error/);
});

test('agents stand three deep and no deeper', async () => {
  const { gate } = gateForking(
    async (agent) => (await contents(agent, toolUse('Spawn', {}, { id: agent.agentId })))[0],
  );

  expect(textOf(await gate.run(toolUse('Spawn')))).toContain('Agents stand at most 3 deep.');
});

test('an abort of the call ends the turns of its agent', async () => {
  const controller = new AbortController();
  const outcomes: string[] = [];
  const { gate } = gateForking(async (agent) => {
    controller.abort();
    for (const { outcome } of await agent.runTurn(message(toolUse('Echo'))).outcomes)
      outcomes.push(outcome);
    return '';
  });

  await gate.run(toolUse('Spawn'), { signal: controller.signal });
  expect(outcomes).toEqual(['aborted']);
});

test('a sub-agent that changes folder leaves that of the session as it is', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'toolgate-fork-'));
  onTestFinished(() => rm(cwd, { recursive: true }));
  const go = buildTool({
    name: 'Go',
    description: '',
    inputSchema: z.object({}),
    call: () => ({ data: '', contextModifier: () => ({ cwd }) }),
  });
  const { gate } = gateWith({ tools: [go], cwd: tmpdir(), permissions: () => allow('', 'all') });

  await gate.run(toolUse('Go'), { context: { agentId: 'a' } });
  expect(gate.cwd).toBe(tmpdir());
  await gate.run(toolUse('Go', {}, { id: 'b' }));
  expect(gate.cwd).toBe(cwd);
});
