import type { HookName, ResultInput } from './hooks/create-hooks.ts';
import type { LanguageModel } from './language-model.ts';
import type { Plugin } from './plugin.ts';
import type {
  Clock,
  Dialog,
  Executor,
  McpTools,
  PathFacts,
  PermissionBackend,
  ResultStore,
  RetryPolicy,
  RuleMatcher,
  ToolLedger,
} from './ports.ts';
import type { Diagnostic, SettingsSource } from './settings-snapshot.ts';
import type { MappedResult, Tools } from './tool.ts';

/** Everything a gate is made of. All parts are optional; without permissions and dialog every call that asks is denied. */
export interface ToolgateOptions {
  /** Trusted tools: their own `allow` and `isReadOnly` count. */
  readonly tools?: Tools;
  readonly plugins?: readonly Plugin[];
  /** A gate of the user's own, or a whole permission backend. */
  readonly permissions?: PermissionBackend;
  /** Rewrites each result before it is bounded and stored; what the answer leaves out stays. A throw withholds the result. */
  readonly results?: (
    result: ResultInput,
    options: { readonly signal: AbortSignal },
  ) => Partial<MappedResult> | undefined | Promise<Partial<MappedResult> | undefined>;
  /** Asks a person. */
  readonly dialog?: Dialog;
  readonly settings?: SettingsSource;
  /** Tools of plugins that are trusted all the same, by identity. */
  readonly trust?: Tools;
  readonly matcher?: RuleMatcher;
  readonly model?: LanguageModel;
  readonly mcp?: McpTools;
  readonly executor?: Executor;
  readonly ledger?: ToolLedger;
  readonly store?: ResultStore;
  readonly facts?: PathFacts;
  readonly clock?: Clock;
  /** The start folder; default: the process's. */
  readonly cwd?: string;
  readonly sessionId?: string;
  /** Limits of taps in milliseconds, by hook; a tap's own limit counts before it. */
  readonly limitsMs?: Readonly<Partial<Record<HookName, number>>>;
  /**
   * Whose allow before a call also lifts the asks of rules, by the name of an in-process hook or the path of a
   * settings file. It lifts no deny, no failure and no floor. Default: nobody's.
   */
  readonly hookAllow?: { readonly absolute: readonly string[] };
  /** How long a tool that is told to stop may take to end by itself, in milliseconds. Default 2,000. */
  readonly graceMs?: number;
  /** How long the classifier is waited for before a person is asked, in milliseconds. Default 2,000. */
  readonly classifierWaitMs?: number;
  /** `cancel` stops the other calls of a turn when one that ran has failed. Default `independent`. */
  readonly siblings?: 'independent' | 'cancel';
  /** Default: no call is tried again. */
  readonly retry?: RetryPolicy;
  /** UTF-16 code units of text that the results of one turn may come to; the largest are stored first. Default 200,000. */
  readonly maxTurnResultChars?: number;
  /** Hears of whatever is ignored, dropped or failed. */
  readonly onDiagnostic?: (diagnostic: Diagnostic) => void;
}
