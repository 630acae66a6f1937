import { left, refuse, type Left } from '../call.ts';
import type { StageName } from '../failure.ts';
import type { Run } from '../run.ts';
import { SiblingFailed } from '../scheduler/siblings.ts';

type Work<In, Out> = (call: In, run: Run) => Promise<Out>;

/** Traces a stage. It neither catches nor times anything: that is the guard's, around each tap. */
export function traced<In, Out extends object>(
  stage: StageName,
  work: Work<In, Out>,
): Work<In, Out> {
  return (call, run) => (run.trace ? withTrace(stage, work, call, run) : work(call, run));
}

/** A stage that does not begin once the call was aborted; what an abort made it refuse was interrupted. */
export function stoppable<In, Out extends object>(
  stage: StageName,
  work: Work<In, Out>,
): Work<In, Out | Left> {
  return traced<In, Out | Left>(stage, async (call, run) => {
    if (run.signal.aborted) return interrupted(stage, run);
    const result: Out | Left = await work(call, run);
    if (!run.signal.aborted || !left(result) || result.left !== 'refused') return result;
    return { ...interrupted(stage, run), ...(result.decision && { decision: result.decision }) };
  });
}

/** What a call comes to that an abort reached first. */
export function interrupted(stage: StageName, { signal }: Pick<Run, 'signal'>): Left {
  const message =
    signal.reason instanceof SiblingFailed
      ? signal.reason.message
      : 'The call was interrupted before it was done. Wait for the person before trying again.';
  return refuse({ code: 'call_aborted', stage, message });
}

async function withTrace<In, Out extends object>(
  stage: StageName,
  work: Work<In, Out>,
  call: In,
  run: Run,
): Promise<Out> {
  const startedAt = run.clock.now();
  const about = { id: run.callId, tool: run.tool, stage };
  run.trace?.({ event: 'stage-start', ...about });
  const result = await work(call, run);
  const outcome = 'left' in result ? String(result.left) : 'ok';
  run.trace?.({ event: 'stage-end', ...about, outcome, ms: run.clock.now() - startedAt });
  return result;
}
