/** How an event is described: one line, and the payload field its matchers are tested against. */
interface EventSpec {
  readonly summary: string;
  readonly field?: string;
  /** The values the field may take; those of `tool_name` are the registered tools'. */
  readonly values?: readonly string[];
  /** The handler types it takes, beside `function`; all five when left out. */
  readonly types?: readonly HandlerType[];
}

/** The types of handlers that settings can name. */
export const handlerTypes = ['command', 'http', 'mcp_tool', 'prompt', 'agent'] as const;
export type HandlerType = (typeof handlerTypes)[number];

const starting = ['command', 'mcp_tool'] as const;
const simple = ['command', 'http', 'mcp_tool'] as const;
const triggers = ['manual', 'auto'];
const tool = { field: 'tool_name' };

/** All events of the public hook protocol. Names are literal and case-sensitive. */
const specs = {
  PreToolUse: { ...tool, summary: 'Before a tool runs. May deny, ask, allow or change the input.' },
  PermissionRequest: {
    ...tool,
    summary: 'When somebody must confirm a call. May allow or deny in the person’s place.',
  },
  PermissionDenied: {
    ...tool,
    summary: 'After the classifier denied a call. May tell the model that it can try again.',
  },
  PostToolUse: {
    ...tool,
    summary: 'After a tool succeeded. May add text for the model or replace the output.',
  },
  PostToolUseFailure: {
    ...tool,
    summary: 'After a tool failed. May add text for the model.',
  },
  PostToolBatch: {
    summary: 'After all calls of a turn. May add text for the model or end the loop.',
  },
  UserPromptSubmit: { summary: 'When a person sends a prompt. May block it or add text.' },
  UserPromptExpansion: {
    field: 'command_name',
    summary: 'When a command is expanded to a prompt. May block it or add text.',
  },
  SessionStart: {
    field: 'source',
    values: ['startup', 'resume', 'clear', 'compact', 'fork'],
    types: starting,
    summary: 'When a session begins or goes on. May add text.',
  },
  Setup: {
    field: 'trigger',
    values: ['init', 'maintenance'],
    types: starting,
    summary: 'When a project is set up. May add text.',
  },
  SessionEnd: {
    field: 'reason',
    values: ['clear', 'resume', 'logout', 'prompt_input_exit', 'other'],
    types: simple,
    summary: 'When a session ends.',
  },
  Stop: { summary: 'When the agent is about to stop. May keep it going.' },
  StopFailure: { field: 'error', types: simple, summary: 'When a turn ended in an error.' },
  SubagentStart: { field: 'agent_type', types: simple, summary: 'When a sub-agent begins.' },
  SubagentStop: {
    field: 'agent_type',
    summary: 'When a sub-agent is about to stop. May keep it going.',
  },
  PreCompact: {
    field: 'trigger',
    values: triggers,
    types: simple,
    summary: 'Before the conversation is compacted. May block it.',
  },
  PostCompact: {
    field: 'trigger',
    values: triggers,
    types: simple,
    summary: 'After the conversation was compacted.',
  },
  Notification: {
    field: 'notification_type',
    types: simple,
    summary: 'When a person is notified of something.',
  },
  TaskCreated: { summary: 'When a task is created. May undo it.' },
  TaskCompleted: { summary: 'When a task is marked as done. May refuse that.' },
  TeammateIdle: { summary: 'When a teammate has nothing to do. May keep it working.' },
  ConfigChange: {
    field: 'source',
    types: simple,
    summary: 'When a settings file changed. May block the change.',
  },
  InstructionsLoaded: {
    field: 'load_reason',
    types: simple,
    summary: 'When a file of instructions was loaded.',
  },
  CwdChanged: { types: simple, summary: 'After the working folder changed.' },
  DirectoryAdded: {
    field: 'source',
    types: simple,
    summary: 'After a working directory was added.',
  },
  FileChanged: { field: 'file_path', types: simple, summary: 'After a watched file changed.' },
  WorktreeCreate: { types: simple, summary: 'When a worktree is to be made. May make it.' },
  WorktreeRemove: { types: simple, summary: 'When a worktree is to be removed.' },
  Elicitation: {
    field: 'mcp_server_name',
    types: simple,
    summary: 'When an MCP server asks the person. May answer.',
  },
  ElicitationResult: {
    field: 'mcp_server_name',
    types: simple,
    summary: 'When the person answered an MCP server. May change the answer.',
  },
  MessageDisplay: { types: simple, summary: 'When a message is shown. May show another text.' },
  PreModelSwitch: { types: simple, summary: 'Before the model is switched. May deny or ask.' },
  PostModelSwitch: { types: simple, summary: 'After the model was switched. May add text.' },
  PreSkillShellCommand: {
    types: simple,
    summary: 'Before a skill’s shell command runs. May stop it.',
  },
} as const satisfies Readonly<Record<string, EventSpec>>;

/** The name of an event. */
export type HookEvent = keyof typeof specs;
/** The names of all events. */
export const hookEventNames = Object.keys(specs) as readonly HookEvent[]; // the keys of a literal

/** The events that core's stages fire; the others are fired by the agent, through `runHooks`. */
export const toolEvents = [
  'PreToolUse',
  'PermissionRequest',
  'PermissionDenied',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
] as const satisfies readonly HookEvent[];
export type ToolEvent = (typeof toolEvents)[number];

/** Events that exit code 2 does not block: nothing is about to happen, or only JSON may answer. */
export const unblockableEvents: ReadonlySet<HookEvent> = new Set<HookEvent>([
  'PermissionRequest',
  'PermissionDenied',
  'SessionStart',
  'Setup',
  'SessionEnd',
  'StopFailure',
  'SubagentStart',
  'PostCompact',
  'Notification',
  'InstructionsLoaded',
  'CwdChanged',
  'DirectoryAdded',
  'FileChanged',
  'WorktreeRemove',
  'MessageDisplay',
  'PostModelSwitch',
]);
/** Events that a failed hook never blocks: it would only keep an agent going. */
export const failsOpen: ReadonlySet<HookEvent> = new Set<HookEvent>([
  'Stop',
  'SubagentStop',
  'TaskCompleted',
  'TeammateIdle',
]);

export const specOf = (event: HookEvent): EventSpec => specs[event];
/** True for an event whose handlers may carry a permission rule in `if`: all that are about one call. */
export const takesRule = (event: HookEvent): boolean => specOf(event).field === 'tool_name';
export const isToolEvent = (event: HookEvent): event is ToolEvent =>
  toolEvents.some((name) => name === event);

/** What a person who writes hooks needs to know of an event. */
export interface HookEventMetadata {
  readonly summary: string;
  /** What a matcher is tested against; absent where matchers are ignored. */
  readonly matcherMetadata?: {
    readonly fieldToMatch: string;
    /** The values it may take; empty when any text may come. */
    readonly values: readonly string[];
  };
}

/** All events with their metadata; `tools` are the names of the registered tools. */
export function hookEvents(
  tools: readonly { readonly name: string }[] = [],
): Readonly<Record<HookEvent, HookEventMetadata>> {
  const entries = hookEventNames.map((event): [HookEvent, HookEventMetadata] => {
    const { summary, field, values = [] } = specOf(event);
    if (field === undefined) return [event, { summary }];
    const known = field === 'tool_name' ? tools.map(({ name }) => name) : values;
    return [event, { summary, matcherMetadata: { fieldToMatch: field, values: known } }];
  });
  return Object.fromEntries(entries) as Record<HookEvent, HookEventMetadata>; // one entry for each name
}

/** Why a name is no event's, with the right one where there is one. */
export function eventProblem(name: string, nearestOf: (name: string) => string): string {
  const right = hookEventNames.find(
    (event) => event.toLowerCase() === name.replaceAll(/[\s_-]/g, '').toLowerCase(),
  );
  return right
    ? `The hook event "${name}" never happens: write it "${right}". Its hooks do not run.`
    : `There is no hook event "${name}", so its hooks do not run.${nearestOf(name)}`;
}
