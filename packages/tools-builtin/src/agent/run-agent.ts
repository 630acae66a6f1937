import type { ForkedAgent, LanguageModel, ModelAnswer, ModelMessage } from '@toolgate/core';
import { fileError } from '../files/judged-path.ts';
import { modelTools, readAnswer, turnMessages } from './model-messages.ts';

/** What an agent is to do. */
export interface AgentTask {
  readonly agent: ForkedAgent;
  readonly model: LanguageModel;
  readonly system: string;
  readonly prompt: string;
  readonly maxTurns: number;
  readonly signal: AbortSignal;
  /** Hears of each tool before it runs. */
  readonly onCall: (toolName: string) => void;
}

/** What came of it. */
export interface AgentEnding {
  readonly text: string;
  readonly toolUses: number;
  readonly tokens: number;
  /** Why it ended before it was done. */
  readonly cutShort?: string;
}

/**
 * Lets a model work with tools until it answers without a call.
 *
 * @throws when the model fails, or `signal` aborts.
 */
export async function runAgent(task: AgentTask): Promise<AgentEnding> {
  const { agent, model, maxTurns, signal } = task;
  const tools = modelTools(await agent.toolDefinitions());
  const messages: ModelMessage[] = [
    { role: 'system', content: task.system },
    { role: 'user', content: [{ type: 'text', text: task.prompt }] },
  ];
  let [text, toolUses, tokens] = ['', 0, 0];
  for (let turn = 0; turn < maxTurns; turn += 1) {
    const answer = await ask(model, { prompt: messages, tools, abortSignal: signal });
    tokens += tokensOf(answer);
    const read = readAnswer(answer.content);
    text = read.texts.map((part) => part.text).join('\n') || text;
    if (read.calls.length === 0) return { text, toolUses, tokens };
    toolUses += read.calls.length;
    for (const { use } of read.calls) task.onCall(use.name);
    const running = agent.runTurn({ role: 'assistant', content: read.calls.map(({ use }) => use) });
    const outcomes = await running.outcomes;
    signal.throwIfAborted();
    messages.push(...turnMessages(read, outcomes));
    const stop = outcomes.find((outcome) => outcome.stop)?.stop;
    if (stop) return { text, toolUses, tokens, cutShort: `It was stopped: ${stop.reason}` };
  }
  return { text, toolUses, tokens, cutShort: `It did not finish within ${maxTurns} turns.` };
}

/** Asks the model; an abort is heard at once, whatever the model does. */
async function ask(
  model: LanguageModel,
  request: Parameters<LanguageModel['doGenerate']>[0] & { readonly abortSignal: AbortSignal },
): Promise<ModelAnswer> {
  const { abortSignal: signal } = request;
  signal.throwIfAborted();
  let onAbort: (() => void) | undefined;
  try {
    const answer = await Promise.race([
      model.doGenerate(request),
      new Promise<never>((_, reject) => {
        onAbort = () => reject(new Error('The agent was stopped.'));
        signal.addEventListener('abort', onAbort, { once: true });
      }),
    ]);
    if (!Array.isArray(Reflect.get(Object(answer), 'content')))
      throw new Error('it gave an answer without content');
    return answer;
  } catch (error) {
    signal.throwIfAborted();
    const why = error instanceof Error ? error.message : String(error);
    throw fileError(
      `The agent's language model failed: ${why}. Try again, or do it yourself.`,
      'the model failed',
    );
  } finally {
    if (onAbort) signal.removeEventListener('abort', onAbort);
  }
}

/** The tokens of an answer, as far as the model tells. */
function tokensOf(answer: object): number {
  const { usage } = answer as Partial<Record<string, unknown>>; // tested below
  return ['inputTokens', 'outputTokens'].reduce((sum, key) => {
    const count: unknown = Reflect.get(Object(usage), key);
    const total: unknown = typeof count === 'number' ? count : Reflect.get(Object(count), 'total');
    return sum + (typeof total === 'number' && Number.isFinite(total) ? total : 0);
  }, 0);
}
