import type { AssistantMessage, ToolResultBlock, UserMessage } from '@toolgate/core';
import type { ModelMessage, ToolModelMessage } from 'ai';

type Output = Extract<ToolModelMessage['content'][number], { type: 'tool-result' }>['output'];
/** A call as the AI SDK hands it out. */
interface ToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
}

/** What `gate.runTurn` takes. */
export const assistantMessageOf = (calls: readonly ToolCall[]): AssistantMessage => ({
  role: 'assistant',
  content: calls.map(({ toolCallId, toolName, input }) => ({
    type: 'tool_use',
    id: toolCallId,
    name: toolName,
    input,
  })),
});

/** What the SDK takes as the answer: the results, and behind them whatever hooks had to say. */
export function answerOf({ content }: UserMessage, calls: readonly ToolCall[]): ModelMessage[] {
  const names = new Map(calls.map(({ toolCallId, toolName }) => [toolCallId, toolName]));
  const results = content.filter(isResult).map((block) => ({
    type: 'tool-result' as const,
    toolCallId: block.tool_use_id,
    toolName: names.get(block.tool_use_id) ?? '',
    output: outputOf(block),
  }));
  const texts = content.flatMap((block) =>
    block.type === 'text' && 'text' in block
      ? [{ type: 'text' as const, text: String(block.text) }]
      : [],
  );
  return [
    { role: 'tool', content: results },
    ...(texts.length > 0 ? [{ role: 'user' as const, content: texts }] : []),
  ];
}

const isResult = (block: UserMessage['content'][number]): block is ToolResultBlock =>
  block.type === 'tool_result';

/** Text, or whatever blocks there are as JSON; pictures of a real agent would become `content`. */
function outputOf({ content, is_error }: ToolResultBlock): Output {
  const value = typeof content === 'string' ? content : JSON.stringify(content);
  return { type: is_error ? 'error-text' : 'text', value };
}
