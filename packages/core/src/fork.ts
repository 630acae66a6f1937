import { randomUUID } from 'node:crypto';
import type { ContextOptions } from './context.ts';
import type { AssistantMessage } from './messages.ts';
import type { Run } from './run.ts';
import type { RunningTurn } from './scheduler/run-turn.ts';
import type { DefinitionOptions, ToolDefinition } from './tool-definitions.ts';

/** How many agents may stand below one another. */
const maxDepth = 3;

/** What a sub-agent is to be. */
export interface ForkOptions {
  /** Its kind; hooks and prompts see it. */
  readonly agentType?: string;
  /** The tools it may use, by name, as far as its parent may use them. Default: all of its parent's. */
  readonly tools?: readonly string[];
}

/**
 * A sub-agent. Its calls go through the same gate: the same rules, mode, hooks, denial counts and dialog,
 * which is shown the chain of agents as the id. It reads files for itself, can change neither application
 * state nor working directory, and ends with the call that made it.
 */
export interface ForkedAgent {
  /** Its parent's id, a slash, and something random. */
  readonly agentId: string;
  /** What its model is to be offered. */
  toolDefinitions(
    options?: Pick<DefinitionOptions, 'messages'>,
  ): Promise<readonly ToolDefinition[]>;
  /** Runs the calls of a message of its model, as `gate.runTurn` does. */
  runTurn(message: AssistantMessage): RunningTurn;
}

/**
 * Makes a sub-agent of the agent that made this call; `signal` ends its turns.
 *
 * @throws Error in one sentence when agents stand too deep already.
 */
export function fork(run: Run, signal: AbortSignal, options: ForkOptions = {}): ForkedAgent {
  const { context } = run.turn;
  const agentId = [...(context.agentId?.split('/') ?? []), `agent-${randomUUID()}`];
  if (agentId.length > maxDepth)
    throw new Error(`Agents stand at most ${maxDepth} deep. Do this without another agent.`);
  const tools = run.parts.registry.tools
    .map(({ name }) => name)
    .filter((name) => context.tools?.includes(name) ?? true)
    .filter((name) => options.tools?.includes(name) ?? true);
  const {
    messages: _messages,
    contentReplacementState: _state,
    agentType: _type,
    ...kept
  } = context;
  const own: ContextOptions & { readonly agentId: string } = {
    ...kept,
    agentId: agentId.join('/'),
    ...(options.agentType !== undefined && { agentType: options.agentType }),
    tools,
    readFileState: new Map(),
  };
  return {
    agentId: own.agentId,
    toolDefinitions: (given = {}) => run.parts.gate().toolDefinitions({ ...given, tools }),
    runTurn: (message) => run.parts.gate().runTurn(message, { signal, context: own }),
  };
}
