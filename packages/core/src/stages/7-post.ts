import type { MappedCall, ObservedCall } from '../call.ts';
import type { PostAnswer } from '../hooks/create-hooks.ts';
import { attempt, neverAborts, type TapAnswer } from '../hooks/guard.ts';
import type { Run } from '../run.ts';
import { tellPeople } from './3-start.ts';
import { mapResult } from './6-result.ts';
import { traced } from './stage.ts';

/** Stage 7. Hooks that run after a tool may add text or replace the output; nothing undoes the call. */
export const post = traced<MappedCall, ObservedCall>('post', async (call, run) => {
  if (run.signal.aborted) return { ...call, after: [] };
  const hook =
    call.ending.ok && !call.isError
      ? run.parts.hooks.postToolUse
      : run.parts.hooks.postToolUseFailure;
  const answers = await hook.collect(call, run);
  for (const answer of answers)
    if (!answer.ok)
      run.parts.report({
        code: 'post-hook-failed',
        severity: 'warning',
        message: `${answer.tap} of ${answer.plugin} failed after ${call.tool.name}: ${answer.message}`,
      });

  tellPeople(answers, run);
  const values = answers.flatMap((answer: TapAnswer<PostAnswer>) =>
    answer.ok ? [answer.value] : [],
  );
  const after = values.flatMap(({ context }) => context ?? []);
  const stop = values.find((value) => value.preventContinuation)?.preventContinuation;
  const mapped = await withReplacement(call, values, run);
  return { ...mapped, after, ...(stop && { stopReason: stop.stopReason }) };
});

/** A replaced output goes through stage 6 again, once; of several the last in tap order counts. */
async function withReplacement(
  call: MappedCall,
  values: readonly PostAnswer[],
  run: Run,
): Promise<MappedCall> {
  const replacements = values.filter((value) => value.updatedOutput !== undefined);
  const last = replacements.at(-1);
  if (!last) return call;
  if (!call.ending.ok) {
    run.parts.report({
      code: 'replacement-dropped',
      severity: 'warning',
      message: `${call.tool.name} failed, so there is no output that a hook could replace.`,
    });
    return call;
  }
  if (replacements.length > 1)
    run.parts.report({
      code: 'replacement-dropped',
      severity: 'warning',
      message: `${replacements.length} hooks replaced the output of ${call.tool.name}; the last one counts.`,
    });
  const { result } = call.ending;
  run.turn.context.contentReplacementState?.replacements.delete(run.callId);
  const mapped = await mapResult(
    { ...call, ending: { ok: true, result: { ...result, data: last.updatedOutput } } },
    run,
  );
  await removed(call.stored, run);
  return mapped;
}

/** What was stored of an output goes with it: a hook may have replaced it so that nobody reads it. */
async function removed(paths: readonly string[], run: Run): Promise<void> {
  const { store, clock } = run.parts;
  for (const path of paths) {
    const gone = await attempt(() => store.remove?.(path), 5_000, { clock, signal: neverAborts });
    if (!gone.ok)
      run.parts.report({
        code: 'result-not-removed',
        severity: 'error',
        message: `what a hook replaced could not be removed from ${path}: ${gone.message}`,
      });
  }
}
