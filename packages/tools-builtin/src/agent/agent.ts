import { writeFile } from 'node:fs/promises';
import {
  allow,
  buildTool,
  didYouMean,
  type LanguageModel,
  type ToolUseContext,
} from '@toolgate/core';
import { z } from 'zod';
import { fileError } from '../files/judged-path.ts';
import { goOn } from '../tasks/go-on.ts';
import { sessionTasks } from '../tasks/session-tasks.ts';
import type { TaskRegistry } from '../tasks/task-registry.ts';
import { mapAgentOutput, type AgentOutput } from './agent-output.ts';
import { builtinTypes, defaultType, toolsFor, type AgentDefinition } from './agent-types.ts';
import { runAgent } from './run-agent.ts';

/** What an Agent tool works with. */
export interface AgentOptions {
  /** Without one each call is refused, and says why. */
  readonly model?: LanguageModel;
  /** By the names that a call may use as `model`. */
  readonly models?: Readonly<Record<string, LanguageModel>>;
  /** Kinds of agents beside the built-in ones, by name. */
  readonly agents?: Readonly<Record<string, AgentDefinition>>;
  /** Answers of its model that one agent may take. Default 50. */
  readonly maxTurns?: number;
  /** Agents of one session, all in all. Default 100. */
  readonly maxAgents?: number;
  /** Takes on agents in the background. Default: that of the ready-made Bash. */
  readonly tasks?: TaskRegistry;
}

/** What a running agent reports. */
export interface AgentProgress {
  readonly type: 'agent_progress';
  readonly agentId: string;
  readonly toolName: string;
  readonly [key: string]: unknown;
}

const inputSchema = z.strictObject({
  description: z.string().min(1).describe('The task in a few words'),
  prompt: z.string().min(1).describe('The task, with all that the agent has to know'),
  subagent_type: z
    .string()
    .min(1)
    .optional()
    .describe(`The kind of agent, ${defaultType} by default`),
  model: z.string().optional().describe('Another model, by name'),
  effort: z.string().optional().describe('Has no effect'),
  run_in_background: z.boolean().optional().describe('Go on at once while it works'),
  name: z.string().optional().describe('How people are shown it'),
  isolation: z.enum(['worktree', 'remote']).optional().describe('Not supported'),
  team_name: z.string().optional().describe('Has no effect'),
  mode: z.string().optional().describe('Has no effect: it works in the mode of the session'),
});

/** Makes an Agent tool. */
export function createAgent(options: AgentOptions = {}) {
  const { model, models = {}, maxTurns = 50, maxAgents = 100, tasks = sessionTasks } = options;
  const types = new Map(Object.entries({ ...builtinTypes, ...options.agents }));
  const counts = new Map<string, number>();
  const kinds = [...types].map(([name, { description }]) => `- ${name}: ${description}`);
  return buildTool({
    name: 'Agent',
    deprecatedAliases: ['Task'],
    description: `Hands a task to another agent with a context of its own; its last answer is the result.
- It knows nothing of this conversation: say in prompt all it needs, and what to answer with.
- It works under the same rules, with at most your tools, and cannot ask you anything.
Kinds of agents:
${kinds.join('\n')}`,
    searchHint: 'hand a task to another agent',
    inputSchema,
    timeoutMs: Infinity,
    maxResultSizeChars: 32_000,
    effects: ({ subagent_type = defaultType }) => ({
      units: [{ tool: 'Agent', content: subagent_type, readOnly: false }],
    }),
    // Each of its own calls is decided on.
    checkPermissions: () => allow('Each call of an agent is decided on by itself.'),
    toAutoClassifierInput: ({ prompt }) => prompt,
    validateInput({ subagent_type = defaultType, isolation, model: wanted }) {
      if (!model)
        return {
          result: false,
          message:
            'No language model is connected here, so no agent can work. Do the task yourself.',
          errorCode: 4,
        };
      if (!types.has(subagent_type))
        return {
          result: false,
          message: `There is no kind of agent ${JSON.stringify(subagent_type)}.${didYouMean(subagent_type, [...types.keys()])} There are: ${[...types.keys()].join(', ')}.`,
          errorCode: 1,
        };
      if (isolation !== undefined)
        return {
          result: false,
          message: `isolation "${isolation}" is not supported; leave it out.`,
          errorCode: 2,
        };
      if (wanted !== undefined && Object.keys(models).length > 0 && !Object.hasOwn(models, wanted))
        return {
          result: false,
          message: `There is no model ${JSON.stringify(wanted)}. There are: ${Object.keys(models).join(', ')}.`,
          errorCode: 3,
        };
      return { result: true };
    },
    async call(input, context, onProgress: (data: AgentProgress) => void) {
      const { subagent_type: agentType = defaultType, prompt, description } = input;
      const definition = types.get(agentType);
      const chosen = (input.model === undefined ? undefined : models[input.model]) ?? model;
      if (!definition || !chosen) throw fileError('There is no language model.', 'no model');
      count(context, counts, { maxAgents, tasks });
      const agent = context.fork({ agentType, tools: toolsFor(definition, context.options.tools) });
      const { agentId } = agent;
      const startedMs = performance.now();
      const work = runAgent({
        agent,
        model: chosen,
        system: `${definition.prompt}\nThe working directory is ${context.cwd}.`,
        prompt,
        maxTurns,
        signal: context.signal,
        onCall: (toolName) => onProgress({ type: 'agent_progress', agentId, toolName }),
      });
      if (input.run_in_background) {
        const task = await inBackground(work, context, { tasks, description });
        const data: AgentOutput = {
          status: 'async_launched',
          agentId,
          agentType,
          description,
          prompt,
          ...task,
        };
        const stop = () => context.abortController.abort();
        return goOn({ data }, { context, work: work.catch(() => undefined) }, stop);
      }
      const { text, toolUses, tokens, cutShort } = await work;
      const data: AgentOutput = {
        status: 'completed',
        agentId,
        agentType,
        prompt,
        content: [{ type: 'text', text }],
        totalToolUseCount: toolUses,
        totalDurationMs: Math.round(performance.now() - startedMs),
        totalTokens: tokens,
        ...(cutShort !== undefined && { cutShort }),
      };
      return { data };
    },
    mapToolResultToToolResultBlockParam: (data: AgentOutput) => mapAgentOutput(data),
    userFacingName: (input) => input?.name ?? input?.subagent_type ?? 'Agent',
    getActivityDescription: ({ description }) => description,
    renderToolUseMessage: ({ description, prompt }) => ({
      type: 'text',
      text: `${description}\n${prompt}`,
    }),
    renderToolResultMessage(data) {
      const { content } = mapAgentOutput(data);
      return { type: 'text', text: typeof content === 'string' ? content : '', tone: 'plain' };
    },
    renderToolUseProgressMessage: ({ toolName }) => ({
      type: 'text',
      text: toolName,
      tone: 'muted',
    }),
  });
}

/** Counts an agent of a session. @throws when there have been too many. */
function count(
  { sessionId }: ToolUseContext,
  counts: Map<string, number>,
  { maxAgents, tasks }: { readonly maxAgents: number; readonly tasks: TaskRegistry },
): void {
  const so = counts.get(sessionId) ?? 0;
  if (so >= maxAgents)
    throw fileError(
      `This session has had ${maxAgents} agents, as many as it may. Do this without another one.`,
      'too many agents',
    );
  counts.set(sessionId, so + 1);
  tasks.alsoEnd(sessionId, 'agents', async () => void counts.delete(sessionId));
}

/** Has the agent go on when the call is over. Its answer goes to a file of the result store. */
async function inBackground(
  work: ReturnType<typeof runAgent>,
  context: ToolUseContext,
  { tasks, description }: { readonly tasks: TaskRegistry; readonly description: string },
) {
  const outputFile = await context.newResultFile();
  let text = '';
  const ended = work.then(
    async (ending) => {
      text = [ending.text, ending.cutShort].filter(Boolean).join('\n');
      if (outputFile !== undefined) await writeFile(outputFile, text).catch(() => undefined);
      return { status: 'completed' as const };
    },
    (error: unknown) => {
      text = error instanceof Error ? error.message : String(error);
      return { status: context.signal.aborted ? ('stopped' as const) : ('failed' as const) };
    },
  );
  const { id } = tasks.add(
    {
      type: 'local_agent',
      command: description,
      description,
      ...(outputFile !== undefined && { outputFile }),
      control: { output: () => text, stop: () => context.abortController.abort(), ended },
    },
    context,
  );
  return { taskId: id, ...(outputFile !== undefined && { outputFile }) };
}

/** Agent without a model: each call is refused. */
export const agent = createAgent();
