import { left, type Left, type ObservedCall } from '../call.ts';
import type { ContentBlock } from '../messages.ts';
import { wrapError } from '../messages-for-model.ts';
import type { CallOutcome } from '../outcome.ts';
import type { Run } from '../run.ts';
import { traced } from './stage.ts';

/** Stage 8. The one `tool_result`, then what goes after it, then the observers. */
export const emit = traced<ObservedCall | Left, CallOutcome>('emit', async (call, run) => {
  const outcome = left(call) ? outcomeOfLeft(call, run) : outcomeOfCall(call, run);
  if (!left(call)) applyModifier(call, run);
  const answers = await run.parts.hooks.emit.collect(outcome, { ...run, signal: neverAborts });
  for (const answer of answers)
    if (!answer.ok)
      run.parts.report({
        code: 'emit-hook-failed',
        severity: 'warning',
        message: `${answer.tap} of ${answer.plugin} failed: ${answer.message}`,
      });
  return outcome;
});

/** Observers hear of every call, of aborted ones too; their own time limit bounds them. */
const neverAborts = new AbortController().signal;

function outcomeOfCall(call: ObservedCall, run: Run): CallOutcome {
  const { ending, isError } = call;
  const code = ending.ok ? (isError ? 'tool_failed' : undefined) : ending.failure.code;
  return {
    block: block(run.callId, withNotice(call.content, call.notice), isError),
    after: texts([...call.contexts, ...call.after]),
    newMessages: ending.ok ? (ending.result.newMessages ?? []) : [],
    ...(call.stopReason !== undefined && { stop: { reason: call.stopReason } }),
    outcome: code ? 'failed' : 'ok',
    ...(code && { code }),
    decision: call.decision,
    durationMs: run.clock.now() - run.startedAt,
  };
}

function outcomeOfLeft(call: Left, run: Run): CallOutcome {
  const common = {
    newMessages: [],
    ...(call.decision && { decision: call.decision }),
    durationMs: run.clock.now() - run.startedAt,
  };
  if (call.left === 'answered')
    return {
      ...common,
      block: block(run.callId, call.stored.content, call.stored.isError),
      after: [],
      outcome: 'answered',
    };
  const { refusal, contexts = [], stopReason } = call;
  return {
    ...common,
    block: block(run.callId, wrapError(refusal.message), true),
    after: texts(contexts),
    ...(stopReason !== undefined && { stop: { reason: stopReason } }),
    outcome: call.left,
    code: refusal.code,
    ...(refusal.errorCode !== undefined && { errorCode: refusal.errorCode }),
  };
}

/** The block that answers a call, in the Messages API's own shape. */
export const block = (
  id: string,
  content: CallOutcome['block']['content'],
  isError: boolean,
): CallOutcome['block'] => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  ...(isError && { is_error: true }),
});

const texts = (all: readonly string[]): readonly ContentBlock[] =>
  all.filter((text) => text !== '').map((text) => ({ type: 'text', text }));

function withNotice(
  content: CallOutcome['block']['content'],
  notice: string | undefined,
): CallOutcome['block']['content'] {
  if (notice === undefined) return content;
  return typeof content === 'string'
    ? `${content}\n\n${notice}`
    : [...content, { type: 'text', text: notice }];
}

function applyModifier({ ending, tool }: ObservedCall, run: Run): void {
  const modifier = ending.ok ? ending.result.contextModifier : undefined;
  if (typeof modifier === 'function') run.change({ tool: tool.name, modifier });
}
