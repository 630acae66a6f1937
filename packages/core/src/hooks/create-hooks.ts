import type {
  ExecutedCall,
  FoundCall,
  MappedCall,
  PermittedCall,
  StartedCall,
  ToolEnding,
  ValidCall,
} from '../call.ts';
import type { CallOutcome } from '../outcome.ts';
import type { Decision, Opinion } from '../opinion.ts';
import type { PermissionAnswer, PermissionPrompt } from '../ports.ts';
import type { ToolResultBlock, ToolUse } from '../messages.ts';
import type { ContextOptions } from '../context.ts';
import type { SettingsSnapshot } from '../settings-snapshot.ts';
import type { AnyObject, AnyTool, MappedResult, ValidationResult } from '../tool.ts';
import type { TraceEvent } from '../trace.ts';
import {
  anything,
  bool,
  ending,
  ignored,
  number,
  object,
  opinion,
  opinions,
  permissionAnswer,
  record,
  text,
  tool,
  word,
} from './answer.ts';
import { CollectAllHook, FirstAnswerHook, RaceHook, RewriteHook } from './stage-hook.ts';

/** What a `start` tap may answer. To block the call is `opinion: deny(…)`; `preventContinuation` lets it run and ends the loop after. */
export interface StartAnswer {
  readonly opinion?: Opinion;
  readonly updatedInput?: AnyObject;
  /** Text for the model, beside the result. */
  readonly context?: string;
  /** Text for people; it becomes a diagnostic. */
  readonly message?: string;
  readonly preventContinuation?: { readonly stopReason: string };
  /** Work that core never awaits here; it travels on as `pendingClassifierCheck`. */
  readonly later?: Promise<Opinion | undefined>;
}

/** A `start` tap's input. In the second round, after a rewrite, only a deny or an ask counts. */
export interface StartInput {
  readonly call: ValidCall & Pick<StartedCall, 'settings'>;
  /** What the permission backend's `peek` came to: false when it already decides the call, absent without a `peek`. */
  readonly undecided?: boolean;
  readonly recheck?: { readonly rewrittenBy: string };
  /** For work that goes on as `later`: aborts when the call is decided, gets another input, or is aborted. */
  readonly signal: AbortSignal;
}

/** What a tap after the tool may answer. */
export interface PostAnswer {
  /** Text for the model, beside the result. */
  readonly context?: string;
  /** Text for people; it becomes a diagnostic. */
  readonly message?: string;
  /** Replaces the tool's output; it goes through stage 6 again, once. */
  readonly updatedOutput?: unknown;
  readonly preventContinuation?: { readonly stopReason: string };
}

/** All calls of a turn, when the last of them has ended: what the model asked for, and the block that answers it. */
export interface BatchInput {
  readonly calls: readonly { readonly toolUse: ToolUse; readonly block: ToolResultBlock }[];
  readonly settings: SettingsSnapshot;
  readonly cwd: string;
  readonly context: ContextOptions;
}

/** What a `parse` tap gets, and what it may answer for a schema language of its own. */
export interface ParseInput {
  readonly call: FoundCall;
  readonly input: unknown;
}
/** The parsed input, which core freezes, or what is wrong with it, for the model. */
export type ParseAnswer = { readonly input: AnyObject } | { readonly error: string };

/** What a running tool reported; `data` is a frozen copy. Nothing comes after the call is over. */
export interface ProgressEvent {
  readonly toolUseID: string;
  readonly data: AnyObject;
}

/** A call that no opinion decided, as the resolvers get it. */
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

/** A call that somebody must confirm. */
export interface PromptInput {
  readonly call: StartedCall;
  readonly prompt: PermissionPrompt;
  /** To be told once the person has begun to answer: from then on no classifier answers for them. */
  readonly touched: () => void;
  /** An allow of the classifier that may still come; it never rejects. */
  readonly late?: Promise<Opinion | undefined>;
}
/** `by` says who answered; an ask of strength `person` is settled by a person alone. */
export interface PromptAnswer {
  readonly answer: PermissionAnswer;
  readonly by: 'person' | 'hook' | 'classifier';
}

/** A call that was refused in stage 4, and who said no: a source, the mode, the classifier, an answer, or nobody was there to say yes. */
export interface DeniedInput {
  readonly call: StartedCall;
  readonly decision: Decision;
  readonly by: 'opinions' | 'mode' | PromptAnswer['by'] | 'nobody';
}
/** What a tap that hears of a denial may answer; it changes nothing about it. */
export interface DeniedAnswer {
  /** A sentence for the model, behind the denial. */
  readonly context?: string;
  /** Text for people; it becomes a diagnostic. */
  readonly message?: string;
}

/** What a `result` tap gets and gives back, changed or not. */
export interface ResultInput extends MappedResult {
  readonly call: ExecutedCall;
}

const stop = record({ stopReason: text }, ['stopReason']);
const post = record({
  context: text,
  message: text,
  updatedOutput: anything,
  preventContinuation: stop,
});

/** What `validateInput` and `check` taps may answer. */
export const validationAnswer = record(
  { result: bool, message: text, errorCode: number, behavior: word(['ask']) },
  ['result'],
);

/** Each hook: what its taps get, and what they may answer; undefined is no answer. */
export interface HookTypes {
  readonly lookup: { readonly input: ToolUse; readonly answer: { readonly tool: AnyTool } };
  readonly parse: { readonly input: ParseInput; readonly answer: ParseAnswer };
  readonly check: { readonly input: ValidCall; readonly answer: ValidationResult };
  readonly start: { readonly input: StartInput; readonly answer: StartAnswer };
  readonly opinions: { readonly input: StartedCall; readonly answer: Opinion | readonly Opinion[] };
  readonly resolve: { readonly input: ResolveInput; readonly answer: Opinion };
  readonly prompt: { readonly input: PromptInput; readonly answer: PromptAnswer };
  readonly permissionDenied: { readonly input: DeniedInput; readonly answer: DeniedAnswer };
  readonly execute: { readonly input: PermittedCall; readonly answer: ToolEnding };
  readonly result: { readonly input: ResultInput; readonly answer: Partial<ResultInput> };
  readonly postToolUse: { readonly input: MappedCall; readonly answer: PostAnswer };
  readonly postToolUseFailure: { readonly input: MappedCall; readonly answer: PostAnswer };
  readonly postToolBatch: {
    readonly input: BatchInput;
    readonly answer: Omit<PostAnswer, 'updatedOutput'>;
  };
  readonly emit: { readonly input: CallOutcome; readonly answer: undefined };
  readonly trace: { readonly input: TraceEvent; readonly answer: undefined };
  readonly progress: { readonly input: ProgressEvent; readonly answer: undefined };
}
/** The name of a hook. */
export type HookName = keyof HookTypes;
type In<Name extends HookName> = HookTypes[Name]['input'];
type Out<Name extends HookName> = HookTypes[Name]['answer'];

/** The table: hook, shape, stage, default limit in ms, named slots, and what an answer may look like. */
export function createHooks(limitsMs: Readonly<Partial<Record<string, number>>> = {}) {
  const limit = (hook: string, usual: number) => limitsMs[hook] ?? usual;
  return {
    lookup: new FirstAnswerHook<In<'lookup'>, Out<'lookup'>>({
      name: 'lookup',
      stage: 'lookup',
      limitMs: limit('lookup', 5_000),
      answer: record({ tool }, ['tool']),
    }),
    parse: new FirstAnswerHook<In<'parse'>, Out<'parse'>>({
      name: 'parse',
      stage: 'validate',
      limitMs: limit('parse', 5_000),
      answer: record({ input: object, error: text }),
    }),
    check: new CollectAllHook<In<'check'>, Out<'check'>>({
      name: 'check',
      stage: 'validate',
      limitMs: limit('check', 30_000),
      answer: validationAnswer,
    }),
    start: new CollectAllHook<In<'start'>, Out<'start'>>({
      name: 'start',
      stage: 'start',
      limitMs: limit('start', Infinity),
      answer: record({
        opinion,
        updatedInput: object,
        context: text,
        message: text,
        preventContinuation: stop,
        later: anything,
      }),
    }),
    opinions: new CollectAllHook<In<'opinions'>, Out<'opinions'>>({
      name: 'opinions',
      stage: 'authorize',
      limitMs: limit('opinions', 30_000),
      slots: ['rules', 'other'],
      answer: opinions,
    }),
    resolve: new FirstAnswerHook<In<'resolve'>, Out<'resolve'>>({
      name: 'resolve',
      stage: 'authorize',
      limitMs: limit('resolve', 15_000),
      slots: ['mode', 'classifier'],
      slotLimitsMs: { mode: limit('resolve', 5_000) },
      answer: opinion,
    }),
    prompt: new RaceHook<In<'prompt'>, Out<'prompt'>>({
      name: 'prompt',
      stage: 'authorize',
      limitMs: limit('prompt', Infinity),
      slots: ['hooks', 'classifier', 'dialog'],
      answer: record({ answer: permissionAnswer, by: word(['person', 'hook', 'classifier']) }, [
        'answer',
        'by',
      ]),
    }),
    permissionDenied: new CollectAllHook<In<'permissionDenied'>, Out<'permissionDenied'>>({
      name: 'permissionDenied',
      stage: 'authorize',
      limitMs: limit('permissionDenied', 30_000),
      answer: record({ context: text, message: text }),
    }),
    execute: new FirstAnswerHook<In<'execute'>, Out<'execute'>>({
      name: 'execute',
      stage: 'execute',
      limitMs: limit('execute', Infinity),
      answer: ending,
    }),
    result: new RewriteHook<In<'result'>, Out<'result'>>({
      name: 'result',
      stage: 'result',
      limitMs: limit('result', 30_000),
      answer: record({ content: anything, is_error: bool, call: ignored }),
    }),
    postToolUse: new CollectAllHook<In<'postToolUse'>, Out<'postToolUse'>>({
      name: 'postToolUse',
      stage: 'post',
      limitMs: limit('postToolUse', 30_000),
      answer: post,
    }),
    postToolUseFailure: new CollectAllHook<In<'postToolUseFailure'>, Out<'postToolUseFailure'>>({
      name: 'postToolUseFailure',
      stage: 'post',
      limitMs: limit('postToolUseFailure', 30_000),
      answer: post,
    }),
    postToolBatch: new CollectAllHook<In<'postToolBatch'>, Out<'postToolBatch'>>({
      name: 'postToolBatch',
      limitMs: limit('postToolBatch', 30_000),
      answer: record({ context: text, message: text, preventContinuation: stop }),
    }),
    emit: new CollectAllHook<In<'emit'>, Out<'emit'>>({
      name: 'emit',
      stage: 'emit',
      limitMs: limit('emit', 30_000),
      answer: ignored,
    }),
    trace: new CollectAllHook<In<'trace'>, Out<'trace'>>({
      name: 'trace',
      limitMs: limit('trace', 30_000),
      answer: ignored,
    }),
    progress: new CollectAllHook<In<'progress'>, Out<'progress'>>({
      name: 'progress',
      limitMs: limit('progress', 30_000),
      answer: ignored,
    }),
  };
}

/** The hooks of one gate, by name. */
export type Hooks = ReturnType<typeof createHooks>;
