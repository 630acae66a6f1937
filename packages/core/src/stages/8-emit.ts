import { ledgerKey } from '../call-ledger.ts';
import { left, type Left, type ObservedCall } from '../call.ts';
import { createContext } from '../create-context.ts';
import { neverAborts, withSignal } from '../hooks/guard.ts';
import { frozenJson } from '../json.ts';
import { isContent, type ContentBlock } from '../messages.ts';
import { wrapError } from '../messages-for-model.ts';
import type { CallOutcome } from '../outcome.ts';
import type { Run } from '../run.ts';
import { traced } from './stage.ts';

/** Stage 8. The one `tool_result`, then what goes after it, then the observers. */
export const emit = traced<ObservedCall | Left, CallOutcome>('emit', async (call, run) => {
  const outcome = left(call) ? outcomeOfLeft(call, run) : outcomeOfCall(call, run);
  if (!left(call)) applyModifier(call, run);
  else if (call.left === 'answered' && call.stored.cwd !== undefined) {
    const { cwd } = call.stored;
    run.change({ tool: run.tool, modifier: () => ({ cwd }) });
  }
  if (outcome.decision) run.turn.decisions.set(run.callId, outcome.decision);
  const { emit: observers } = run.parts.hooks;
  if (observers.taps.length === 0) return outcome;
  // Observers get a copy of their own: what the embedder gets is not frozen, and nobody else's.
  const copy = frozenJson(outcome);
  if ('problem' in copy) throw new Error(`the outcome is no JSON: ${copy.problem}`);
  const answers = await observers.collect(copy.value as CallOutcome, withSignal(run, neverAborts));
  for (const answer of answers)
    if (!answer.ok)
      run.parts.report({
        code: 'emit-hook-failed',
        severity: 'warning',
        message: `${answer.tap} of ${answer.plugin} failed: ${answer.message}`,
      });
  return outcome;
});

function outcomeOfCall(call: ObservedCall, run: Run): CallOutcome {
  const { ending, isError } = call;
  const code = ending.ok ? (isError ? 'tool_failed' : undefined) : ending.failure.code;
  return {
    block: block(run.callId, withNotice(call.content, call.notice), isError),
    after: texts([...call.contexts, ...call.after]),
    newMessages: ending.ok ? newMessages(ending.result.newMessages, call, run) : [],
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

/** A tool's messages for the conversation, as long as they are a user's: no other role is a tool's to speak in. */
function newMessages(given: unknown, { tool }: ObservedCall, run: Run): CallOutcome['newMessages'] {
  if (given === undefined) return [];
  const json = frozenJson(given);
  const all = 'value' in json && Array.isArray(json.value) ? json.value : [undefined];
  const taken = all.filter(isUserMessage);
  if (taken.length < all.length)
    run.parts.report({
      code: 'message-dropped',
      severity: 'warning',
      message: `${tool.name} wanted to add something to the conversation that is no user message; it was dropped.`,
    });
  return taken;
}

const isUserMessage = (value: unknown): value is CallOutcome['newMessages'][number] =>
  typeof value === 'object' &&
  value !== null &&
  'role' in value &&
  value.role === 'user' &&
  'content' in value &&
  isContent(value.content);

function applyModifier(call: ObservedCall, run: Run): void {
  const modifier = call.ending.ok ? call.ending.result.contextModifier : undefined;
  if (typeof modifier !== 'function') return;
  const context = createContext(call, run, new AbortController(), {
    userModified: call.userModified,
  });
  const { toolUse, tool, content, isError } = call;
  run.change({
    tool: tool.name,
    modifier: (cwd) => modifier({ ...context, cwd }),
    moved: (cwd) => run.parts.ledger.complete(ledgerKey(toolUse, run), { content, isError, cwd }),
  });
}
