import { randomUUID } from 'node:crypto';
import {
  answerJson,
  type LanguageModel,
  type ModelMessage,
  type ModelPart,
  type ModelTool,
  type Toolgate,
  type ToolResultBlock,
  type ToolUse,
} from '@toolgate/core';
import { z } from 'zod';
import {
  filledPrompt,
  judging,
  outputOf,
  unusable,
  verdictSchema,
  type Verdict,
} from './ask-prompt.ts';
import { failedEnd, type HandlerEnd } from './handler-end.ts';
import type { Handler, HandlerOf } from './handler.ts';
import type { HookEvent } from './hook-events.ts';
import { within } from './within.ts';

/** The tools of an `agent` hook: those that only read. */
const readingTools: readonly string[] = ['Read', 'Glob', 'Grep'];
const maxTurns = 50;
/** The most tool calls that are answered of one turn. */
const maxCalls = 10;
const hookAgent = 'hook-agent';

/** What an agent works with. */
export interface AgentSurroundings {
  readonly model: LanguageModel | undefined;
  readonly gate: Pick<Toolgate, 'runTurn' | 'toolDefinitions'> | undefined;
  /** The ids of the agents of hooks at work: hooks of a model do not run for their calls. */
  readonly agents: Set<string>;
}

/**
 * Lets a model look around with reading tools before it judges an event. Its calls pass the same gate as all
 * others, under the same rules and hooks, except hooks that ask a model themselves.
 */
export function runAgent(
  handler: Handler & HandlerOf<'agent'>,
  event: HookEvent,
  payload: string,
  { model, gate, agents }: AgentSurroundings,
  signal: AbortSignal,
): Promise<HandlerEnd> {
  if (!model || !gate)
    return Promise.resolve(
      failedEnd(
        `could not be asked: there is no ${model ? 'gate for its tools' : 'language model'}`,
        'hook-not-started',
      ),
    );
  const agentId = `${hookAgent}-${randomUUID()}`;
  return within(
    async (own) => {
      agents.add(agentId);
      try {
        const verdict = await converse(handler.prompt, payload, {
          model,
          gate,
          agentId,
          signal: own,
        });
        if (!verdict) return failedEnd(`came to no verdict within ${maxTurns} turns`);
        // That a condition can never be met is for `prompt` hooks to say.
        const { impossible: _, ...rest } = verdict;
        return { state: 'said', output: outputOf(event, rest, true) };
      } finally {
        agents.delete(agentId);
      }
    },
    { timeoutMs: handler.timeoutMs, signal },
    unusable,
  );
}

interface AgentAtWork {
  readonly model: LanguageModel;
  readonly gate: Pick<Toolgate, 'runTurn' | 'toolDefinitions'>;
  readonly agentId: string;
  readonly signal: AbortSignal;
}

/** Turn after turn until the model answers without a call; undefined when it never does. */
async function converse(
  condition: string,
  payload: string,
  at: AgentAtWork,
): Promise<Verdict | undefined> {
  const { text, mark } = filledPrompt(condition, payload);
  const tools = await toolsOf(at.gate);
  const prompt: ModelMessage[] = [
    { role: 'system', content: `${judging(mark)}\n\n${form}` },
    { role: 'user', content: [{ type: 'text', text }] },
  ];
  for (let turn = 0; turn < maxTurns && !at.signal.aborted; turn++) {
    const answer = await at.model.doGenerate({ prompt, tools, abortSignal: at.signal });
    const calls = callsIn(answer.content);
    if (calls.length === 0) return answerJson(answer, verdictSchema);
    const results = await answersTo(calls, at);
    prompt.push(
      { role: 'assistant', content: [...textsIn(answer.content), ...calls] },
      { role: 'tool', content: [...results] },
    );
  }
  return undefined;
}

const form = `Look at what you need with the tools you have; they only read. When you know, answer without a tool call, with exactly one JSON object that fits this JSON Schema: ${JSON.stringify(z.toJSONSchema(verdictSchema, { io: 'input' }))}`;

async function toolsOf(gate: Pick<Toolgate, 'toolDefinitions'>): Promise<ModelTool[]> {
  const all = await gate.toolDefinitions({ isNonInteractiveSession: true });
  return all
    .filter(({ name }) => readingTools.includes(name))
    .map(({ name, description, input_schema }) => ({
      type: 'function',
      name,
      description,
      inputSchema: input_schema as object as Record<string, never>, // a JSON Schema is one
    }));
}

type Call = Extract<ModelPart, { type: 'tool-call' }>;
type Result = Extract<ModelPart, { type: 'tool-result' }>;

function callsIn(content: readonly object[]): readonly Call[] {
  const calls = content.flatMap((part: Partial<Record<string, unknown>>): readonly Call[] => {
    const { type, toolCallId, toolName, input } = part;
    if (type !== 'tool-call' || typeof toolCallId !== 'string' || typeof toolName !== 'string')
      return [];
    return [
      { type, toolCallId, toolName, input: typeof input === 'string' ? parsed(input) : input },
    ];
  });
  return calls.slice(0, maxCalls);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text === '' ? '{}' : text);
  } catch {
    return text;
  }
}

const textsIn = (content: readonly object[]): Extract<ModelPart, { type: 'text' }>[] =>
  content.flatMap(({ type, text }: Partial<Record<string, unknown>>) =>
    type === 'text' && typeof text === 'string' && text !== '' ? [{ type, text }] : [],
  );

/** Runs an agent's calls through the gate, under ids of ours: the model's could be those of other calls. */
async function answersTo(
  calls: readonly Call[],
  { gate, agentId, signal }: Omit<AgentAtWork, 'model'>,
): Promise<readonly Result[]> {
  const allowed = calls.filter(({ toolName }) => readingTools.includes(toolName));
  const uses = new Map(
    allowed.map((call): [Call, ToolUse] => [
      call,
      {
        type: 'tool_use',
        id: `hook_${randomUUID()}`,
        name: call.toolName,
        input: call.input as object,
      }, // stage 2 checks it
    ]),
  );
  const turn = gate.runTurn(
    { role: 'assistant', content: [...uses.values()] },
    { signal, context: { agentId, agentType: hookAgent, isNonInteractiveSession: true } },
  );
  const blocks = new Map((await turn.outcomes).map(({ block }) => [block.tool_use_id, block]));
  return calls.map((call) => {
    const use = uses.get(call);
    const block = use && blocks.get(use.id);
    return {
      type: 'tool-result',
      toolCallId: call.toolCallId,
      toolName: call.toolName,
      output: block
        ? { type: block.is_error ? 'error-text' : 'text', value: textOf(block) }
        : { type: 'error-text', value: `Only ${readingTools.join(', ')} can be used here.` },
    };
  });
}

const textOf = ({ content }: ToolResultBlock): string =>
  typeof content === 'string'
    ? content
    : content
        .map((block) =>
          'text' in block && typeof block.text === 'string' ? block.text : `[${block.type}]`,
        )
        .join('\n');
