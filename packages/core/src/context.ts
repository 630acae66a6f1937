import type { Effects } from './effects.ts';
import type { ForkedAgent, ForkOptions } from './fork.ts';
import type { UserMessage, AssistantMessage } from './messages.ts';
import type { Decision } from './opinion.ts';
import type { PermissionMode } from './settings-snapshot.ts';
import type { AnyObject, ToolResult, Tools } from './tool.ts';

/** What Read remembers of a file, so that Write and Edit can tell whether it changed since. */
export interface ReadFileEntry {
  readonly content: string;
  /** Modification time in milliseconds when it was read. */
  readonly modifiedMs: number;
  readonly offset?: number;
  readonly limit?: number;
}

/**
 * Which results of a conversation the model got as they were, and what it got in place of the others. Keep it
 * with the conversation and hand it back: a replayed conversation then reads the same, byte for byte.
 */
export interface ContentReplacementState {
  /** `tool_use_id`s that were answered; what was not replaced then is not replaced later. */
  readonly seenIds: Set<string>;
  /** The text in place of a result's own, by `tool_use_id`. */
  readonly replacements: Map<string, string>;
}

/** What an embedder knows and tools may want to; core hands it on as it is. */
export interface Surroundings {
  /** The commands that a person can type. */
  readonly commands?: readonly unknown[];
  /** How much the model thinks before it speaks, in the words of its API. */
  readonly thinkingConfig?: AnyObject;
  /** Connections to MCP servers. */
  readonly mcpClients?: readonly unknown[];
  /** The kinds of sub-agents there are. */
  readonly agentDefinitions?: readonly unknown[];
  /** US dollars the session may cost. */
  readonly maxBudgetUsd?: number;
}

/** What an embedder may hand to `run` and `runTurn`; the rest of the context is core's. */
export interface ContextOptions extends Surroundings {
  /** Which chain of questions to a model this turn belongs to, and how deep in it. */
  readonly queryTracking?: { readonly chainId: string; readonly depth: number };
  /** How much of a file a tool may read. */
  readonly fileReadingLimits?: { readonly maxTokens?: number; readonly maxSizeBytes?: number };
  /** How many files a search for names may list. */
  readonly globLimits?: { readonly maxResults?: number };
  readonly agentId?: string;
  readonly agentType?: string;
  readonly messages?: readonly (UserMessage | AssistantMessage)[];
  readonly isNonInteractiveSession?: boolean;
  readonly debug?: boolean;
  readonly verbose?: boolean;
  readonly mainLoopModel?: string;
  /** Names of the tools it may use; others are not found, under none of their names. Default: all. */
  readonly tools?: readonly string[];
  /** What an agent with a memory of its own has read. Default: the session's. */
  readonly readFileState?: Map<string, ReadFileEntry>;
  /** Filled as results are replaced. Default: none is kept. */
  readonly contentReplacementState?: ContentReplacementState;
}

/** What a tool sees of its surroundings while it is checked and runs. */
export interface ToolUseContext {
  readonly options: Surroundings & {
    /** What the agent may use; a new list whenever it changes. */
    readonly tools: Tools;
    /** The newest of it, as a plugin may have brought other tools since. */
    readonly refreshTools: () => Tools;
    readonly isNonInteractiveSession: boolean;
    readonly debug: boolean;
    readonly verbose: boolean;
    readonly mainLoopModel: string | undefined;
  };
  readonly sessionId: string;
  readonly toolUseId: string;
  readonly agentId: string | undefined;
  readonly agentType: string | undefined;
  /** Aborts this call alone. */
  readonly abortController: AbortController;
  readonly signal: AbortSignal;
  /** The folder the call was judged in; the tool must use this one and no other. */
  readonly cwd: string;
  readonly home: string;
  /** What was judged: `effects.units` holds the resolved paths that the tool must use. */
  readonly effects: Effects;
  readonly userModified: boolean;
  /** The fields of the input that a hook which allowed the call changed; empty while nobody did. */
  readonly filledByHook: readonly string[];
  readonly messages: readonly (UserMessage | AssistantMessage)[];
  /** The message that holds this call; undefined for a single call and while it is still spoken. */
  readonly parentMessage: AssistantMessage | undefined;
  readonly queryTracking: ContextOptions['queryTracking'];
  readonly fileReadingLimits: ContextOptions['fileReadingLimits'];
  readonly globLimits: ContextOptions['globLimits'];
  /** How the calls of this turn were decided that have ended, by `tool_use_id`. */
  readonly toolDecisions: ReadonlyMap<string, Decision>;
  /** What would be decided about a call of this agent, without running it or asking anybody. */
  canUseTool(tool: string, input: AnyObject): Promise<Decision>;
  readonly toolPermissionContext: {
    readonly mode: PermissionMode;
    readonly directories: readonly string[];
  };
  /** What the embedder handed over with the turn. */
  readonly contentReplacementState: ContentReplacementState | undefined;
  /** Files read in this session, by absolute path. Shared by the calls of one agent. */
  readonly readFileState: Map<string, ReadFileEntry>;
  /** State that belongs to the embedder's application. Rules, modes, directories and hooks are out of its reach. */
  getAppState(): Readonly<Record<string, unknown>>;
  /** Replaces the state by what `update` makes of it; does nothing for a sub-agent. A throw of `update` is the tool's. */
  setAppState(
    update: (previous: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
  ): void;
  /** True for a file that this session's result store wrote. */
  ownsResult(path: string): boolean;
  /** An empty file of mode 0600 in the result store, for output that no memory holds; undefined when it has none to give. */
  newResultFile(): Promise<string | undefined>;
  /** True when an absolute path and what it links to both lie in the working directories. */
  isInside(path: string): boolean;
  /**
   * True when a deny rule forbids reading that absolute path. A tool that walks folders (`filtered` in its
   * `pathFields`) asks for each file, leaves out what is denied and says how many it left out.
   */
  deniesRead(path: string): boolean;
  /**
   * Answers the call now, with `result`, and lets `call` go on in the background: neither the time limit nor an
   * abort of the turn ends it, and what it returns is dropped. The answer aborts when the gate closes.
   *
   * @throws Error when the call is over, was told to stop, or does not run in this process.
   */
  detach(result: ToolResult<unknown>): AbortSignal;
  /**
   * Makes a sub-agent, which works through this same gate and ends with this call.
   *
   * @throws Error in one sentence when agents stand too deep already.
   */
  fork(options?: ForkOptions): ForkedAgent;
  /** Tells people something, once, as a diagnostic. */
  addNotification(notification: { readonly text: string; readonly os?: boolean }): void;
  /** Tells people something about the session, as a diagnostic. */
  appendSystemMessage(text: string): void;
}
