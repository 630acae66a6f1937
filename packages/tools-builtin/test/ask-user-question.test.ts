import {
  allow,
  ask,
  createToolgate,
  definePlugin,
  deny,
  type Opinion,
  type PermissionAnswer,
  type PermissionPrompt,
} from '@toolgate/core';
import { askUserQuestion } from '@toolgate/tools-builtin/ask-user-question';
import { describe, expect, test } from 'vitest';

const question = {
  question: 'Which one?',
  header: 'Choice',
  options: [
    { label: 'A', description: 'the first' },
    { label: 'B', description: 'the second' },
  ],
};
const other = { ...question, question: 'And then?' };
const use = (input: unknown) => ({
  type: 'tool_use' as const,
  id: 'toolu_1',
  name: 'AskUserQuestion',
  input,
});

/** Asks through a gate whose person answers so. */
async function asked(
  answer: (prompt: PermissionPrompt) => PermissionAnswer | undefined,
  input: unknown = { questions: [question] },
) {
  const prompts: PermissionPrompt[] = [];
  const gate = createToolgate({
    tools: [askUserQuestion],
    permissions: () => ({ behavior: 'allow', reason: 'all', covers: 'all' }),
    dialog: async (prompt) => {
      prompts.push(prompt);
      return answer(prompt);
    },
  });
  const outcome = await gate.run(use(input));
  await gate.close();
  return { ...outcome, prompts };
}

test('a person is asked whatever rules allow, and the answers reach the model', async () => {
  const { block, prompts } = await asked((prompt) => ({
    behavior: 'allow',
    updatedInput: { ...prompt.input, answers: { 'Which one?': 'B', 'Another?': 'x' } },
  }));

  expect(prompts.map(({ strength }) => strength)).toEqual(['person']);
  expect(block).toEqual({
    type: 'tool_result',
    tool_use_id: 'toolu_1',
    content: 'Which one?\nB',
  });
});

test('answers that the model wrote itself do not count', async () => {
  const input = { questions: [question], answers: { 'Which one?': 'A' } };
  const { block } = await asked(() => ({ behavior: 'allow' }), input);

  expect(block.is_error).toBe(true);
  expect(block.content).toMatch(/nobody answered them/);
});

const answers = { 'Which one?': 'B' };
const yesWith = (updatedInput?: object) => ({
  behavior: 'allow' as const,
  ...(updatedInput && { updatedInput: { questions: [question], ...updatedInput } }),
});

/** Nobody is there but one hook, at the start of the call or in a person's place. */
async function askedHook(
  where: 'start' | 'prompt',
  answer: ReturnType<typeof yesWith>,
  {
    input = { questions: [question] },
    more = allow('all', 'all'),
  }: { readonly input?: object; readonly more?: Opinion } = {},
) {
  const hook = definePlugin({
    name: 'hook',
    setup({ hooks }) {
      const { updatedInput } = answer;
      if (where === 'start')
        hooks.start.tap('hook', () => ({
          opinion: allow('yes', 'all'),
          ...(updatedInput && { updatedInput }),
        }));
      else hooks.prompt.tap({ name: 'hook', slot: 'hooks' }, () => ({ answer, by: 'hook' }));
    },
  });
  const gate = createToolgate({
    tools: [askUserQuestion],
    plugins: [hook()],
    permissions: () => more,
  });
  const { block } = await gate.run(use(input));
  await gate.close();
  return block;
}

describe.each(['start', 'prompt'] as const)('security 3: a hook in %s', (where) => {
  test('answers in the place of the person', async () => {
    const block = await askedHook(where, yesWith({ answers }));
    expect([block.is_error, block.content]).toEqual([undefined, 'Which one?\nB']);
  });

  test.for([
    ['a bare allow', yesWith(), {}],
    ['an allow that hands on what the model wrote', yesWith({ answers }), { answers }],
    ['a change of something else', yesWith({ answers, questions: [question, other] }), { answers }],
    ['no answer at all', yesWith({ answers: {} }), {}],
    ['an answer to another question', yesWith({ answers: { 'And then?': 'A' } }), {}],
  ] as const)('does not answer with %s', async ([, answer, extra]) => {
    const block = await askedHook(where, answer, { input: { questions: [question], ...extra } });
    expect(block.is_error).toBe(true);
  });

  test.for([deny('no'), ask('sure?', 'person')])('lifts nothing else: %j', async (more) => {
    const block = await askedHook(where, yesWith({ answers }), { more });
    expect(block.is_error).toBe(true);
  });
});

test('nobody there, and a no, are refusals', async () => {
  expect((await asked(() => undefined)).code).toBe('permission_denied');
  expect((await asked(() => ({ behavior: 'deny', message: 'Not now.' }))).block.content).toMatch(
    /Not now\./,
  );
});

test('a question without an answer says so', async () => {
  const { block } = await asked(
    (prompt) => ({
      behavior: 'allow',
      updatedInput: { ...prompt.input, answers: { 'And then?': 'A, B' } },
    }),
    { questions: [question, other] },
  );
  expect(block.content).toBe('Which one?\n(no answer)\n\nAnd then?\nA, B');
});

test.for([
  [{ questions: [question, question] }, /stands there twice/],
  [
    {
      questions: [{ ...question, options: [question.options[0], question.options[0]] }],
    },
    /have the same label/,
  ],
  [{ questions: [{ ...question, header: 'much too long a word' }] }, /header/],
  [{ questions: [{ ...question, options: [question.options[0]] }] }, /options/],
  [{ questions: [] }, /questions/],
] as const)('%j is refused before anybody is asked', async ([input, message]) => {
  const { block, code, prompts } = await asked(() => ({ behavior: 'allow' }), input);

  expect([code, prompts]).toEqual(['input_invalid', []]);
  expect(block.content).toMatch(message);
});
