import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { LLMock } from '@copilotkit/aimock';
import {
  allow,
  buildTool,
  type LanguageModel,
  type ModelRequest,
  type ToolgateOptions,
} from '@toolgate/core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { echoHi, envelope, group, hookGate, print } from './helpers/hook-gate.ts';

const says = (text: string) => ({ content: [{ type: 'text', text }] });
const calls = (toolName: string, input: object, toolCallId = 'call_1') => ({
  content: [{ type: 'tool-call', toolCallId, toolName, input: JSON.stringify(input) }],
});
type Answer = ReturnType<typeof says> | ReturnType<typeof calls> | Error | 'hangs';

/** A model that gives these answers, one after the other; the last one for ever. */
function scripted(...answers: readonly Answer[]) {
  const requests: ModelRequest[] = [];
  const model: LanguageModel = {
    specificationVersion: 'v4',
    provider: 'test',
    modelId: 'scripted',
    async doGenerate(request) {
      requests.push({ ...request, prompt: [...request.prompt] });
      const answer = answers[Math.min(requests.length, answers.length) - 1];
      if (answer === 'hangs') return new Promise<never>(() => undefined);
      if (answer instanceof Error || !answer) throw answer ?? new Error('no answer');
      return answer;
    },
  };
  return { model, requests };
}

/** Read is trusted and only reads; Write is not what an agent may use. */
const readTool = buildTool({
  name: 'Read',
  description: 'Reads.',
  inputSchema: z.object({ file_path: z.string() }),
  isReadOnly: () => true,
  call: ({ file_path }) => ({ data: `text of ${file_path}` }),
});

async function run(
  hooks: object,
  model: LanguageModel | undefined,
  more: Partial<ToolgateOptions> = {},
  use = echoHi,
) {
  const { gate, diagnostics, ran } = hookGate('/tmp', hooks, {
    gate: { ...(model && { model }), ...more },
  });
  const outcome = await gate.run(use);
  await gate.close();
  return {
    ran: ran.length,
    stop: outcome.stop?.reason,
    content: JSON.stringify(outcome.block.content),
    after: outcome.after.map((block) => ('text' in block ? block.text : '')),
    codes: diagnostics.map(({ code }) => code),
  };
}
const pre = (hook: object) => ({ PreToolUse: [group('Bash', hook)] });
const prompt = (more: object = {}) => ({ type: 'prompt', prompt: 'Never push.', ...more });
const no = '{"ok":false,"reason":"It pushes."}';
const ignoresModel = { permissions: () => undefined };

describe('prompt', () => {
  test('ok: true is no opinion: what nothing else allows still asks', async () => {
    expect(await run(pre(prompt()), scripted(says('{"ok":true}')).model)).toMatchObject({ ran: 1 });
    expect(
      await run(pre(prompt()), scripted(says('{"ok":true}')).model, ignoresModel),
    ).toMatchObject({ ran: 0 });
  });

  test('ok: false denies and ends the turn; with continueOnBlock it goes to the model alone', async () => {
    expect(await run(pre(prompt()), scripted(says(no)).model)).toMatchObject({
      ran: 0,
      stop: 'It pushes.',
      content: expect.stringContaining('It pushes.'),
    });
    const goesOn = await run(pre(prompt({ continueOnBlock: true })), scripted(says(no)).model);
    expect(goesOn).toMatchObject({ ran: 0, stop: undefined });
  });

  test('after a tool a no ends the turn, or is feedback', async () => {
    const post = (more: object) => ({ PostToolUse: [group('Bash', prompt(more))] });
    expect(await run(post({}), scripted(says(no)).model)).toMatchObject({
      ran: 1,
      stop: 'It pushes.',
    });
    expect(await run(post({ continueOnBlock: true }), scripted(says(no)).model)).toMatchObject({
      stop: undefined,
      after: ['It pushes.'],
    });
  });

  test('the event stands in place of $ARGUMENTS or behind the prompt, marked as data', async () => {
    const { model, requests } = scripted(says('{"ok":true}'));
    await run(pre(prompt({ prompt: String.raw`Costs \$5? $ARGUMENTS Judge.` })), model);
    await run(pre(prompt()), model);
    const texts = requests.map(({ prompt: [system, user] }) => [
      system?.role === 'system' ? system.content : '',
      user?.role === 'user' ? (user.content[0]?.text ?? '') : '',
    ]);
    const mark = /lines that read (event-[\w-]+)/.exec(texts[0]?.[0] ?? '')?.[1] ?? 'none';
    expect(texts[0]?.[1]).toMatch(
      new RegExp(`^Costs \\$5\\? \\n${mark}\\n\\{.*"tool_name":"Bash".*\\}\\n${mark}\\n Judge\\.$`),
    );
    expect(texts[1]?.[1]).toMatch(/^Never push\.\n\nevent-[\w-]+\n\{/);
    expect(requests[0]?.responseFormat).toMatchObject({ type: 'json' });
  });

  test.each<[string, Answer]>([
    ['prose', says('This looks fine to me.')],
    ['a no without a reason', says('{"ok":false}')],
    ['a wrong type', says('{"ok":"false","reason":"x"}')],
    ['an error', new Error('quota')],
    ['nothing', 'hangs'],
  ])('%s from the model is a failed hook, and blocks where that is set', async (_, answer) => {
    const hook = prompt({ timeout: 0.1 });
    const { ran, codes } = await run(pre(hook), scripted(answer).model);
    expect([ran, codes]).toEqual([1, [expect.stringMatching(/^hook-/)]]);
    expect(await run(pre({ ...hook, onFailure: 'block' }), scripted(answer).model)).toMatchObject({
      ran: 0,
    });
  });

  test('without a model the hook has failed', async () => {
    expect(await run(pre(prompt()), undefined)).toMatchObject({
      ran: 1,
      codes: ['hook-not-started'],
    });
  });

  test('a permission request is not for a prompt to answer', async () => {
    const hooks = { PermissionRequest: [group('', prompt())] };
    const { model } = scripted(says(no));
    const answer = { behavior: 'allow' as const };
    expect(await run(hooks, model, { ...ignoresModel, dialog: async () => answer })).toMatchObject({
      ran: 1,
    });
  });
});

describe('agent', () => {
  const agent = (more: object = {}) => ({ type: 'agent', prompt: 'Look first.', ...more });

  test('it reads through the same gate, and its no goes to the model', async () => {
    const { model, requests } = scripted(calls('Read', { file_path: '/tmp/x' }), says(no));
    const { gate, ran, reads } = agentGate(pre(agent()), model);
    const outcome = await gate.run(echoHi);
    await gate.close();

    expect(outcome).toMatchObject({
      outcome: 'refused',
      block: { content: expect.stringContaining('It pushes.') },
    });
    expect(outcome.stop).toBeUndefined();
    expect([ran, reads]).toEqual([[], ['/tmp/x']]);
    expect(requests[0]?.tools?.map(({ name }) => name)).toEqual(['Read']);
    expect(requests[1]?.prompt.at(-1)).toEqual({
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'call_1',
          toolName: 'Read',
          output: { type: 'text', value: 'text of /tmp/x' },
        },
      ],
    });
  });

  test('rules and command hooks hold for its calls; whatever is no reading tool is refused', async () => {
    const guard = group('Read', print(envelope('deny', { permissionDecisionReason: 'secret' })));
    const hooks = { PreToolUse: [group('Bash', agent()), guard] };
    const { model, requests } = scripted(
      calls('Read', { file_path: '/tmp/.env' }),
      calls('Bash', { command: 'echo pwned' }),
      says('{"ok":true}'),
    );
    const { gate, ran, reads } = agentGate(hooks, model);
    await gate.run(echoHi);
    await gate.close();

    expect([ran, reads]).toEqual([['echo hi'], []]);
    const outputs = requests
      .slice(1)
      .map(({ prompt: messages }) => JSON.stringify(messages.at(-1)));
    expect(outputs[0]).toContain('secret');
    expect(outputs[1]).toContain('Only Read, Glob, Grep can be used here.');
  });

  test('a Read that does not only read is refused to it', async () => {
    const writes = buildTool({ ...shape(readTool), isReadOnly: () => false });
    const { model, requests } = scripted(calls('Read', { file_path: '/x' }), says('{"ok":true}'));
    const own = agentGate(pre(agent()), model, writes);
    await own.gate.run(echoHi);
    await own.gate.close();
    expect(JSON.stringify(requests[1]?.prompt.at(-1))).toContain('may only read');
  });

  test('it cannot call itself: for its own calls no hook of a model runs', async () => {
    const judge = scripted(says('{"ok":true}'));
    const looker = scripted(calls('Read', { file_path: '/x' }), says('{"ok":true}'));
    const everywhere = {
      PreToolUse: [group('', agent({ model: 'looker' }), prompt())],
      PostToolUse: [group('Read', agent(), prompt())],
      PostToolBatch: [group('', agent(), prompt())],
    };
    const { gate, reads } = agentGate(everywhere, judge.model, readTool, () => looker.model);
    await gate.run(echoHi);
    await gate.close();
    expect([reads.length, looker.requests.length, judge.requests.length]).toEqual([1, 2, 1]);
  });

  test('nobody passes for an agent of a hook by its name', async () => {
    const judge = scripted(says(no));
    const { gate, ran } = agentGate(pre(prompt()), judge.model);
    await gate.run(echoHi, { context: { agentId: 'hook-agent-1', agentType: 'hook-agent' } });
    await gate.close();
    expect([ran, judge.requests.length]).toEqual([[], 1]);
  });

  test('it ends after 50 turns without a verdict', async () => {
    const { model, requests } = scripted(calls('Read', { file_path: '/x' }));
    const { gate, ran, diagnostics } = agentGate(pre(agent()), model);
    await gate.run(echoHi);
    await gate.close();
    expect([requests.length, ran.length]).toEqual([50, 1]);
    expect(diagnostics.at(-1)?.message).toContain('within 50 turns');
  });

  test('it is given up at its limit', async () => {
    const { gate, diagnostics } = agentGate(pre(agent({ timeout: 0.1 })), scripted('hangs').model);
    await gate.run(echoHi);
    await gate.close();
    expect(diagnostics.map(({ code }) => code)).toEqual(['hook-timed-out']);
  });
});

test('a hook that names a model gets that one', async () => {
  const [usual, named] = [scripted(says('{"ok":true}')), scripted(says(no))];
  const { gate, ran } = hookGate('/tmp', pre(prompt({ model: 'small' })), {
    gate: { model: usual.model },
    options: { modelFor: (name) => (name === 'small' ? named.model : undefined) },
  });
  await gate.run(echoHi);
  await gate.close();
  expect([ran.length, usual.requests.length, named.requests.length]).toEqual([0, 0, 1]);
});

describe('real clients of two providers', () => {
  const clients = [
    ['anthropic', (baseURL: string) => createAnthropic({ baseURL, apiKey: 'x' })('claude-test')],
    ['openai', (baseURL: string) => createOpenAI({ baseURL, apiKey: 'x' })('gpt-4o')],
  ] as const;

  test.each(clients)('%s: a prompt hook denies', async (_, client) => {
    const mock = await mockModel();
    mock.onMessage(/./, { content: no });
    expect(await run(pre(prompt()), client(`${mock.url}/v1`))).toMatchObject({ ran: 0 });
  });

  test.each(clients)(
    '%s: an agent hook reads, then denies; each call has its one result',
    async (_, client) => {
      const mock = await mockModel();
      mock.addFixture({
        match: { userMessage: /./, hasToolResult: false },
        response: { toolCalls: [{ name: 'Read', arguments: '{"file_path":"/tmp/x"}' }] },
      });
      mock.addFixture({
        match: { userMessage: /./, hasToolResult: true },
        response: { content: no },
      });
      const { gate, ran, reads } = agentGate(
        pre({ type: 'agent', prompt: 'Look.' }),
        client(`${mock.url}/v1`),
      );
      await gate.run(echoHi);
      await gate.close();

      expect([ran, reads]).toEqual([[], ['/tmp/x']]);
      const requests = mock.getRequests();
      expect(requests).toHaveLength(2);
      for (const { body } of requests) expect(unpaired(body)).toEqual([]);
      expect(JSON.stringify(requests[1]?.body)).toContain('text of /tmp/x');
      // The check is not idle: there is a call, and without its result it complains.
      expect(unpaired(withoutResults(requests[1]?.body))).toHaveLength(1);
    },
  );
});

async function mockModel(): Promise<LLMock> {
  const mock = new LLMock({ port: 0 });
  await mock.start();
  onTestFinished(() => mock.stop());
  return mock;
}

/** What is wrong with the pairing of tool calls and results in a request, as the mock writes it down. */
function unpaired(body: unknown): readonly string[] {
  const { messages } = z
    .looseObject({
      messages: z.array(
        z.looseObject({
          role: z.string(),
          tool_calls: z.array(z.looseObject({ id: z.string() })).optional(),
          tool_call_id: z.string().optional(),
        }),
      ),
    })
    .parse(body);
  const problems: string[] = [];
  let open: string[] = [];
  for (const { role, tool_calls = [], tool_call_id } of messages) {
    if (role === 'tool') {
      if (!open.includes(tool_call_id ?? ''))
        problems.push(`a result without a call: ${tool_call_id}`);
      open = open.filter((id) => id !== tool_call_id);
      continue;
    }
    problems.push(...open.map((id) => `a call without a result: ${id}`));
    open = tool_calls.map(({ id }) => id);
  }
  return [...problems, ...open.map((id) => `a call without a result: ${id}`)];
}

/** A request as it would be had the results been forgotten. */
const withoutResults = (body: unknown): object => {
  const { messages } = z
    .looseObject({ messages: z.array(z.looseObject({ role: z.string() })) })
    .parse(body);
  return { messages: messages.filter(({ role }) => role !== 'tool') };
};

/** The gate of the other tests with a Read that notes what it read. */
function agentGate(
  hooks: object,
  model: LanguageModel,
  tool = readTool,
  modelFor?: () => LanguageModel,
) {
  const reads: string[] = [];
  const noting = buildTool({
    ...shape(tool),
    call(input) {
      reads.push(input.file_path);
      return { data: `text of ${input.file_path}` };
    },
  });
  const made = hookGate('/tmp', hooks, {
    gate: { model, permissions: () => allow('Test.', 'all') },
    tools: [noting],
    ...(modelFor && { options: { modelFor } }),
  });
  return { ...made, reads };
}
const shape = ({ name, isReadOnly }: { name: string; isReadOnly: typeof readTool.isReadOnly }) => ({
  name,
  description: 'Reads.',
  inputSchema: z.object({ file_path: z.string() }),
  isReadOnly,
  call: ({ file_path }: { file_path: string }) => ({ data: `text of ${file_path}` }),
});
