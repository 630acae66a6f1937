import {
  refuse,
  type ExecutedCall,
  type PermittedCall,
  type Step,
  type ToolEnding,
} from '../call.ts';
import { computeEffects } from '../compute-effects.ts';
import { digestOf, useDigest } from '../digest.ts';
import { runInProcess, timedOut } from '../in-process.ts';
import { isContent } from '../messages.ts';
import { INTERRUPT_MESSAGE } from '../messages-for-model.ts';
import { readAnswer, ending } from '../hooks/answer.ts';
import { attempt, type AttemptFailure } from '../hooks/guard.ts';
import type { LedgerClaim, LedgerKey } from '../ports.ts';
import { effectsFacts } from '../path-facts.ts';
import { predicate } from '../registry.ts';
import type { Run } from '../run.ts';
import { interrupted, stoppable } from './stage.ts';

/** Stage 5. What was approved is what runs, once, in one place; a failure there is final. */
export const execute = stoppable<PermittedCall, Step<ExecutedCall>>(
  'execute',
  async (call, run) => {
    if (digestOf(call) !== call.digest || !stillHolds(call, run))
      return refuse(
        {
          code: 'changed_since_approval',
          stage: 'execute',
          message: 'The call changed after it was approved, so nothing ran. Send it again.',
        },
        { decision: call.decision },
      );
    const claim = await claimed(call, run);
    if (run.signal.aborted) return { ...interrupted('execute'), decision: call.decision };
    if (claim.state !== 'claimed') return notClaimed(call, claim);

    const startedAt = run.clock.now();
    const ending = await runSomewhere(call, run);
    if (!ending.ok && ending.failure.code === 'tool_aborted' && run.signal.aborted)
      return { ...interrupted('execute'), decision: call.decision };
    return { ...call, ending, toolMs: run.clock.now() - startedAt };
  },
);

/** What was decided on checks of the surroundings (`needs`) is judged again just before it runs. */
function stillHolds(call: PermittedCall, run: Run): boolean {
  if (call.effects.needs.length === 0) return true;
  const { cwd, directories } = call;
  const facts = effectsFacts({ cwd, directories, facts: run.parts.facts });
  const effects = computeEffects(call, call.input, facts, run.parts.effects);
  return digestOf({ ...call, effects }) === call.digest;
}

/** In-process, unless an `execute` tap or an executor takes it: once, within the tool's limit and its grace. */
async function runSomewhere(call: PermittedCall, run: Run): Promise<ToolEnding> {
  const { hooks, executor, graceMs } = run.parts;
  const limitMs = call.tool.timeoutMs + graceMs;
  const answer = await hooks.execute.first(call, {
    signal: run.signal,
    clock: run.clock,
    callId: run.callId,
    tool: run.tool,
    trace: run.trace,
    limitMs,
  });
  if (answer) return answer.ok ? answer.value : executorFailed(answer, call);
  if (!executor) return runInProcess(call, run);
  let here: Promise<ToolEnding> | undefined;
  const elsewhere = await attempt<unknown>(
    ({ signal }) => executor(call, { signal, run: () => (here ??= runInProcess(call, run)) }),
    limitMs,
    run,
  );
  if (!elsewhere.ok) return executorFailed(elsewhere, call);
  const read = readAnswer(elsewhere.value, ending, 'the answer of the executor');
  if (read.ok && read.value !== undefined) return read.value as ToolEnding; // checked by readAnswer
  const message = read.ok ? 'it gave no answer' : read.problem;
  return executorFailed({ ok: false, reason: 'bad_answer', message }, call);
}

function executorFailed(
  { reason, message, cause }: AttemptFailure,
  call: PermittedCall,
): ToolEnding {
  if (reason === 'aborted')
    return { ok: false, failure: { code: 'tool_aborted', message: INTERRUPT_MESSAGE } };
  if (reason === 'timed_out') return timedOut(call.tool);
  const what = `The call could not be run where it should: ${message}`;
  return { ok: false, failure: { code: 'executor_failed', message: what, cause } };
}

/** The ledger's row for a call. */
export const ledgerKey = (call: PermittedCall, run: Run): LedgerKey => ({
  sessionId: run.parts.session.id,
  agentId: run.turn.context.agentId ?? '',
  turn: run.turn.index,
  toolUseId: call.toolUse.id,
  // Worked out on first use: a ledger in memory seldom needs it.
  get digest() {
    return useDigest(call.toolUse.name, call.toolUse.input);
  },
});

async function claimed(
  call: PermittedCall,
  run: Run,
): Promise<LedgerClaim | { readonly state: 'failed' }> {
  const answer = await attempt<LedgerClaim>(
    () => run.parts.ledger.claim(ledgerKey(call, run)),
    5_000,
    run,
  );
  const claim = answer.ok && answer.value;
  if (!claim || !states.has(claim.state)) return { state: 'failed' };
  if (claim.state === 'done' && !isContent(claim.content)) return { state: 'started' };
  const { tool, input, effects } = call;
  const mayRunAgain =
    effects.readOnly ||
    (run.parts.registry.isTrusted(tool) && predicate(() => tool.isIdempotent(input), false));
  return claim.state === 'started' && mayRunAgain ? { state: 'claimed' } : claim;
}

const states = new Set<unknown>(['claimed', 'started', 'reused', 'done']);

function notClaimed(
  call: PermittedCall,
  claim: Exclude<LedgerClaim | { readonly state: 'failed' }, { state: 'claimed' }>,
): Step<ExecutedCall> {
  const { decision } = call;
  if (claim.state === 'done') return { left: 'answered', stored: claim, decision };
  if (claim.state === 'reused')
    return refuse(
      {
        code: 'id_reused',
        stage: 'execute',
        message: `The id ${call.toolUse.id} was used for another call, so nothing ran. Send this call with an id of its own.`,
      },
      { decision },
    );
  if (claim.state === 'failed')
    return refuse(
      {
        code: 'plugin_failed',
        stage: 'execute',
        message: 'Whether this call ran before could not be told, so nothing ran. Try again later.',
      },
      { decision },
    );
  return refuse(
    {
      code: 'outcome_unknown',
      stage: 'execute',
      message:
        'This call was started before and how it ended is not known; it was not run again. Check what it did before sending it again.',
    },
    { decision },
  );
}
