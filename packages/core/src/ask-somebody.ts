import { randomUUID } from 'node:crypto';
import type { StartedCall } from './call.ts';
import type { Decided } from './decide.ts';
import { digestOf } from './digest.ts';
import type { PromptAnswer } from './hooks/create-hooks.ts';
import type { Decision, TrailEntry } from './opinion.ts';
import type { PermissionPrompt } from './ports.ts';
import type { Run } from './run.ts';
import { withoutBackfill } from './stages/2-validate.ts';
import type { AnyObject } from './tool.ts';

/** How a prompt ended: who answered, and the answer, whose edit and rules count only once the call is allowed. */
export interface Settled {
  readonly decision: Decision;
  readonly by: PromptAnswer['by'] | undefined;
  readonly from: string;
  readonly plugin: string;
  readonly updatedInput?: AnyObject;
  readonly rules?: readonly string[];
  readonly destination?: string;
}

/** Each slot speaks for somebody; a tap cannot be a person from the slot of hooks. */
const speakers: Readonly<Record<string, PromptAnswer['by']>> = {
  hooks: 'hook',
  classifier: 'classifier',
  dialog: 'person',
};

/**
 * Opens a prompt: hooks and the dialog race, the first definite answer wins. An answer from somebody who
 * may not settle an ask of this strength is dropped. Silence, and nobody to ask, deny. After an edit only a
 * person can allow, and the tap that edited is not asked again.
 */
export async function askSomebody(
  call: StartedCall,
  { verdict, decision: open }: Decided,
  run: Run,
  { editedBy }: { readonly editedBy?: Settled } = {},
): Promise<Settled> {
  const trail: TrailEntry[] = [...open.trail];
  const strength = verdict.behavior === 'ask' ? verdict.strength : 'ask';
  const units = verdict.behavior === 'undecided' ? verdict.uncovered : call.effects.units;
  const prompt = promptFor(call, open.reason, strength, units, run);
  const whyNot = ({ answer, by }: PromptAnswer, slot: string | undefined): string | undefined => {
    if (speakers[slot ?? ''] !== by) return `a tap in slot ${slot ?? ''} cannot answer as ${by}`;
    if (by === 'person') return undefined;
    if (by === 'classifier')
      return answer.behavior === 'allow' && verdict.behavior === 'undecided' && !editedBy
        ? undefined
        : 'a classifier can only allow what nobody asked about';
    return answer.behavior === 'deny' || (strength !== 'person' && !editedBy)
      ? undefined
      : 'this ask needs a person';
  };
  const won = await run.parts.hooks.prompt.race(
    { call, prompt },
    run,
    (answer, tap) => {
      const problem = answer.ok ? whyNot(answer.value, tap.slot) : answer.message;
      const spoken = answer.ok ? answer.value.answer.behavior : undefined;
      trail.push({
        step: 'prompt',
        from: answer.tap,
        plugin: answer.plugin,
        behavior: !spoken ? 'failed' : problem === undefined ? spoken : 'dropped',
        ...(problem !== undefined && { reason: problem }),
      });
      if (problem !== undefined)
        run.parts.report({
          code: 'answer-dropped',
          severity: 'warning',
          message: `an answer of ${answer.tap} (${answer.plugin}) did not count: ${problem}`,
        });
      return problem === undefined;
    },
    (tap) =>
      editedBy?.by === 'hook' && tap.name === editedBy.from && tap.plugin === editedBy.plugin,
  );
  if (!won?.ok)
    return {
      decision: { behavior: 'deny', reason: silence(open.reason, run), trail },
      by: undefined,
      from: 'nobody',
      plugin: 'toolgate',
    };
  const { answer, by } = won.value;
  const who = { by, from: won.tap, plugin: won.plugin };
  if (answer.behavior === 'deny') {
    // A person's plain no has a text of its own.
    const reason = answer.message ?? (by === 'person' ? '' : 'A hook refused this call.');
    return { ...who, decision: { behavior: 'deny', reason, trail } };
  }
  const { behavior: _, updatedInput, ...rules } = answer;
  const edit = updatedInput && withoutBackfill(call, updatedInput);
  const reason =
    by === 'person'
      ? `A person ${edit ? 'edited and ' : ''}allowed it.`
      : by === 'hook'
        ? 'A hook allowed it.'
        : 'The classifier allowed it.';
  const decision: Decision = { behavior: 'allow', reason, trail };
  return { ...who, decision, ...rules, ...(edit && { updatedInput: edit }) };
}

const silence = (reason: string, run: Run): string =>
  run.parts.hooks.prompt.taps.length === 0
    ? `${reason} Somebody must confirm it, and nobody can be asked here, so nothing ran. Do it another way, or ask the person to allow it.`
    : `${reason} Nobody confirmed it, so nothing ran.`;

function promptFor(
  call: StartedCall,
  reason: string,
  strength: PermissionPrompt['strength'],
  units: PermissionPrompt['units'],
  run: Run,
): PermissionPrompt {
  const { agentId } = run.turn.context;
  return Object.freeze({
    id: randomUUID(),
    toolUseId: call.toolUse.id,
    tool: call.tool.name,
    input: call.input,
    reason,
    strength,
    units,
    warnings: call.effects.warnings,
    // No rule settles what only a person can; none is offered then.
    suggestedRules: strength === 'person' ? [] : call.effects.suggestedRules,
    digest: digestOf(call),
    ...(agentId !== undefined && { agentId }),
    ...(call.pendingClassifierCheck && { classifier: 'pending' as const }),
  });
}

/** Keeps the rules of an answer that allowed a call: a person's, for the session. */
export function remember({ by, rules = [], destination = 'session' }: Settled, run: Run): void {
  if (rules.length === 0) return;
  if (by === 'person' && destination === 'session')
    return void run.parts.policy.addRules('session', { allow: rules });
  run.parts.report({
    code: 'rules-not-saved',
    severity: 'warning',
    message:
      by === 'person'
        ? `saving rules to ${destination} is not supported yet; the call was allowed once. Use session, or add ${rules.join(', ')} to your settings file.`
        : `a hook cannot save rules yet; the call was allowed once, without ${rules.join(', ')}.`,
  });
}
