import type { MappedResult } from '@toolgate/core';

/** What a sub-agent came to; hooks get it as `tool_response`. */
export type AgentOutput =
  | {
      readonly status: 'completed';
      readonly agentId: string;
      readonly agentType: string;
      readonly prompt: string;
      readonly content: readonly { readonly type: 'text'; readonly text: string }[];
      readonly totalToolUseCount: number;
      readonly totalDurationMs: number;
      /** As far as the model tells. */
      readonly totalTokens: number;
      /** Why it ended before it was done. */
      readonly cutShort?: string;
    }
  | {
      /** It works in the background. */
      readonly status: 'async_launched';
      readonly agentId: string;
      readonly agentType: string;
      readonly description: string;
      readonly prompt: string;
      readonly taskId: string;
      /** Gets its answer when it has ended. */
      readonly outputFile?: string;
    };

/** What the model reads. */
export function mapAgentOutput(data: AgentOutput): MappedResult {
  if (data.status === 'async_launched') {
    const where = data.outputFile === undefined ? '' : ` Its answer goes to ${data.outputFile}.`;
    return {
      content: `The agent works in the background, as task ${data.taskId}.${where} TaskOutput shows it, TaskStop ends it; you are told when it has ended.`,
    };
  }
  const text = data.content.map((part) => part.text).join('\n');
  return {
    content: [text || '(The agent gave no answer.)', data.cutShort && `(${data.cutShort})`]
      .filter(Boolean)
      .join('\n'),
  };
}
