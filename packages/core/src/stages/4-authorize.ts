import { left, refuse, type PermittedCall, type StartedCall, type Step } from '../call.ts';
import { collectOpinions, decide } from '../decide.ts';
import { digestOf } from '../digest.ts';
import { askSomebody, type Settled } from '../ask-somebody.ts';
import { messageForModel } from '../messages-for-model.ts';
import type { Decision, Heard } from '../opinion.ts';
import type { Run } from '../run.ts';
import { replaceInput } from './3-start.ts';
import { interrupted, stoppable } from './stage.ts';

/** Stage 4. The strictest opinion wins; an ask or no opinion must be resolved; silence denies. */
export const authorize = stoppable<StartedCall, Step<PermittedCall>>(
  'authorize',
  async (started, run) => {
    const collected = await collectOpinions(started, run);
    if (left(collected)) return collected;
    const { call, heard } = collected;

    const decided = await decide(call, heard, run);
    if (decided.verdict.behavior === 'allow' || decided.verdict.behavior === 'deny')
      return concluded(call, decided.decision, run);
    const answered = await askSomebody(call, decided, run);
    if (answered.decision.behavior === 'allow' && answered.updatedInput)
      return edited(call, answered, run);
    return concluded(call, answered.decision, run);
  },
);

/** An input that was edited while it was asked about is judged anew; it is not asked about a second time by the same hook. */
async function edited(
  call: StartedCall,
  answered: Settled,
  run: Run,
): Promise<Step<PermittedCall>> {
  const by = answered.by === 'person' ? 'person' : answered.from;
  const renewed = await replaceInput(call, answered.updatedInput ?? call.input, by, run);
  if (left(renewed)) return renewed;
  const collected = await collectOpinions(renewed, run, { isFinal: true });
  if (left(collected)) return collected;
  const kept = by === 'person' ? collected.heard.filter(bindsPersonsEdit) : collected.heard;
  const personSaidYes: Heard = {
    opinion: { behavior: 'allow', reason: 'A person edited and allowed this call.', covers: 'all' },
    from: 'dialog',
    plugin: 'toolgate',
  };
  const decided = await decide(
    collected.call,
    by === 'person' ? [...kept, personSaidYes] : kept,
    run,
    answered.decision.trail,
  );
  if (decided.verdict.behavior === 'allow')
    return concluded(collected.call, decided.decision, run, by === 'person');
  if (decided.verdict.behavior === 'deny') return concluded(collected.call, decided.decision, run);
  const again = await askSomebody(collected.call, decided, run, { onlyPerson: true });
  const refusedEdit =
    again.updatedInput !== undefined
      ? {
          ...again.decision,
          behavior: 'deny' as const,
          reason: 'The input was edited twice; send the call again.',
        }
      : again.decision;
  return concluded(collected.call, refusedEdit, run, by === 'person');
}

/** Of what is said about a person's own edit, denies count, and the asks of rules. */
const bindsPersonsEdit = ({ opinion }: Heard): boolean =>
  opinion.behavior === 'deny' || (opinion.behavior === 'ask' && opinion.rule !== undefined);

function concluded(
  call: StartedCall,
  decision: Decision,
  run: Run,
  userModified = false,
): Step<PermittedCall> {
  run.trace?.({
    event: 'decision',
    id: run.callId,
    tool: call.tool.name,
    stage: 'authorize',
    outcome: decision.behavior,
  });
  if (decision.behavior === 'allow')
    return { ...call, decision, digest: digestOf(call), userModified };
  if (run.signal.aborted) return { ...interrupted('authorize'), decision };
  const rest = {
    decision,
    contexts: call.contexts,
    ...(call.stopReason !== undefined && { stopReason: call.stopReason }),
  };
  return refuse(
    { code: 'permission_denied', stage: 'authorize', message: messageForModel(decision) },
    rest,
  );
}
