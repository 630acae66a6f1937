import {
  refuse,
  type ExecutedCall,
  type PermittedCall,
  type Step,
  type ToolEnding,
} from '../call.ts';
import { digestOf, useDigest } from '../digest.ts';
import { runInProcess } from '../in-process.ts';
import { attempt } from '../hooks/guard.ts';
import type { LedgerClaim, LedgerKey } from '../ports.ts';
import { predicate } from '../registry.ts';
import type { Run } from '../run.ts';
import { interrupted, stoppable } from './stage.ts';

/** Stage 5. What was approved is what runs, once, in one place; a failure there is final. */
export const execute = stoppable<PermittedCall, Step<ExecutedCall>>(
  'execute',
  async (call, run) => {
    if (digestOf(call) !== call.digest)
      return refuse(
        {
          code: 'changed_since_approval',
          stage: 'execute',
          message: 'The call changed after it was approved, so nothing ran. Send it again.',
        },
        { decision: call.decision },
      );
    const claim = await claimed(call, run);
    if (claim.state !== 'claimed') return notClaimed(call, claim);

    const startedAt = run.clock.now();
    const ending = await runSomewhere(call, run);
    if (!ending.ok && ending.failure.code === 'tool_aborted' && run.signal.aborted)
      return { ...interrupted('execute'), decision: call.decision };
    return { ...call, ending, toolMs: run.clock.now() - startedAt };
  },
);

async function runSomewhere(call: PermittedCall, run: Run): Promise<ToolEnding> {
  const { hooks, executor } = run.parts;
  const answer = await hooks.execute.first(call, run);
  if (answer) return answer.ok ? answer.value : executorFailed(answer.message, answer.cause);
  if (!executor) return runInProcess(call, run);
  const elsewhere = await attempt<ToolEnding>(
    ({ signal }) => executor(call, { signal, run: () => runInProcess(call, run) }),
    Infinity,
    run,
  );
  return elsewhere.ok ? elsewhere.value : executorFailed(elsewhere.message, elsewhere.cause);
}

const executorFailed = (message: string, cause: unknown): ToolEnding => ({
  ok: false,
  failure: {
    code: 'executor_failed',
    message: `The call could not be run where it should: ${message}`,
    cause,
  },
});

/** The ledger's row for a call. */
export const ledgerKey = (call: PermittedCall, run: Run): LedgerKey => ({
  sessionId: run.parts.session.id,
  agentId: run.turn.context.agentId ?? '',
  turn: run.turn.index,
  toolUseId: call.toolUse.id,
  digest: useDigest(call.toolUse.name, call.toolUse.input),
});

async function claimed(call: PermittedCall, run: Run): Promise<LedgerClaim> {
  const answer = await attempt<LedgerClaim>(
    () => run.parts.ledger.claim(ledgerKey(call, run)),
    5_000,
    run,
  );
  return answer.ok ? answer.value : { state: 'started' };
}

function notClaimed(
  call: PermittedCall,
  claim: Exclude<LedgerClaim, { state: 'claimed' }>,
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
  const again = predicate(() => call.tool.isIdempotent(call.input), false)
    ? ' It may safely be sent again.'
    : ' Check what it did before sending it again.';
  return refuse(
    {
      code: 'outcome_unknown',
      stage: 'execute',
      message: `This call was started before and how it ended is not known; it was not run again.${again}`,
    },
    { decision },
  );
}
