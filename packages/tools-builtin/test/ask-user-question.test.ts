import { createToolgate, type PermissionAnswer, type PermissionPrompt } from '@toolgate/core';
import { askUserQuestion } from '@toolgate/tools-builtin/ask-user-question';
import { expect, test } from 'vitest';

const question = {
  question: 'Which one?',
  header: 'Choice',
  options: [
    { label: 'A', description: 'the first' },
    { label: 'B', description: 'the second' },
  ],
};
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

test('nobody there, and a no, are refusals', async () => {
  expect((await asked(() => undefined)).code).toBe('permission_denied');
  expect((await asked(() => ({ behavior: 'deny', message: 'Not now.' }))).block.content).toMatch(
    /Not now\./,
  );
});

test('a question without an answer says so', async () => {
  const other = { ...question, question: 'And then?' };
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
