import { MockLanguageModelV4 } from 'ai/test';

type Result = Awaited<ReturnType<MockLanguageModelV4['doGenerate']>>;
const usage: Result['usage'] = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const replies: readonly Pick<Result, 'content' | 'finishReason'>[] = [
  {
    content: [
      {
        type: 'tool-call',
        toolCallId: 'call_1',
        toolName: 'ReadNote',
        input: '{"title":"milk","lines":"1"}',
      },
      { type: 'tool-call', toolCallId: 'call_2', toolName: 'DropNote', input: '{"title":"milk"}' },
    ],
    finishReason: { unified: 'tool-calls', raw: undefined },
  },
  {
    content: [{ type: 'text', text: 'Two bottles.' }],
    finishReason: { unified: 'stop', raw: undefined },
  },
];

/** Says the same two things every time; remembers what it was sent. */
export const scriptedModel = (): MockLanguageModelV4 =>
  new MockLanguageModelV4({
    doGenerate: replies.map((reply) => ({ ...reply, usage, warnings: [] })),
  });
