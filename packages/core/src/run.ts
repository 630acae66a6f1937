import type { ValidCall } from './call.ts';
import type { ContextOptions, ReadFileEntry } from './context.ts';
import type { Toolgate } from './create-toolgate.ts';
import type { EffectsSources } from './compute-effects.ts';
import type { Hooks } from './hooks/create-hooks.ts';
import type { TapScope } from './hooks/guard.ts';
import type { AssistantMessage } from './messages.ts';
import type { Decision } from './opinion.ts';
import type { Policy } from './policy.ts';
import type {
  Clock,
  Executor,
  PathFacts,
  PermissionBackend,
  ResultStore,
  RetryPolicy,
  ToolLedger,
} from './ports.ts';
import type { Registry } from './registry.ts';
import type { Diagnostic, SettingsSnapshot } from './settings-snapshot.ts';

/** What lives as long as the gate. */
export interface Session {
  readonly id: string;
  /** Follows `cd`, inside the working directories. */
  cwd: string;
  readonly startFolder: string;
  readonly readFileState: Map<string, ReadFileEntry>;
  appState: Readonly<Record<string, unknown>>;
  turns: number;
  /** Turns of agents inside this one. They are counted apart: how many there are differs from run to run. */
  agentTurns: number;
}

/** The parts a gate is made of, fixed when `createToolgate` returns. */
export interface Parts {
  readonly hooks: Hooks;
  readonly registry: Registry;
  readonly effects: EffectsSources;
  readonly policy: Policy;
  readonly backend: PermissionBackend | undefined;
  readonly executor: Executor | undefined;
  readonly ledger: ToolLedger;
  readonly store: ResultStore;
  /** The gate itself, for agents inside a call. */
  gate(): Pick<Toolgate, 'runTurn' | 'toolDefinitions' | 'explain'>;
  /** Whose allow in stage 3 also lifts the asks of rules. */
  readonly hookAllow: readonly string[];
  readonly facts: PathFacts;
  readonly clock: Clock;
  readonly session: Session;
  /** Takes over work that outlives its call; the answer aborts when the gate closes. */
  background(work: Promise<void>, controller: AbortController): AbortSignal;
  /** What becomes of a turn's other calls when one fails. */
  readonly siblings: 'independent' | 'cancel';
  readonly retry: RetryPolicy | undefined;
  /** UTF-16 code units of text that the results of one turn may come to. */
  readonly maxTurnResultChars: number;
  /** How long an aborted or timed-out tool may take to end by itself. */
  readonly graceMs: number;
  readonly classifierWaitMs: number;
  report(diagnostic: Diagnostic): void;
}

/** What belongs to one turn. */
export interface Turn {
  readonly index: number;
  /** The settings in force when the turn began. */
  readonly settings: SettingsSnapshot;
  readonly context: ContextOptions;
  /** The whole message, where there is one already. */
  readonly message: AssistantMessage | undefined;
  /** Of the calls that have ended. */
  readonly decisions: Map<string, Decision>;
}

/** One call's surroundings: everything a stage needs beside the call itself. */
export interface Run extends TapScope {
  readonly parts: Parts;
  readonly turn: Turn;
  readonly startedAt: number;
  /** True when an earlier block of the message has the same id. */
  readonly isDuplicate: boolean;
  /** Waits until the scheduler lets the call go on; again when a rewrite made it unsafe beside others. */
  admit(call: ValidCall): Promise<void> | undefined;
  /** Aborts when the call is decided, replaced or aborted: for work that only serves the decision. Made when read. */
  readonly untilDecided: AbortSignal;
  /** Ends such work. */
  decided(): void;
  /** Hands over what the call changes for later ones; applied in the model's order, after its group. */
  change(change: ContextChange): void;
}

/** A tool's `contextModifier`, to be applied when its group is done. */
export interface ContextChange {
  readonly tool: string;
  readonly modifier: (cwd: string) => { readonly cwd?: string };
  /** Hears of the folder that was taken. */
  readonly moved?: (cwd: string) => unknown;
}
