import type { StartedCall } from './call.ts';
import type { PermissionUnit } from './effects.ts';
import type { ResolveInput } from './hooks/create-hooks.ts';
import type { TapAnswer } from './hooks/guard.ts';
import { coversUnit, strictest, type Opinion, type TrailEntry, type Verdict } from './opinion.ts';
import type { Run } from './run.ts';

/** What the slots `mode` and `classifier` came to. */
export interface Resolved {
  readonly answer?: TapAnswer<Opinion> | undefined;
  readonly by: 'mode' | 'classifier';
  /** The classifier's answer where somebody is asked meanwhile: an allow that counts, or none. */
  readonly late?: Promise<Opinion | undefined>;
}

/**
 * Asks the mode, then the classifier. Where a person could be asked, the classifier is waited for
 * `classifierWaitMs` and no longer, unless the mode is the one in which it decides.
 */
export async function resolveOpen(
  call: StartedCall,
  {
    verdict,
    open,
    uncovered,
  }: {
    readonly verdict: Verdict;
    readonly open: ResolveInput['verdict'];
    readonly uncovered: readonly PermissionUnit[];
  },
  run: Run,
  trail: TrailEntry[],
): Promise<Resolved> {
  const { hooks, classifierWaitMs } = run.parts;
  let isLate = false;
  const ask = (slot: 'mode' | 'classifier') =>
    hooks.resolve.first(
      { call, verdict: open, uncovered },
      run,
      (answer, tap) => {
        const taken = settles(answer, tap.slot, verdict, uncovered);
        if (!isLate) trail.push(resolveEntry(answer, taken));
        if (!taken && answer.ok)
          run.parts.report({
            code: 'answer-dropped',
            severity: 'warning',
            message: `${answer.tap} of ${answer.plugin} may not settle this: its ${answer.value.behavior} was dropped.`,
          });
        return taken;
      },
      (tap) => (tap.slot === 'classifier') !== (slot === 'classifier'),
    );
  const byMode = await ask('mode');
  if (byMode) return { answer: byMode, by: 'mode' };
  const asked = ask('classifier');
  const waits = verdict.behavior === 'undecided' && call.settings.mode !== 'auto';
  const isSomebodyThere = hooks.prompt.taps.some(({ slot }) => slot === 'dialog');
  if (!(asked instanceof Promise) || !waits || !isSomebodyThere)
    return { answer: await asked, by: 'classifier' };
  const answer = await within(asked, classifierWaitMs, run);
  if (answer !== 'late') return { answer, by: 'classifier' };
  isLate = true;
  const late = asked.then((one) =>
    one?.ok && one.value.behavior === 'allow' ? one.value : undefined,
  );
  return { by: 'classifier', late };
}

/** The answer, or `late` once the time is over. */
function within<T>(answer: Promise<T>, ms: number, { clock }: Run): Promise<T | 'late'> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, () => resolve('late'));
    void answer.then((value) => {
      cancel();
      resolve(value);
    });
  });
}

const resolveEntry = (answer: TapAnswer<Opinion>, taken: boolean): TrailEntry => ({
  step: 'resolve',
  from: answer.tap,
  plugin: answer.plugin,
  behavior: answer.ok ? (taken ? answer.value.behavior : 'dropped') : 'failed',
  reason: answer.ok ? answer.value.reason : answer.message,
});

/**
 * A mode may allow what is undecided or softly asked, the classifier only what is undecided, and only when
 * every unit is covered then. Both may deny, and ask more strictly than was asked.
 */
function settles(
  answer: TapAnswer<Opinion>,
  slot: string | undefined,
  verdict: Verdict,
  uncovered: readonly PermissionUnit[],
): boolean {
  if (!answer.ok) return slot !== 'classifier';
  const { value } = answer;
  if (value.behavior === 'deny') return true;
  if (value.behavior === 'ask')
    return verdict.behavior !== 'ask' || strictest([verdict, value], []) === value;
  if (!uncovered.every((unit) => coversUnit(value, unit))) return false;
  return (
    verdict.behavior === 'undecided' ||
    (slot === 'mode' && verdict.behavior === 'ask' && verdict.strength === 'soft')
  );
}
