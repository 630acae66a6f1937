import {
  left,
  refuse,
  type Left,
  type PermittedCall,
  type StartedCall,
  type Step,
} from '../call.ts';
import { collectOpinions, decide, decideReplay } from '../decide.ts';
import { digestOf } from '../digest.ts';
import { askSomebody, type Settled } from '../ask-somebody.ts';
import { filledFields } from '../filled-by-hook.ts';
import type { DeniedInput } from '../hooks/create-hooks.ts';
import { keepUpdates } from '../keep-updates.ts';
import { messageForModel } from '../messages-for-model.ts';
import { allow, type Decision, type Heard } from '../opinion.ts';
import type { Run } from '../run.ts';
import type { AnyObject } from '../tool.ts';
import { replaceInput, tellPeople } from './3-start.ts';
import { interrupted, stoppable } from './stage.ts';

/** Stage 4. The strictest opinion wins; an ask or no opinion must be resolved; silence denies. */
export const authorize = stoppable<StartedCall, Step<PermittedCall>>(
  'authorize',
  async (started, run) => {
    const collected = await collectOpinions(started, run, (call, input) =>
      replaceInput(call, input, run, { by: 'checkPermissions' }),
    );
    if (left(collected)) return collected;
    const { call, heard } = collected;
    if (call.known?.state === 'done') return replayed(call, call.known, heard, run);

    const decided = await decide(call, heard, run);
    if (decided.verdict.behavior === 'allow' || decided.verdict.behavior === 'deny')
      return concluded(call, decided.decision, run, { by: decided.by });
    const answered = await askSomebody(call, decided, run);
    return answered.updatedInput
      ? edited(call, answered, answered.updatedInput, run)
      : concluded(call, answered.decision, run, { answered });
  },
);

/** A call that was done before gets its stored result, unless something denies it now. Nobody is asked again. */
async function replayed(
  call: StartedCall,
  stored: Extract<Left, { readonly left: 'answered' }>['stored'],
  heard: readonly Heard[],
  run: Run,
): Promise<Step<PermittedCall>> {
  const decision = decideReplay(heard);
  if (decision.behavior === 'deny') return concluded(call, decision, run, { by: 'opinions' });
  return { left: 'answered', stored, decision };
}

/**
 * An input that was edited while it was asked about is judged anew, with the answer's own yes among the
 * opinions: asks of the new input beat it, and those a person alone settles, once.
 */
async function edited(
  call: StartedCall,
  answered: Settled,
  input: AnyObject,
  run: Run,
): Promise<Step<PermittedCall>> {
  const { from, plugin } = answered;
  const isPerson = answered.by === 'person';
  const renewed = await replaceInput(call, input, run, { by: from });
  if (left(renewed)) return renewed;
  const isHook = answered.by === 'hook';
  const filled = isHook ? { ...renewed, filledByHook: filledFields(call.input, input) } : renewed;
  const collected = await collectOpinions(filled, run);
  if (left(collected)) return collected;
  const saidYes: Heard = { opinion: allow(answered.decision.reason, 'all'), from, plugin };
  const heard = [
    ...(isPerson ? collected.heard.filter(bindsPersonsEdit) : collected.heard),
    saidYes,
  ];
  const decided = await decide(collected.call, heard, run, answered.decision.trail);
  const { behavior } = decided.verdict;
  if (behavior === 'allow' || behavior === 'deny')
    return concluded(collected.call, decided.decision, run, {
      answered,
      isPerson,
      by: decided.by,
    });
  const again = await askSomebody(collected.call, decided, run, { editedBy: answered });
  const decision: Decision = again.updatedInput
    ? {
        ...again.decision,
        behavior: 'deny',
        reason: 'The input was edited twice; send the call again.',
      }
    : again.decision;
  return concluded(collected.call, decision, run, { answered: again, isPerson });
}

/** Of what is said about a person's own edit, denies count, and the asks of rules. */
const bindsPersonsEdit = ({ opinion }: Heard): boolean =>
  opinion.behavior === 'deny' || (opinion.behavior === 'ask' && opinion.rule !== undefined);

interface Ended {
  readonly answered?: Settled;
  readonly isPerson?: boolean;
  /** Who said no, where it was not the answer. */
  readonly by?: DeniedInput['by'];
}

async function concluded(
  call: StartedCall,
  decision: Decision,
  run: Run,
  { answered, isPerson = false, by = answered?.by ?? 'nobody' }: Ended = {},
): Promise<Step<PermittedCall>> {
  run.decided();
  run.trace?.({
    event: 'decision',
    id: run.callId,
    tool: call.tool.name,
    stage: 'authorize',
    outcome: decision.behavior,
  });
  if (run.signal.aborted) return { ...interrupted('authorize', run), decision };
  if (decision.behavior === 'allow') {
    if (answered?.updates?.length)
      await keepUpdates(call, { by: answered.by, updates: answered.updates }, run);
    return { ...call, decision, digest: digestOf(call), userModified: isPerson };
  }
  const stopReason = answered?.stopReason ?? call.stopReason;
  const rest = {
    decision,
    contexts: call.contexts,
    ...(stopReason !== undefined && { stopReason }),
  };
  const message = [messageForModel(decision), ...(await heardOfIt({ call, decision, by }, run))];
  return refuse(
    { code: 'permission_denied', stage: 'authorize', message: message.join('\n') },
    rest,
  );
}

/** What those who hear of denials want the model to read as well. What fails says nothing, and is reported. */
async function heardOfIt(denied: DeniedInput, run: Run): Promise<readonly string[]> {
  const answers = await run.parts.hooks.permissionDenied.collect(denied, run);
  for (const answer of answers)
    if (!answer.ok)
      run.parts.report({
        code: 'denied-hook-failed',
        severity: 'warning',
        message: `${answer.tap} of ${answer.plugin} failed: ${answer.message}`,
      });
  tellPeople(answers, run);
  return answers.flatMap((answer) => (answer.ok && answer.value.context) || []);
}
