import type {
  ExecutedCall,
  FoundCall,
  MappedCall,
  ObservedCall,
  PermittedCall,
  StartedCall,
  ToolEnding,
  ValidCall,
} from '../call.ts';
import type { EffectsAnswer } from '../effects.ts';
import type { CallOutcome } from '../outcome.ts';
import type { Opinion } from '../opinion.ts';
import type { PermissionAnswer, PermissionPrompt } from '../ports.ts';
import type { ToolUse } from '../messages.ts';
import type { AnyObject, AnyTool, MappedResult, ValidationResult } from '../tool.ts';
import type { TraceEvent } from '../trace.ts';
import { StageHook } from './stage-hook.ts';

/** What a `start` tap may answer. To block the call is `opinion: deny(…)`; `preventContinuation` lets it run and ends the loop after. */
export interface StartAnswer {
  readonly opinion?: Opinion;
  readonly updatedInput?: AnyObject;
  readonly context?: string;
  readonly message?: string;
  readonly preventContinuation?: { readonly stopReason: string };
  /** Work that core never awaits here; it travels on as `pendingClassifierCheck`. */
  readonly later?: Promise<Opinion | undefined>;
}

/** A `start` tap's input. In the second round, after a rewrite, only a deny or an ask counts. */
export interface StartInput {
  readonly call: ValidCall & Pick<StartedCall, 'settings'>;
  readonly recheck?: { readonly rewrittenBy: string };
}

/** What a tap after the tool may answer. */
export interface PostAnswer {
  readonly context?: string;
  readonly message?: string;
  /** Replaces the tool's output; it goes through stage 6 again, once. */
  readonly updatedOutput?: unknown;
  readonly preventContinuation?: { readonly stopReason: string };
}

export interface ResolveInput {
  readonly call: StartedCall;
  /** The opinion to settle, or none. */
  readonly verdict: {
    readonly behavior: 'ask' | 'undecided';
    readonly strength?: string;
    readonly reason: string;
  };
  /** The units that nothing allows yet. */
  readonly uncovered: StartedCall['effects']['units'];
}
export type ResolveAnswer = Opinion;

export interface PromptInput {
  readonly call: StartedCall;
  readonly prompt: PermissionPrompt;
}
/** `by` says who answered; an ask of strength `person` is settled by a person alone. */
export interface PromptAnswer {
  readonly answer: PermissionAnswer;
  readonly by: 'person' | 'hook' | 'classifier';
}

/** What a `result` tap gets and gives back, changed or not. */
export interface ResultInput extends MappedResult {
  readonly call: ExecutedCall;
}

const opinionKeys = [
  'behavior',
  'reason',
  'rule',
  'unit',
  'considered',
  'covers',
  'strength',
] as const;
const opinion = { keys: opinionKeys, behaviors: ['allow', 'ask', 'deny'] } as const;
const postKeys = ['context', 'message', 'updatedOutput', 'preventContinuation'] as const;

/** The table: hook, shape, default limit in ms, and the closed list of keys an answer may have. */
export function createHooks() {
  return {
    lookup: new StageHook<ToolUse, { tool: AnyTool }>({
      name: 'lookup',
      shape: 'firstAnswer',
      limitMs: 5_000,
      answer: { keys: ['tool'] },
    }),
    parse: new StageHook<FoundCall & { input: unknown }, { input: AnyObject } | { error: string }>({
      name: 'parse',
      shape: 'firstAnswer',
      limitMs: 5_000,
      answer: { keys: ['input', 'error'] },
    }),
    check: new StageHook<ValidCall, ValidationResult>({
      name: 'check',
      shape: 'collectAll',
      limitMs: 30_000,
      answer: { keys: ['result', 'message', 'errorCode', 'behavior'] },
    }),
    start: new StageHook<StartInput, StartAnswer>({
      name: 'start',
      shape: 'collectAll',
      limitMs: Infinity,
      answer: {
        keys: ['opinion', 'updatedInput', 'context', 'message', 'preventContinuation', 'later'],
        opinionAt: 'opinion',
      },
    }),
    opinions: new StageHook<StartedCall, Opinion | readonly Opinion[]>({
      name: 'opinions',
      shape: 'collectAll',
      limitMs: 30_000,
      slots: ['rules', 'other'],
      answer: opinion,
    }),
    resolve: new StageHook<ResolveInput, ResolveAnswer>({
      name: 'resolve',
      shape: 'firstAnswer',
      limitMs: 15_000,
      slots: ['mode', 'classifier'],
      slotLimitsMs: { mode: 5_000 },
      answer: opinion,
    }),
    prompt: new StageHook<PromptInput, PromptAnswer>({
      name: 'prompt',
      shape: 'race',
      limitMs: Infinity,
      slots: ['hooks', 'classifier', 'dialog'],
      answer: { keys: ['answer', 'by'] },
    }),
    execute: new StageHook<PermittedCall, ToolEnding>({
      name: 'execute',
      shape: 'firstAnswer',
      limitMs: Infinity,
      answer: { keys: ['ok', 'result', 'failure'] },
    }),
    result: new StageHook<ResultInput, ResultInput>({
      name: 'result',
      shape: 'rewrite',
      limitMs: 30_000,
      answer: { keys: ['content', 'is_error', 'call'] },
    }),
    postToolUse: new StageHook<MappedCall, PostAnswer>({
      name: 'postToolUse',
      shape: 'collectAll',
      limitMs: Infinity,
      answer: { keys: postKeys },
    }),
    postToolUseFailure: new StageHook<MappedCall, PostAnswer>({
      name: 'postToolUseFailure',
      shape: 'collectAll',
      limitMs: Infinity,
      answer: { keys: postKeys },
    }),
    emit: new StageHook<CallOutcome, undefined>({
      name: 'emit',
      shape: 'collectAll',
      limitMs: 30_000,
      answer: { keys: [] },
    }),
    trace: new StageHook<TraceEvent, undefined>({
      name: 'trace',
      shape: 'collectAll',
      limitMs: 30_000,
      answer: { keys: [] },
    }),
    progress: new StageHook<{ readonly toolUseID: string; readonly data: AnyObject }, undefined>({
      name: 'progress',
      shape: 'collectAll',
      limitMs: 30_000,
      answer: { keys: [] },
    }),
  };
}

export type Hooks = ReturnType<typeof createHooks>;
export type HookName = keyof Hooks;
export type { EffectsAnswer, ObservedCall };
