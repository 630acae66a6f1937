import type { ContentBlock, ToolUse } from './messages.ts';
import type { Effects } from './effects.ts';
import type { Refusal, ToolFailure } from './failure.ts';
import type { LedgerClaim, StoredResult } from './ports.ts';
import type { AskOpinion, Decision, Heard, Opinion } from './opinion.ts';
import type { SettingsSnapshot } from './settings-snapshot.ts';
import type { AnyObject, AnyTool, ToolResult } from './tool.ts';

/** Stage 1 found the tool. */
export interface FoundCall {
  readonly toolUse: ToolUse;
  readonly tool: AnyTool;
  /** Set when a deprecated alias was used; goes into the result. */
  readonly notice?: string;
  /** What the ledger knows of this very call from an earlier run. One that is done is answered from there. */
  readonly known?: Extract<LedgerClaim, { readonly state: 'started' | 'done' }>;
}

/** Stage 2 parsed and checked the input. Everything here is frozen and belongs to one revision. */
export interface ValidCall extends FoundCall {
  readonly input: AnyObject;
  /** What observers are shown: `input`, with derived fields where the tool adds some. */
  readonly observedInput: AnyObject;
  readonly effects: Effects;
  /** The working directory the call is judged in and runs in. */
  readonly cwd: string;
  /** 0 for the model's own input, +1 whenever it is replaced. */
  readonly revision: number;
  /** The agent inside the session that makes the call; absent for the session's own. */
  readonly agentId?: string;
  readonly agentType?: string;
  /** What `validateInput` wants a person to confirm. */
  readonly checkAsks: readonly AskOpinion[];
}

/** Stage 3 heard the hooks and started the classifier. */
export interface StartedCall extends ValidCall {
  /** The settings this call is decided by. */
  readonly settings: SettingsSnapshot;
  /** The working directories, absolute, the start folder first. */
  readonly directories: readonly string[];
  readonly startOpinions: readonly Heard[];
  /** The fields of the input that a hook which allowed the call changed in it. */
  readonly filledByHook?: readonly string[];
  /** Text that hooks want beside the result, for the model. */
  readonly contexts: readonly string[];
  readonly stopReason?: string;
  /** The speculative classifier's answer, started and not awaited. It never rejects. */
  readonly pendingClassifierCheck?: Promise<Opinion | undefined>;
}

/** Stage 4 said yes to exactly this input. */
export interface PermittedCall extends StartedCall {
  readonly decision: Decision;
  /** Of tool, input, working directory and effects; checked just before the call. */
  readonly digest: string;
  /** True when a person edited the input. */
  readonly userModified: boolean;
}

/** How a tool ended: with a result, or with a failure. */
export type ToolEnding =
  | { readonly ok: true; readonly result: ToolResult<unknown> }
  | { readonly ok: false; readonly failure: ToolFailure };

/** Stage 5 ran it. */
export interface ExecutedCall extends PermittedCall {
  readonly ending: ToolEnding;
  readonly toolMs: number;
}

/** Stage 6 turned the output into what the model reads. */
export interface MappedCall extends ExecutedCall {
  readonly content: string | readonly ContentBlock[];
  readonly isError: boolean;
  /** Files that hold what was too large, or could not be shown. */
  readonly stored: readonly string[];
}

/** Stage 7 heard the hooks that run after a tool. */
export interface ObservedCall extends MappedCall {
  readonly after: readonly string[];
}

/** A call that left the stages early; it goes straight to stage 8. */
export type Left =
  | {
      readonly left: 'refused' | 'aborted';
      readonly refusal: Refusal;
      readonly decision?: Decision;
      readonly contexts?: readonly string[];
      readonly stopReason?: string;
    }
  | {
      readonly left: 'answered';
      readonly stored: StoredResult;
      readonly decision?: Decision;
    };

/** What a stage answers: the call with more facts, or the call's way out. */
export type Step<T> = T | Left;

/** True when a stage ended the call. */
export const left = (step: object): step is Left => 'left' in step;

/** A call that nothing ran for. */
export const refuse = (
  refusal: Refusal,
  rest: {
    readonly decision?: Decision;
    readonly contexts?: readonly string[];
    readonly stopReason?: string;
  } = {},
): Left => ({
  left: refusal.code === 'call_aborted' ? 'aborted' : 'refused',
  refusal,
  ...rest,
});
