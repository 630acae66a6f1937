import { left, refuse, type StartedCall, type Step, type ValidCall } from '../call.ts';
import type { StartAnswer } from '../hooks/create-hooks.ts';
import type { TapAnswer } from '../hooks/guard.ts';
import { sameJson } from '../json.ts';
import { deny, type Heard } from '../opinion.ts';
import { predicate } from '../registry.ts';
import type { Run } from '../run.ts';
import type { AnyObject } from '../tool.ts';
import { revise } from './2-validate.ts';
import { stoppable } from './stage.ts';

type Answer = TapAnswer<StartAnswer>;

/** Stage 3. Starts every tap at once; a rewrite goes through stage 2 and past the other taps again. */
export const start = stoppable<ValidCall, Step<StartedCall>>('start', async (validated, run) => {
  const { policy } = run.parts;
  const valid = await whereItRuns(validated, run);
  if (left(valid)) return valid;
  const settings = policy.inTurn(run.turn.settings);
  const begun: StartedCall = {
    ...valid,
    settings,
    directories: policy.directories(),
    startOpinions: [],
    contexts: [],
  };
  const answers = await run.parts.hooks.start.collect(
    { call: begun, ...undecided(begun, run) },
    run,
  );
  const heard = withAnswers(begun, answers);
  tellPeople(answers, run);

  const rewrites = answers.flatMap((answer) =>
    answer.ok && answer.value.updatedInput
      ? [{ by: answer.tap, input: answer.value.updatedInput }]
      : [],
  );
  const [rewrite, ...others] = rewrites;
  if (!rewrite) return heard;
  if (others.some((other) => !sameJson(rewrite.input, other.input)))
    return denied(
      heard,
      `${rewrites.map(({ by }) => by).join(' and ')} rewrote this call differently.`,
    );
  return replaceInput(heard, rewrite.input, rewrite.by, run);
});

/** A call that waited behind a `cd` is judged anew, in the folder it will run in. */
async function whereItRuns(valid: ValidCall, run: Run): Promise<Step<ValidCall>> {
  if (valid.cwd === run.parts.session.cwd) return valid;
  const moved = await revise(valid, valid.toolUse.input, run, valid.revision);
  if (!left(moved)) await run.admit(moved);
  return moved;
}

/**
 * Gives a started call another input: stage 2 anew, the scheduler anew, and the other taps anew, which may
 * only tighten. Of what was said about the old input, denies survive, and what `by` itself said.
 */
export async function replaceInput(
  call: StartedCall,
  input: AnyObject,
  by: string,
  run: Run,
): Promise<Step<StartedCall>> {
  const revised = await revise(call, input, run, call.revision + 1);
  if (left(revised))
    return 'refusal' in revised
      ? refuse(
          {
            ...revised.refusal,
            message: `${revised.refusal.message}\nThis input came from ${by}, which replaced yours.`,
          },
          { contexts: call.contexts },
        )
      : revised;
  await run.admit(revised);
  const kept = call.startOpinions.filter(
    ({ opinion, from }) => opinion.behavior === 'deny' || from === by,
  );
  const renewed: StartedCall = { ...call, ...revised, startOpinions: kept };
  const answers = await run.parts.hooks.start.collect(
    { call: renewed, recheck: { rewrittenBy: by } },
    run,
    (tap) => tap.name === by && !tap.rechecks,
  );
  const tighter = {
    ...renewed,
    startOpinions: [
      ...kept,
      ...opinionsOf(answers).filter(({ opinion }) => opinion.behavior !== 'allow'),
    ],
  };
  const rewroteAgain = answers.some(
    (answer) =>
      answer.ok && answer.value.updatedInput && !sameJson(answer.value.updatedInput, revised.input),
  );
  return rewroteAgain
    ? denied(tighter, 'A second plugin rewrote a call that had already been rewritten.')
    : tighter;
}

function withAnswers(call: StartedCall, answers: readonly Answer[]): StartedCall {
  const values = answers.flatMap((answer) => (answer.ok ? [answer.value] : []));
  const stop = values.find((value) => value.preventContinuation)?.preventContinuation;
  const later = values.find((value) => value.later !== undefined)?.later;
  return {
    ...call,
    startOpinions: opinionsOf(answers),
    contexts: values.flatMap(({ context }) => context ?? []),
    ...(stop && { stopReason: String(stop.stopReason) }),
    ...(later && { pendingClassifierCheck: Promise.resolve(later).catch(() => undefined) }),
  };
}

/** What hooks want people to read goes to them alone. */
export function tellPeople(
  answers: readonly TapAnswer<{ readonly message?: string }>[],
  run: Run,
): void {
  for (const answer of answers)
    if (answer.ok && answer.value.message !== undefined)
      run.parts.report({
        code: 'hook-message',
        severity: 'info',
        message: String(answer.value.message),
      });
}

/** A tap that failed has said deny: what it would have found is not known. */
const opinionsOf = (answers: readonly Answer[]): readonly Heard[] =>
  answers.flatMap((answer): Heard[] => {
    const who = { from: answer.tap, plugin: answer.plugin };
    if (!answer.ok)
      return [
        {
          ...who,
          opinion: deny('A check that runs before the call failed, so the call was refused.'),
          failure: answer.message,
        },
      ];
    return answer.value.opinion ? [{ ...who, opinion: answer.value.opinion }] : [];
  });

const denied = (call: StartedCall, reason: string): StartedCall => ({
  ...call,
  startOpinions: [
    ...call.startOpinions,
    { opinion: deny(reason), from: 'start', plugin: 'toolgate' },
  ],
});

function undecided(call: StartedCall, run: Run): { readonly undecided?: boolean } {
  const peek = run.parts.backend?.peek;
  return peek ? { undecided: predicate(() => peek(call) === undefined, false) } : {};
}
