import {
  allow,
  ask,
  createToolgate,
  deny,
  type LanguageModel,
  type ModelAnswer,
  type ModelRequest,
  type PermissionPrompt,
  type ToolgateOptions,
  type ToolUse,
} from '@toolgate/core';
import { createBuiltinTools } from '@toolgate/tools-builtin';
import { createAgent, type AgentOptions } from '@toolgate/tools-builtin/agent';
import { backgroundTasks } from '@toolgate/tools-builtin/tasks';
import { expect, onTestFinished, test } from 'vitest';
import { project } from './helpers.ts';
import { noLeftovers } from './no-leftovers.ts';

noLeftovers();

const say = (text: string): ModelAnswer => ({
  content: [{ type: 'text', text } as { type: string }],
});
let callIds = 0;
const use = (toolName: string, input: object): ModelAnswer => ({
  content: [
    {
      type: 'tool-call',
      toolCallId: `call_${(callIds += 1)}`,
      toolName,
      input: JSON.stringify(input),
    } as { type: string },
  ],
});

/** Answers with these, one after another; remembers what it was asked. */
function scripted(...answers: readonly (ModelAnswer | Error)[]) {
  const requests: ModelRequest[] = [];
  const model: LanguageModel = {
    specificationVersion: 'v4',
    provider: 'test',
    modelId: 'scripted',
    async doGenerate(request) {
      requests.push({ ...request, prompt: [...request.prompt] });
      const answer = answers[requests.length - 1] ?? say('done');
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  return { model, requests };
}

let ids = 0;
const toolUse = (name: string, input: object): ToolUse => ({
  type: 'tool_use',
  id: `toolu_${(ids += 1)}`,
  name,
  input,
});
const task = { description: 'look around', prompt: 'What is in a.txt?' };

async function gateWith(agent: AgentOptions, options: Partial<ToolgateOptions> = {}) {
  const cwd = await project({ 'a.txt': 'the text' });
  const tools = createBuiltinTools().map((tool) =>
    tool.name === 'Agent' ? createAgent(agent) : tool,
  );
  const gate = createToolgate({ tools, cwd, plugins: [backgroundTasks()], ...options });
  onTestFinished(() => gate.close());
  return {
    gate,
    cwd,
    run: (input: object = {}) => gate.run(toolUse('Agent', { ...task, ...input })),
  };
}

const resultsIn = ({ prompt }: ModelRequest) =>
  prompt.flatMap((message) =>
    message.role === 'tool' ? message.content.map(({ output }) => output) : [],
  );

test('an agent works with tools and answers; its parent gets the last answer alone', async () => {
  const { model, requests } = scripted(
    use('Read', { file_path: 'a.txt' }),
    say('It says: the text.'),
  );
  const { run } = await gateWith({ model });

  const { block, outcome } = await run();

  expect([outcome, block.content]).toEqual(['ok', 'It says: the text.']);
  expect(requests[0]?.prompt.map(({ role }) => role)).toEqual(['system', 'user']);
  expect(resultsIn(requests[1] ?? { prompt: [] })).toEqual([
    { type: 'text', value: '1\tthe text' },
  ]);
  expect(requests[0]?.tools?.map(({ name }) => name)).toContain('Bash');
});

test('without a model a call is refused and says why', async () => {
  const { run } = await gateWith({});

  const { errorCode, block } = await run();
  expect(errorCode).toBe(4);
  expect(block.content).toContain('No language model is connected here, so no agent can work.');
});

test('a kind of agent has the tools of its definition, whatever its model asks for', async () => {
  const { model, requests } = scripted(use('Bash', { command: 'ls' }), say('no'));
  const { run } = await gateWith({ model }, { permissions: () => allow('test', 'all') });

  await run({ subagent_type: 'Explore' });

  expect(requests[0]?.tools?.map(({ name }) => name)).toEqual(['Read', 'Glob', 'Grep']);
  expect(resultsIn(requests[1] ?? { prompt: [] })).toEqual([
    { type: 'error-text', value: expect.stringContaining('There is no tool named "Bash".') },
  ]);
});

test('its calls are decided on like any other: denied, asked with its id, refused when nobody is there', async () => {
  const prompts: PermissionPrompt[] = [];
  const permissions: ToolgateOptions['permissions'] = ({ input }) =>
    String(input['command']).includes('rm') ? deny('Never.') : ask('Sure?');
  const script = () =>
    scripted(use('Bash', { command: 'rm x' }), use('Bash', { command: 'echo hi' }), say('ok'));
  const asked = script();
  const { run } = await gateWith(
    { model: asked.model },
    {
      permissions: (call, about) =>
        call.tool.name === 'Agent' ? undefined : permissions(call, about),
      dialog: async (prompt) => {
        prompts.push(prompt);
        return { behavior: 'allow' };
      },
    },
  );
  expect((await run()).outcome).toBe('ok');
  expect(prompts).toMatchObject([
    { tool: 'Bash', input: { command: 'echo hi' }, agentId: expect.stringMatching(/^agent-/) },
  ]);
  expect(resultsIn(asked.requests[2] ?? { prompt: [] })).toEqual([
    { type: 'error-text', value: expect.stringContaining('Never.') },
    { type: 'text', value: 'hi' },
  ]);

  const alone = script();
  const headless = await gateWith({ model: alone.model });
  await headless.run();
  expect(resultsIn(alone.requests[2] ?? { prompt: [] })[1]).toMatchObject({ type: 'error-text' });
});

test('agents are bounded in depth, number and turns', async () => {
  const nested = (answers: number): LanguageModel => ({
    ...scripted().model,
    doGenerate: async ({ prompt }) =>
      prompt.length > answers ? say(JSON.stringify(prompt.at(-1))) : use('Agent', task),
  });
  const deep = await gateWith({ model: nested(2) });
  expect(JSON.stringify((await deep.run()).block.content)).toContain('Agents stand at most 3 deep');

  const many = await gateWith({ model: scripted().model, maxAgents: 2 });
  expect([(await many.run()).outcome, (await many.run()).outcome]).toEqual(['ok', 'ok']);
  expect((await many.run()).block.content).toContain('has had 2 agents, as many as it may');

  const endless: LanguageModel = {
    ...scripted().model,
    doGenerate: async () => use('Read', { file_path: 'a.txt' }),
  };
  const long = await gateWith({ model: endless, maxTurns: 3 });
  expect((await long.run()).block.content).toContain('It did not finish within 3 turns.');
});

test('an abort ends the agent at once, also while its model is asked', async () => {
  const controller = new AbortController();
  const model: LanguageModel = {
    ...scripted().model,
    doGenerate: () => {
      controller.abort();
      return new Promise(() => undefined);
    },
  };
  const { gate } = await gateWith({ model });

  const { outcome } = await gate.run(toolUse('Agent', task), { signal: controller.signal });

  expect(outcome).toBe('aborted');
});

test('a model that fails is a failure that says so', async () => {
  const { run } = await gateWith({ model: scripted(new Error('no credit')).model });
  expect((await run()).block.content).toContain("The agent's language model failed: no credit.");
  const nonsense = { ...scripted().model, doGenerate: async () => ({}) as ModelAnswer };
  const other = await gateWith({ model: nonsense });
  expect((await other.run()).block.content).toContain('an answer without content');
});

test('what cannot be is refused in one line; old names and models by name work', async () => {
  const plain = scripted(say('plain'));
  const small = scripted(say('small'));
  const { gate, run } = await gateWith({ model: plain.model, models: { haiku: small.model } });

  expect((await run({ subagent_type: 'Explorer' })).block.content).toContain(
    'Did you mean "Explore"?',
  );
  expect((await run({ isolation: 'worktree' })).block.content).toContain('is not supported');
  expect((await run({ model: 'opus' })).block.content).toContain('There are: haiku.');
  expect((await run({ model: 'haiku' })).block.content).toBe('small');
  expect((await gate.run(toolUse('Task', task))).outcome).toBe('ok');
});

test('in the background it answers later, and can be stopped', async () => {
  const { model } = scripted(use('Read', { file_path: 'a.txt' }), say('found'));
  const { gate, run } = await gateWith({ model });
  const { block } = await run({ run_in_background: true });
  const id = /task_\w+/.exec(JSON.stringify(block.content))?.[0];

  const shown = await gate.run(toolUse('TaskOutput', { task_id: id }));
  expect(shown.block.content).toMatch(
    /^Background task \S+ has ended\. Its output is in \S+\.\nfound$/,
  );

  const stuck: LanguageModel = { ...model, doGenerate: () => new Promise(() => undefined) };
  const other = await gateWith({ model: stuck });
  const started = await other.run({ run_in_background: true });
  const stuckId = /task_\w+/.exec(JSON.stringify(started.block.content))?.[0];
  const stopped = await other.gate.run(toolUse('TaskStop', { task_id: stuckId }));
  expect(stopped.block.content).toContain('was stopped: TaskStop was called');
});
