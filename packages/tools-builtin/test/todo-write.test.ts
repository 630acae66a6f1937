import { ask, createToolgate } from '@toolgate/core';
import { todoWrite, type Todo } from '@toolgate/tools-builtin/todo-write';
import { expect, test } from 'vitest';
import { contextFor, project, use } from './helpers.ts';

const todo = (content: string, status: Todo['status'] = 'pending'): Todo => ({
  content,
  status,
  activeForm: `${content} now`,
});

/** A context whose application state is real. */
async function session(agentId?: string) {
  const cwd = await project();
  let state: Readonly<Record<string, unknown>> = { other: 1 };
  const input = { todos: [] };
  const context = {
    ...contextFor(todoWrite, input, { cwd }),
    agentId,
    getAppState: () => state,
    setAppState: (update: (previous: typeof state) => typeof state) => void (state = update(state)),
  };
  const write = (todos: readonly Todo[]) =>
    use(todoWrite, { todos: [...todos] }, { cwd }, { context });
  return { write, state: () => state };
}

test('the list replaces the one before and stands in the application state', async () => {
  const { write, state } = await session();
  const first = await write([todo('a', 'in_progress'), todo('b')]);
  expect(first.data).toEqual({
    oldTodos: [],
    newTodos: [todo('a', 'in_progress'), todo('b')],
  });
  expect(first.text).toBe(
    'The list is kept: 0 done, 1 in progress, 1 to do. Go on with the step in progress.',
  );

  const second = await write([todo('a', 'completed'), todo('b', 'in_progress')]);
  expect(second.data.oldTodos).toEqual([todo('a', 'in_progress'), todo('b')]);
  expect(state()).toEqual({
    other: 1,
    todos: { main: [todo('a', 'completed'), todo('b', 'in_progress')] },
  });
});

test('a list that is all done is put away; each agent has its own', async () => {
  const { write, state } = await session('agent-1');
  await write([todo('a', 'completed')]);
  expect(state()).toEqual({ other: 1, todos: { 'agent-1': [] } });
});

test('a step in progress is what the person sees going on', () => {
  expect(todoWrite.getActivityDescription({ todos: [todo('a'), todo('b', 'in_progress')] })).toBe(
    'b now',
  );
});

test('the older form of a list is read; a model is shown that of today', async () => {
  const prompts: unknown[] = [];
  const gate = createToolgate({
    tools: [todoWrite],
    permissions: () => ask('sure?'),
    dialog: async ({ input }) => {
      prompts.push(input);
      return { behavior: 'allow' };
    },
  });
  const older = { content: 'Run it', status: 'in_progress', id: '1', priority: 'high' };
  const input = { todos: [older, { ...todo('a'), id: '2' }] };
  const { block } = await gate.run({ type: 'tool_use', id: 'toolu_1', name: 'TodoWrite', input });
  const [definition] = await gate.toolDefinitions();
  await gate.close();

  expect(block.is_error).toBeUndefined();
  expect(prompts).toEqual([
    { todos: [{ content: 'Run it', status: 'in_progress', activeForm: 'Run it' }, todo('a')] },
  ]);
  expect(JSON.stringify(definition)).not.toMatch(/priority/);
  expect(JSON.stringify(definition)).toMatch(/"required":\["content","status","activeForm"\]/);
});

test('what is no list is refused by its schema', async () => {
  const gate = createToolgate({ tools: [todoWrite] });
  const codeOf = async (input: unknown) =>
    (await gate.run({ type: 'tool_use', id: 'toolu_1', name: 'TodoWrite', input })).code;

  expect(await codeOf({ todos: [todo('a')] })).toBeUndefined();
  for (const input of [
    { todos: [{ ...todo('a'), status: 'done' }] },
    { todos: [{ content: '', status: 'pending', activeForm: 'x' }] },
    { todos: 'a' },
    { todos: [{ ...todo('a'), id: '1', priority: 'urgent' }] },
    { todos: [{ ...todo('a'), owner: 'me' }] },
    { todos: [{ content: 'a', status: 'pending' }] },
  ])
    expect(await codeOf(input)).toBe('input_invalid');
  await gate.close();
});
