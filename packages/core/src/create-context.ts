import type { StartedCall, ValidCall } from './call.ts';
import type { ContextOptions, Surroundings, ToolUseContext } from './context.ts';
import { fork } from './fork.ts';
import { effectsFacts } from './path-facts.ts';
import { attempt, stopped, type Attempt } from './hooks/guard.ts';
import { frozenJson } from './json.ts';
import type { AssistantMessage } from './messages.ts';
import { findToolByName } from './registry.ts';
import type { Run } from './run.ts';

/** What is known of a call only while its tool runs. */
interface Running {
  readonly userModified?: boolean;
  readonly detach?: ToolUseContext['detach'];
}
const notRunning = (): never => {
  throw new Error('Only a tool that runs in this process can be handed over to the background.');
};

/** What a tool sees of its surroundings. Rules, modes and hooks are out of its reach. */
export function createContext(
  call: ValidCall | StartedCall,
  run: Run,
  abortController: AbortController,
  { userModified = false, detach = notRunning }: Running = {},
): ToolUseContext {
  const { session, registry, policy, store, facts } = run.parts;
  const { context } = run.turn;
  const isMain = context.agentId === undefined;
  const settings = 'settings' in call ? call.settings : policy.inTurn(run.turn.settings);
  const directories = policy.directories(settings);
  const refreshTools = () =>
    Object.freeze(registry.tools.filter(({ name }) => context.tools?.includes(name) ?? true));
  return {
    options: {
      get tools() {
        return refreshTools();
      },
      refreshTools,
      isNonInteractiveSession: context.isNonInteractiveSession ?? true,
      debug: context.debug ?? false,
      verbose: context.verbose ?? false,
      mainLoopModel: context.mainLoopModel,
      ...surroundings(context),
    },
    sessionId: session.id,
    toolUseId: call.toolUse.id,
    agentId: context.agentId,
    agentType: context.agentType,
    abortController,
    signal: abortController.signal,
    cwd: call.cwd,
    home: facts.home,
    effects: call.effects,
    userModified,
    filledByHook: ('filledByHook' in call && call.filledByHook) || [],
    messages: context.messages ?? [],
    // A copy: what the model wrote is shared with nobody.
    get parentMessage() {
      const json = frozenJson(run.turn.message);
      return 'value' in json ? (json.value as AssistantMessage) : undefined; // as it was given
    },
    queryTracking: context.queryTracking,
    fileReadingLimits: context.fileReadingLimits,
    globLimits: context.globLimits,
    toolDecisions: run.turn.decisions,
    canUseTool: async (name, input) =>
      findToolByName(refreshTools(), name)
        ? run.parts.gate().explain({ type: 'tool_use', id: '', name, input })
        : { behavior: 'deny', reason: `There is no tool named "${name}" here.`, trail: [] },
    toolPermissionContext: Object.freeze({ mode: settings.mode, directories }),
    contentReplacementState: context.contentReplacementState,
    readFileState: context.readFileState ?? session.readFileState,
    getAppState: () => session.appState,
    setAppState: (update) => {
      if (isMain) session.appState = Object.freeze({ ...update(session.appState) });
    },
    ownsResult: (path) => store.owns(path),
    newResultFile: async () => store.reserve?.().catch(() => undefined),
    isInside: (path) => effectsFacts({ cwd: call.cwd, directories, facts }).isInside(path),
    deniesRead: (path) =>
      run.parts.backend?.deniesRead?.(path, { settings, directories, cwd: call.cwd }) ?? false,
    detach,
    fork: (options) => fork(run, abortController.signal, options),
    addNotification: ({ text }) =>
      run.parts.report({ code: 'notification', severity: 'info', message: text }),
    appendSystemMessage: (text) =>
      run.parts.report({ code: 'system-message', severity: 'info', message: text }),
  };
}

const surroundingKeys = [
  'commands',
  'thinkingConfig',
  'mcpClients',
  'agentDefinitions',
  'maxBudgetUsd',
] as const satisfies readonly (keyof Surroundings)[];

const surroundings = (context: ContextOptions): Surroundings =>
  Object.fromEntries(
    surroundingKeys.flatMap((key) => (context[key] === undefined ? [] : [[key, context[key]]])),
  );

/** Asks one of the tool's own functions, within 30 s; a function that is left behind is told by its signal. */
export async function askTool<T>(
  call: ValidCall | StartedCall,
  run: Run,
  question: (context: ToolUseContext) => unknown,
): Promise<Attempt<T>> {
  if (run.signal.aborted) return stopped;
  const controller = new AbortController();
  const answer = await attempt<T>(
    () => question(createContext(call, run, controller)),
    30_000,
    run,
  );
  if (!answer.ok) controller.abort();
  return answer;
}
