import { ask, buildTool, textView, TelemetrySafeError } from '@toolgate/core';
import { z } from 'zod';

const option = z.strictObject({
  label: z.string().min(1).max(60).describe('The answer in a few words'),
  description: z.string().describe('What choosing it means'),
  preview: z.string().optional().describe('Text, code or a sketch to compare options by'),
});
const question = z.strictObject({
  question: z.string().min(1).describe('The whole question, ending in a question mark'),
  header: z.string().min(1).max(12).describe('A word to show beside it'),
  options: z.array(option).min(2).max(4),
  multiSelect: z.boolean().default(false).describe('Whether several may be chosen'),
});
const inputSchema = z.strictObject({
  questions: z.array(question).min(1).max(4),
  answers: z
    .record(z.string(), z.string())
    .optional()
    .describe('Left out by you: filled in by the person who answers'),
});

/** What was asked and answered; hooks get it as `tool_response`. */
export interface AskUserQuestionOutput {
  readonly questions: readonly z.output<typeof question>[];
  /** The text of a question with the label that was chosen, several joined by commas, or words of the person's own. */
  readonly answers: Readonly<Record<string, string>>;
}

const description = `Asks the person questions with a few answers to choose from, when you cannot go on without.
- One to four questions, each with two to four options. The person may also answer in words of their own.
- Put the option you would choose first. Do not ask what you can find out yourself.`;

/**
 * AskUserQuestion: a person chooses. The prompt for permission is the question: whoever answers it gives
 * the call back with `answers` filled in (`updatedInput`); so may a hook that speaks for the host. Answers
 * of the model itself do not count.
 */
export const askUserQuestion = buildTool({
  name: 'AskUserQuestion',
  description,
  searchHint: 'ask the person to choose',
  inputSchema,
  isReadOnly: () => true,
  checkPermissions: () => ({ ...ask('A person has to answer.', 'person'), fillable: 'answers' }),
  validateInput({ questions }) {
    const texts = questions.map((one) => one.question);
    const repeated = texts.find((text, index) => texts.indexOf(text) !== index);
    if (repeated !== undefined)
      return {
        result: false,
        message: `The question "${repeated}" stands there twice.`,
        errorCode: 1,
      };
    const unclear = questions.find(
      ({ options }) => new Set(options.map(({ label }) => label)).size < options.length,
    );
    return unclear
      ? {
          result: false,
          message: `Two options of "${unclear.question}" have the same label.`,
          errorCode: 2,
        }
      : { result: true };
  },
  call({ questions, answers = {} }, context) {
    const given = Object.entries(answers).filter(([text]) =>
      questions.some((one) => one.question === text),
    );
    const byHook = context.filledByHook.includes('answers') && given.length > 0;
    if (!context.userModified && !byHook)
      throw new TelemetrySafeError(
        'The questions were allowed, but nobody answered them. Go on with what you think best, or ask in your reply.',
        'nobody answered',
      );
    const data: AskUserQuestionOutput = { questions, answers: Object.fromEntries(given) };
    return { data };
  },
  mapToolResultToToolResultBlockParam: ({ questions, answers }: AskUserQuestionOutput) => ({
    content: questions
      .map((one) => `${one.question}\n${answers[one.question] ?? '(no answer)'}`)
      .join('\n\n'),
  }),
  getActivityDescription: () => 'Waiting for an answer',
  renderToolUseMessage: ({ questions }) => ({
    type: 'list',
    items: questions.map((one) =>
      textView(`${one.question} ${one.options.map(({ label }) => label).join(' / ')}`),
    ),
  }),
  renderToolResultMessage: ({ answers }) => ({
    type: 'list',
    items: Object.entries(answers).map(([text, answer]) => textView(`${text} ${answer}`)),
  }),
});
