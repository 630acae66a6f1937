import {
  allow,
  ask,
  deny,
  type AnyObject,
  type Opinion,
  type StartAnswer,
  type StartInput,
} from '@toolgate/core';
import { originOf, type Handler } from './handler.ts';
import type { Said } from './handler-runner.ts';
import type { HookOutput } from './hook-output.ts';
import { rewrittenInput } from './rewritten-input.ts';

export interface CombinedStart {
  readonly answer: StartAnswer | undefined;
  /** The handler whose input is to be used. */
  readonly rewriter?: Handler;
  /** Handlers whose rewrite was not used. */
  readonly overruled: readonly Handler[];
}

/**
 * One answer of all PreToolUse handlers: deny > defer > ask > allow, whatever their order and speed. Of
 * several rewrites the last in configuration order is used.
 */
export function combineStart(said: readonly Said[], call: StartInput['call']): CombinedStart {
  const rewrites = said.flatMap(({ handler, output }) => {
    const input =
      output.updatedInput &&
      output.decision !== 'deny' &&
      rewrittenInput(call, output.updatedInput);
    return input ? [{ handler, input }] : [];
  });
  const used = rewrites.at(-1);
  const opinion = combinedOpinion(said, used?.handler);
  const isDenied = opinion?.behavior === 'deny';
  const updated = isDenied ? undefined : used;
  return {
    answer: answerOf(said, opinion, updated?.input),
    ...(updated && { rewriter: updated.handler }),
    overruled: isDenied ? [] : rewrites.slice(0, -1).map(({ handler }) => handler),
  };
}

/** The second round, on the input that a rewrite gave: only denies and asks count, and nobody rewrites again. */
export function combineRecheck(
  said: readonly Said[],
  call: StartInput['call'],
): StartAnswer | undefined {
  const again = said.some(
    ({ output }) => output.updatedInput && rewrittenInput(call, output.updatedInput),
  );
  const opinion = combinedOpinion(said, undefined);
  if (opinion?.behavior === 'deny') return { opinion };
  if (again)
    return {
      opinion: deny(
        'Two hooks change this call one after the other, so what would run is not settled.',
      ),
    };
  return opinion?.behavior === 'ask' ? { opinion } : undefined;
}

/** An allow of a handler other than `rewriter` was said about an input that will not run, so it is none. */
function combinedOpinion(
  said: readonly Said[],
  rewriter: Handler | undefined,
): Opinion | undefined {
  const reasons = (decision: HookOutput['decision']) =>
    said
      .filter(({ output }) => output.decision === decision)
      .map(({ output }) => output.reason?.trim() ?? '');
  const denials = reasons('deny');
  if (denials.length > 0) return deny(joined(denials) ?? 'A hook denied this call.');
  const asks = [...reasons('defer'), ...reasons('ask')];
  if (asks.length > 0) return ask(joined(asks) ?? 'A hook asks for confirmation.', 'ask');
  const allowers = said.filter(
    ({ handler, output }) => output.decision === 'allow' && (!rewriter || handler === rewriter),
  );
  const [allower] = allowers;
  if (!allower) return undefined;
  const origins = allowers.flatMap(({ handler }) => originOf(handler) ?? []);
  return { ...allow(allower.output.reason ?? 'A hook allowed this call.', 'all'), origins };
}

function answerOf(
  said: readonly Said[],
  opinion: Opinion | undefined,
  updatedInput: AnyObject | undefined,
): StartAnswer | undefined {
  const answer: StartAnswer = {
    ...(opinion && { opinion }),
    ...(updatedInput && { updatedInput }),
    ...textsOf(said),
  };
  return Object.keys(answer).length > 0 ? answer : undefined;
}

/** What handlers of any event may add: context, messages, the wish to stop. */
export function textsOf(
  said: readonly Said[],
): Pick<StartAnswer, 'context' | 'message' | 'preventContinuation'> {
  const context = joined(said.map(({ output }) => output.context ?? ''));
  const message = joined(said.map(({ output }) => output.message ?? ''));
  const stopReason = said.find(({ output }) => output.stopReason !== undefined)?.output.stopReason;
  return {
    ...(context !== undefined && { context }),
    ...(message !== undefined && { message }),
    ...(stopReason !== undefined && { preventContinuation: { stopReason } }),
  };
}

function joined(texts: readonly string[]): string | undefined {
  const distinct = [...new Set(texts.filter((text) => text !== ''))];
  return distinct.length > 0 ? distinct.join('\n') : undefined;
}
