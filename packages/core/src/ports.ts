import type { MappedCall, PermittedCall, StartedCall, ToolEnding } from './call.ts';
import type { FolderIdentity, PermissionUnit, Warning } from './effects.ts';
import type { Opinion, Strength } from './opinion.ts';
import type { PermissionUpdate, UpdateDestination } from './permission-update.ts';
import type { Diagnostic, RuleEntry, SettingsSnapshot } from './settings-snapshot.ts';
import type { AnyObject, AnyTool } from './tool.ts';
import type { View } from './view.ts';

/** Decides from what is known. `peek` is the same answer where it can be given at once; it gates the side query. */
export interface PermissionBackend {
  (
    call: StartedCall,
    options: { readonly signal: AbortSignal },
  ): Opinion | readonly Opinion[] | undefined | Promise<Opinion | readonly Opinion[] | undefined>;
  /** The same answer at once, or undefined when it takes longer; a throw counts as decided. */
  readonly peek?: (call: StartedCall) => Opinion | undefined;
  /** True when reading that absolute path, or what it links to, is denied. Without it a recursive tool's call is judged as a whole. */
  readonly deniesRead?: (
    path: string,
    call: Pick<StartedCall, 'settings' | 'cwd' | 'directories'>,
  ) => boolean;
  /** What is wrong with rules the embedder adds: one diagnostic for each that is ignored or means less than it seems. */
  readonly diagnose?: (rules: readonly RuleEntry[]) => readonly Diagnostic[];
  /** True when the model should not even see a tool, as for a bare deny. Hidden calls are still decided. */
  readonly hides?: (tool: AnyTool, settings: SettingsSnapshot) => boolean;
  /** Rules that would allow these parts of a call and little else, for a person to keep. Default: what the tool suggests. */
  readonly suggest?: (call: StartedCall, units: readonly PermissionUnit[]) => readonly string[];
  /** Why an allow rule may not be kept after this call was allowed, in one clause: it is dangerous, cannot be read, or does not allow the call. */
  readonly whyNotKept?: (rule: string, call: StartedCall) => string | undefined;
}

/** Tests one permission rule (`Bash(git *)`) against a call; `unreadable` when the call or rule cannot be read. */
export type RuleMatcher = (
  rule: string,
  call: Pick<StartedCall, 'tool' | 'input' | 'effects' | 'cwd'>,
) => 'yes' | 'no' | 'unreadable';

/** A rule that would allow a call and little else, and where it would usually be kept. */
export interface SuggestedRule {
  readonly rule: string;
  readonly destination: UpdateDestination;
}

/** What a person is asked. Serialisable; `digest` binds an answer to exactly this input. Show its texts through `visibleText`. */
export interface PermissionPrompt {
  readonly id: string;
  readonly toolUseId: string;
  readonly tool: string;
  readonly input: AnyObject;
  readonly reason: string;
  /** Whose words the reason is, where somebody asked for a confirmation: a tap, and the plugin that brought it. */
  readonly askedBy?: { readonly from: string; readonly plugin: string };
  /** The rule that asks or may forbid; for people, never for the model. */
  readonly rule?: RuleEntry;
  readonly strength: Strength;
  /** The parts of the call that need approval: those that nothing allows, and those that are asked about. */
  readonly units: readonly PermissionUnit[];
  readonly warnings: readonly Warning[];
  /** True when the call may destroy something. */
  readonly destructive: boolean;
  /** Empty where no rule would settle it, or none may be kept. */
  readonly suggestedRules: readonly SuggestedRule[];
  /** The call as its tool draws it; for an edit, a diff. */
  readonly preview?: View;
  /** A classifier is still looking, and may allow the call before anybody answers. */
  readonly classifier?: 'pending';
  readonly digest: string;
  readonly agentId?: string;
}

/**
 * The answer to a prompt. `rules` with `destination` (default `session`) is "always allow"; without them an
 * allow holds for this call alone. `updatedInput` replaces the input and is checked again. `updates` are
 * applied once the call was allowed by this very answer. `interrupt` also ends the turn's loop.
 */
export type PermissionAnswer =
  | {
      readonly behavior: 'allow';
      readonly updatedInput?: AnyObject;
      readonly rules?: readonly string[];
      readonly destination?: UpdateDestination;
      readonly updates?: readonly PermissionUpdate[];
    }
  | { readonly behavior: 'deny'; readonly message?: string; readonly interrupt?: boolean };

/**
 * Asks a person. `undefined` or silence is no answer. `signal` aborts when another answer came first. Call
 * `touched` once the person begins to answer: from then on no classifier answers in their place.
 */
export type Dialog = (
  prompt: PermissionPrompt,
  options: { readonly signal: AbortSignal; readonly touched: () => void },
) => Promise<PermissionAnswer | undefined>;

/** Calls a tool of a connected MCP server. */
export interface McpTools {
  /** Resolves to the server's result; rejects when it is not connected, fails, or `signal` aborts. */
  call(server: string, tool: string, input: AnyObject, signal: AbortSignal): Promise<unknown>;
}

/** Runs a permitted call somewhere. Its failure is final: there is no fall-back to another place. */
export type Executor = (
  call: PermittedCall,
  options: { readonly signal: AbortSignal; readonly run: () => Promise<ToolEnding> },
) => Promise<ToolEnding>;

/** When a call that failed for a passing reason is tried again; only trusted tools that call themselves idempotent are. */
export interface RetryPolicy {
  /** How often a call may run in all, at least 1. */
  readonly attempts: number;
  /** Milliseconds before the second attempt, twice as many before each one after. Default 500. */
  readonly backoffMs?: number;
}

/** One call of one session: the same call again has the same key. */
export interface LedgerKey {
  readonly sessionId: string;
  readonly agentId: string;
  /** The assistant message's position in the session; negative for one of an agent inside it. */
  readonly turn: number;
  readonly toolUseId: string;
  /** Of tool name and input. */
  readonly digest: string;
}
/** `claimed`: run it now. `started`: it began before. `reused`: the id belongs to another call. `done`: what it gave. */
export type LedgerClaim =
  | { readonly state: 'claimed' }
  | { readonly state: 'started' }
  | { readonly state: 'reused' }
  | ({ readonly state: 'done' } & StoredResult);

/** What a call gave the model, and where it left the session. */
export interface StoredResult {
  readonly content: MappedCall['content'];
  readonly isError: boolean;
  /** The working directory it changed to; taken up again when the stored result is handed out. */
  readonly cwd?: string;
}

/** Remembers which calls were started and what they gave, so that none runs twice. */
export interface ToolLedger {
  /**
   * What an earlier run left of a call, without taking it: asked before stage 1, so that nobody is asked about
   * a call that is answered from here. Left out by a ledger that outlives no run. Undefined: nothing.
   */
  readonly find?: (
    key: LedgerKey,
  ) =>
    | Exclude<LedgerClaim, { readonly state: 'claimed' }>
    | undefined
    | Promise<Exclude<LedgerClaim, { readonly state: 'claimed' }> | undefined>;
  /** Takes the call, once: a second claim of the same key is never `claimed`. A throw, or 5 s without answer, refuses the call. */
  claim(key: LedgerKey): LedgerClaim | Promise<LedgerClaim>;
  /** Keeps what the model got. Called again when that was replaced, or the call changed the working directory; what a later call leaves out stays. */
  complete(key: LedgerKey, result: StoredResult): void | Promise<void>;
  /** The turn is over and answered. */
  forget(sessionId: string, turn: number): void;
}

/** Keeps what is too large for the model, or cannot be shown to it. */
export interface ResultStore {
  /**
   * @param extension Of the file, letters and digits. Default `txt`.
   * @returns the absolute path of a file holding all of `content`. Rejects when it cannot be kept.
   */
  store(content: string | Uint8Array, extension?: string): Promise<string>;
  /**
   * An empty file for a tool to fill, for output that no memory holds. No `result` hook sees what goes there.
   * Left out: tools keep what fits.
   */
  reserve?(extension?: string): Promise<string>;
  /** True for a path this store issued. */
  owns(path: string): boolean;
  /** Removes a file this store issued, because a hook replaced what it held. Left out: it stays. */
  remove?(path: string): void | Promise<void>;
}

/** What is on disk, as far as decisions need it; `explain` and tests answer from data instead. */
export interface PathFacts {
  readonly home: string;
  /** Follows links in the longest existing part of an absolute path. */
  realPath(path: string): string;
  /** Of the nearest existing folder above an absolute path; undefined when there is none. */
  folderIdentity(path: string): FolderIdentity | undefined;
  /** True when a named check is known to hold in a folder. Asked when a call is judged and again just before it runs; plain `diskFacts` knows of none. */
  holds(need: string, folder: string): boolean;
}

/** Milliseconds since some fixed instant, and timers. */
export interface Clock {
  /** Milliseconds, never running backwards. */
  now(): number;
  /** Calls back once after `ms`; the answer cancels it. The timer keeps no process alive. */
  after(ms: number, callback: () => void): () => void;
}
