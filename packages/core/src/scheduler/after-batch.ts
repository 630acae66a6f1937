import type { PostAnswer } from '../hooks/create-hooks.ts';
import { frozenJson } from '../json.ts';
import type { CallOutcome } from '../outcome.ts';
import type { Parts, Turn } from '../run.ts';
import { tellPeople } from '../stages/3-start.ts';

/**
 * All calls of a turn have ended: those who look at the whole batch are heard, unless it was aborted. What
 * they add goes after all results; the last outcome carries it, and the wish to stop.
 */
export async function afterBatch(
  uses: readonly unknown[],
  outcomes: readonly CallOutcome[],
  {
    parts,
    turn,
    signal,
  }: { readonly parts: Parts; readonly turn: Turn; readonly signal: AbortSignal },
): Promise<readonly CallOutcome[]> {
  const hook = parts.hooks.postToolBatch;
  const last = outcomes.at(-1);
  if (!last || hook.taps.length === 0 || signal.aborted) return outcomes;
  const calls = frozenJson(
    outcomes.map(({ block }, index) => {
      const use: Partial<Record<string, unknown>> = Object(uses[index]);
      return { toolUse: { id: block.tool_use_id, name: use['name'], input: use['input'] }, block };
    }),
  );
  const answers =
    'problem' in calls
      ? []
      : await hook.collect(
          {
            calls: calls.value as never, // the copy of what stands above
            settings: parts.policy.inTurn(turn.settings),
            cwd: parts.session.cwd,
            context: turn.context,
          },
          { signal, clock: parts.clock, callId: '', tool: '' },
        );
  for (const answer of answers)
    if (!answer.ok)
      parts.report({
        code: 'post-hook-failed',
        severity: 'warning',
        message: `${answer.tap} of ${answer.plugin} failed after a batch of calls: ${answer.message}`,
      });
  tellPeople(answers, { parts });
  const values = answers.flatMap((answer) => (answer.ok ? [answer.value] : []));
  return [...outcomes.slice(0, -1), withAnswers(last, values)];
}

function withAnswers(
  last: CallOutcome,
  values: readonly Omit<PostAnswer, 'updatedOutput'>[],
): CallOutcome {
  const texts = values.flatMap(({ context }) => context || []);
  const reason = values.find((value) => value.preventContinuation)?.preventContinuation?.stopReason;
  const stop = last.stop ?? (reason === undefined ? undefined : { reason });
  return {
    ...last,
    after: [...last.after, ...texts.map((text) => ({ type: 'text' as const, text }))],
    ...(stop && { stop }),
  };
}
