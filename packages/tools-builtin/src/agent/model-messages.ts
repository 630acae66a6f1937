import { randomUUID } from 'node:crypto';
import type {
  CallOutcome,
  ModelMessage,
  ModelPart,
  ModelTool,
  ToolDefinition,
  ToolUse,
} from '@toolgate/core';

type Text = Extract<ModelPart, { type: 'text' }>;
type Call = Extract<ModelPart, { type: 'tool-call' }>;
type Result = Extract<ModelPart, { type: 'tool-result' }>;

/** Most tool calls of one answer that are run. */
const maxCalls = 20;

/** Tools as a model takes them. */
export const modelTools = (definitions: readonly ToolDefinition[]): ModelTool[] =>
  definitions.map(({ name, description, input_schema }) => ({
    type: 'function',
    name,
    description,
    inputSchema: input_schema as object as Record<string, never>, // a JSON Schema is one
  }));

/** One answer of a model: its texts, and its calls under ids of ours, since its own may be those of others. */
export interface ReadAnswer {
  readonly texts: Text[];
  readonly calls: readonly { readonly call: Call; readonly use: ToolUse }[];
}

/** Reads what a model answered; parts of other kinds are left out. */
export function readAnswer(content: readonly object[]): ReadAnswer {
  const texts: Text[] = [];
  const calls: { call: Call; use: ToolUse }[] = [];
  for (const part of content) {
    const { type, text, toolCallId, toolName, input } = part as Partial<Record<string, unknown>>; // tested below
    if (type === 'text' && typeof text === 'string' && text !== '') texts.push({ type, text });
    if (type !== 'tool-call' || typeof toolCallId !== 'string' || typeof toolName !== 'string')
      continue;
    if (calls.length >= maxCalls) continue;
    const value = typeof input === 'string' ? parsed(input) : input;
    calls.push({
      call: { type, toolCallId, toolName, input: value },
      use: { type: 'tool_use', id: `agent_${randomUUID()}`, name: toolName, input: value },
    });
  }
  return { texts, calls };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text === '' ? '{}' : text);
  } catch {
    return text;
  }
}

/** What goes back to the model: its answer, the result of each call, and what hooks had to say. */
export function turnMessages(
  { texts, calls }: ReadAnswer,
  outcomes: readonly CallOutcome[],
): ModelMessage[] {
  const blocks = new Map(outcomes.map(({ block }) => [block.tool_use_id, block]));
  const results = calls.map(({ call, use }): Result => {
    const block = blocks.get(use.id);
    return {
      type: 'tool-result',
      toolCallId: call.toolCallId,
      toolName: call.toolName,
      output: {
        type: block && !block.is_error ? 'text' : 'error-text',
        value: block ? textOf(block.content) : 'There was no answer.',
      },
    };
  });
  const after = outcomes.flatMap((outcome) => outcome.after).map((block) => textOf([block]));
  return [
    { role: 'assistant', content: [...texts, ...calls.map(({ call }) => call)] },
    { role: 'tool', content: results },
    ...(after.length > 0
      ? [{ role: 'user' as const, content: [{ type: 'text' as const, text: after.join('\n') }] }]
      : []),
  ];
}

const textOf = (content: string | readonly { readonly type: string }[]): string =>
  typeof content === 'string'
    ? content
    : content
        .map((block) =>
          'text' in block && typeof block.text === 'string' ? block.text : `[${block.type}]`,
        )
        .join('\n');
