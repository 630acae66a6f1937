import { allow, buildTool, textView, type ToolUseContext } from '@toolgate/core';
import { z } from 'zod';

const todo = z.strictObject({
  content: z.string().min(1).describe('What is to be done, as an instruction: Run the tests'),
  status: z.enum(['pending', 'in_progress', 'completed']),
  activeForm: z.string().min(1).describe('The same while it goes on: Running the tests'),
});
const listOf = <T extends z.ZodType>(one: T) =>
  z.strictObject({
    todos: z.array(one).max(200).describe('The whole list, in order; it replaces the one before'),
  });

/** Lists were once written with `id` and `priority` and without `activeForm`; agents and transcripts still do. */
function modern(value: unknown): unknown {
  const older = olderTodo.safeParse(value);
  if (!older.success) return value;
  const { id: _id, priority: _priority, ...rest } = older.data;
  return { activeForm: rest.content, ...rest };
}
const olderTodo = z.looseObject({
  content: z.string(),
  id: z.string(),
  priority: z.enum(['high', 'medium', 'low']).optional(),
});
const inputSchema = listOf(z.preprocess(modern, todo));

/** One thing to do. */
export type Todo = z.output<typeof todo>;

/** The list before and after; hooks get it as `tool_response`. */
export interface TodoWriteOutput {
  readonly oldTodos: readonly Todo[];
  readonly newTodos: readonly Todo[];
}

const description = `Keeps the list of what is to be done in this piece of work, so that people can follow it.
- Send the whole list each time. Use it for work of three steps or more.
- Mark one step in_progress before you begin it, and completed as soon as it is done.`;

/** Where the list stands in the application's state: one for the session, one for each sub-agent that can keep any. */
const keyOf = ({ agentId }: ToolUseContext): string => agentId ?? 'main';

/** The lists of all agents as they stand in the application's state under `todos`. */
function listsIn(
  state: Readonly<Record<string, unknown>>,
): Readonly<Record<string, readonly Todo[]>> {
  const lists = z.record(z.string(), z.array(todo)).safeParse(state['todos']);
  return lists.success ? lists.data : {};
}

/** TodoWrite: the list of what is to be done, kept in the application's state under `todos`. */
export const todoWrite = buildTool({
  name: 'TodoWrite',
  description,
  searchHint: 'keep a list of steps',
  inputSchema,
  // A model is shown the form of today alone.
  inputJSONSchema: z.toJSONSchema(listOf(todo), { io: 'input' }),
  // It changes nothing but the list that people are shown.
  isReadOnly: () => true,
  isIdempotent: () => true,
  checkPermissions: () => allow('A list of steps needs no permission.'),
  call({ todos }, context) {
    const key = keyOf(context);
    const oldTodos = listsIn(context.getAppState())[key] ?? [];
    // A list that is all done is put away.
    const kept = todos.every(({ status }) => status === 'completed') ? [] : todos;
    context.setAppState((state) => ({ ...state, todos: { ...listsIn(state), [key]: kept } }));
    const data: TodoWriteOutput = { oldTodos, newTodos: todos };
    return { data };
  },
  mapToolResultToToolResultBlockParam: ({ newTodos }: TodoWriteOutput) => {
    const count = (status: Todo['status']) =>
      newTodos.filter((one) => one.status === status).length;
    return {
      content: `The list is kept: ${count('completed')} done, ${count('in_progress')} in progress, ${count('pending')} to do. Go on with the step in progress.`,
    };
  },
  getActivityDescription: ({ todos }) =>
    todos.find(({ status }) => status === 'in_progress')?.activeForm ?? 'Updating the list',
  renderToolUseMessage: ({ todos }) => ({
    type: 'list',
    items: shown(todos),
  }),
  renderToolResultMessage: ({ newTodos }) => ({
    type: 'list',
    items: shown(newTodos),
  }),
});

const marks = { pending: '[ ]', in_progress: '[>]', completed: '[x]' } as const;

const shown = (todos: readonly Todo[]) =>
  todos.map(({ content, status }) => textView(`${marks[status]} ${content}`));
