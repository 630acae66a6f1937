import type { StartedCall, ValidCall } from './call.ts';
import type { ToolUseContext } from './context.ts';
import { effectsFacts } from './path-facts.ts';
import type { Run } from './run.ts';

/** What a tool sees of its surroundings. Rules, modes and hooks are out of its reach. */
export function createContext(
  call: ValidCall | StartedCall,
  run: Run,
  abortController: AbortController,
  userModified = false,
): ToolUseContext {
  const { session, registry, policy, store, facts } = run.parts;
  const { context } = run.turn;
  const isMain = context.agentId === undefined;
  const directories = policy.directories();
  const settings = 'settings' in call ? call.settings : policy.snapshot();
  return {
    options: {
      tools: registry.tools,
      isNonInteractiveSession: context.isNonInteractiveSession ?? true,
      debug: context.debug ?? false,
      verbose: context.verbose ?? false,
      mainLoopModel: context.mainLoopModel,
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
    messages: context.messages ?? [],
    toolPermissionContext: Object.freeze({ mode: policy.mode, directories }),
    readFileState: session.readFileState,
    getAppState: () => session.appState,
    setAppState: (update) => {
      if (isMain) session.appState = Object.freeze({ ...update(session.appState) });
    },
    ownsResult: (path) => store.owns(path),
    isInside: (path) => effectsFacts({ cwd: call.cwd, directories, facts }).isInside(path),
    deniesRead: (path) =>
      run.parts.backend?.deniesRead?.(path, { settings, cwd: call.cwd }) ?? false,
    addNotification: ({ text }) =>
      run.parts.report({ code: 'notification', severity: 'info', message: text }),
    appendSystemMessage: (text) =>
      run.parts.report({ code: 'system-message', severity: 'info', message: text }),
  };
}
