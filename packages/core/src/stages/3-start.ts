import { left, refuse, type Left, type StartedCall, type Step, type ValidCall } from '../call.ts';
import { filledFields } from '../filled-by-hook.ts';
import type { StartAnswer, StartInput } from '../hooks/create-hooks.ts';
import { attemptNow, quiet, type TapAnswer } from '../hooks/guard.ts';
import { sameJson } from '../json.ts';
import { deny, type Heard, type Opinion } from '../opinion.ts';
import type { Run } from '../run.ts';
import type { AnyObject } from '../tool.ts';
import { revise, withoutBackfill } from './2-validate.ts';
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
    directories: policy.directories(settings),
    startOpinions: [],
    contexts: [],
  };
  const answers = await run.parts.hooks.start.collect(inputFor(begun, run), run);
  const heard = withAnswers(begun, answers);
  tellPeople(answers, run);

  const rewrites = answers.flatMap(({ tap, plugin, ...answer }) => {
    const given = answer.ok && answer.value.updatedInput;
    const input = given && withoutBackfill(begun, given);
    return input ? [{ tap, plugin, input }] : [];
  });
  const [rewrite, ...others] = rewrites;
  if (!rewrite) return heard;
  if (others.some((other) => !sameJson(rewrite.input, other.input)))
    return denied(
      heard,
      `${rewrites.map(({ tap }) => tap).join(' and ')} rewrote this call differently.`,
    );
  // What the rewriting tap said, it said of what it wrote.
  const isRewriter = (tap: string, plugin: string) =>
    tap === rewrite.tap && plugin === rewrite.plugin;
  const renewed = await replaceInput(heard, rewrite.input, run, {
    by: rewrite.tap,
    keeps: ({ from, plugin }) => isRewriter(from, plugin),
    skips: ({ name, plugin, rechecks }) => isRewriter(name, plugin) && !rechecks,
  });
  const allows = heard.startOpinions.some(
    ({ opinion, from, plugin }) => opinion.behavior === 'allow' && isRewriter(from, plugin),
  );
  return left(renewed) || !allows
    ? renewed
    : { ...renewed, filledByHook: filledFields(begun.input, rewrite.input) };
});

/** A call that waited behind a `cd` is judged anew, in the folder it will run in. */
async function whereItRuns(valid: ValidCall, run: Run): Promise<Step<ValidCall>> {
  if (valid.cwd === run.parts.session.cwd) return valid;
  const moved = await revise(valid, valid.toolUse.input, run, valid.revision);
  if (!left(moved)) await run.admit(moved);
  return moved;
}

/** Who gave a call its new input, what it said that still counts, and which tap need not look again. */
export interface Rewriter {
  readonly by: string;
  readonly keeps?: (heard: Heard) => boolean;
  readonly skips?: (tap: Run['parts']['hooks']['start']['taps'][number]) => boolean;
}

/**
 * Gives a started call another input: stage 2 anew, the scheduler anew, and the other taps anew, which may
 * only tighten. Of what was said about the old input, denies survive, and what the rewriter itself said.
 */
export async function replaceInput(
  call: StartedCall,
  input: AnyObject,
  run: Run,
  { by, keeps = () => false, skips }: Rewriter,
): Promise<Step<StartedCall>> {
  const revised = await revise(call, input, run, call.revision + 1);
  if (left(revised)) return 'refusal' in revised ? cameFrom(revised, by, call) : revised;
  await run.admit(revised);
  run.decided(); // what was started for the old input is over
  const { pendingClassifierCheck: _ofTheOldInput, filledByHook: _before, ...rest } = call;
  const kept = call.startOpinions.filter(
    (heard) => heard.opinion.behavior === 'deny' || keeps(heard),
  );
  const renewed: StartedCall = { ...rest, ...revised, startOpinions: kept };
  const answers = await run.parts.hooks.start.collect(
    inputFor(renewed, run, { rewrittenBy: by }),
    run,
    skips,
  );
  const heard = withAnswers(renewed, answers, ({ opinion }) => opinion.behavior !== 'allow');
  const tighter = { ...heard, contexts: call.contexts };
  const rewroteAgain = answers.some((answer) => {
    const again = answer.ok && answer.value.updatedInput;
    return again && !sameJson(again, input) && withoutBackfill(revised, again) !== undefined;
  });
  return rewroteAgain
    ? denied(tighter, 'A second plugin rewrote a call that had already been rewritten.')
    : tighter;
}

const cameFrom = (
  refused: Extract<Left, { readonly refusal: unknown }>,
  by: string,
  { contexts }: StartedCall,
): Left => {
  const message = `${refused.refusal.message}\nThis input came from ${by}, which replaced yours.`;
  return refuse({ ...refused.refusal, message }, { contexts });
};

/** The call with what the taps said of it. Of promises that came late or twice nobody hears. */
function withAnswers(
  call: StartedCall,
  answers: readonly Answer[],
  counts: (heard: Heard) => boolean = () => true,
): StartedCall {
  const values = answers.flatMap((answer) => (answer.ok ? [answer.value] : []));
  const stop = values.find((value) => value.preventContinuation)?.preventContinuation;
  const promises = values.flatMap(({ later }) => (later === undefined ? [] : [later]));
  for (const promise of promises) quiet(promise);
  const [later] = promises;
  return {
    ...call,
    startOpinions: [...call.startOpinions, ...opinionsOf(answers).filter(counts)],
    contexts: [...call.contexts, ...values.flatMap(({ context }) => context ?? [])],
    ...(stop && { stopReason: stop.stopReason }),
    ...(later !== undefined && { pendingClassifierCheck: settled(later) }),
  };
}

/** What hooks want people to read goes to them alone. */
export function tellPeople(
  answers: readonly TapAnswer<{ readonly message?: string }>[],
  run: Pick<Run, 'parts'>,
): void {
  for (const answer of answers)
    if (answer.ok && answer.value.message !== undefined)
      run.parts.report({ code: 'hook-message', severity: 'info', message: answer.value.message });
}

/** A promise of a plugin as one of ours, which never rejects. */
const settled = (later: unknown): Promise<Opinion | undefined> =>
  new Promise<Opinion | undefined>((resolve) => resolve(later as Opinion)).catch(() => undefined); // whoever reads it checks it

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

/** `signal` is made when a tap reads it: most start nothing that goes on. */
function inputFor(call: StartedCall, run: Run, recheck?: StartInput['recheck']): StartInput {
  const peek = run.parts.backend?.peek;
  const answer = peek && attemptNow<unknown>(() => peek(call));
  return {
    call,
    ...(answer && { undecided: answer.ok && answer.value === undefined }),
    ...(recheck && { recheck }),
    get signal() {
      return run.untilDecided;
    },
  };
}
