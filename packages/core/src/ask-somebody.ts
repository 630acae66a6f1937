import { randomUUID } from 'node:crypto';
import type { StartedCall } from './call.ts';
import type { Decided } from './decide.ts';
import { digestOf } from './digest.ts';
import { didYouMean, unknownKey } from './nearest.ts';
import type { Decision, TrailEntry } from './opinion.ts';
import type { PermissionAnswer, PermissionPrompt } from './ports.ts';
import type { Run } from './run.ts';
import type { AnyObject } from './tool.ts';

/** How a prompt ended. */
export interface Settled {
  readonly decision: Decision;
  readonly by: 'person' | 'hook' | 'classifier' | undefined;
  readonly from: string;
  readonly updatedInput?: AnyObject;
}

/**
 * Opens a prompt: hooks and the dialog race, the first definite answer wins. An answer from somebody who
 * may not settle an ask of this strength is dropped. Silence, and nobody to ask, deny.
 */
export async function askSomebody(
  call: StartedCall,
  { verdict, decision: open }: Decided,
  run: Run,
  { onlyPerson = false }: { readonly onlyPerson?: boolean } = {},
): Promise<Settled> {
  const trail: TrailEntry[] = [...open.trail];
  const strength = verdict.behavior === 'ask' ? verdict.strength : 'ask';
  const needsPerson = onlyPerson || strength === 'person';
  const prompt = promptFor(
    call,
    open.reason,
    strength,
    verdict.behavior === 'undecided' ? verdict.uncovered : call.effects.units,
  );
  const won = await run.parts.hooks.prompt.race({ call, prompt }, run, (answer) => {
    const problem = answer.ok ? unusable(answer.value.answer) : answer.message;
    const mayAllow =
      answer.ok &&
      (answer.value.by === 'person' ||
        (!needsPerson && (answer.value.by === 'hook' || verdict.behavior === 'undecided')));
    const taken =
      answer.ok && problem === undefined && (answer.value.answer.behavior === 'deny' || mayAllow);
    const behavior = !answer.ok ? 'failed' : taken ? answer.value.answer.behavior : 'dropped';
    const reason = problem ?? (taken ? undefined : 'this ask needs a person');
    trail.push({
      step: 'prompt',
      from: answer.tap,
      plugin: answer.plugin,
      behavior,
      ...(reason !== undefined && { reason }),
    });
    if (!taken)
      run.parts.report({
        code: 'answer-dropped',
        severity: 'warning',
        message: `an answer of ${answer.tap} (${answer.plugin}) did not count: ${reason ?? ''}`,
      });
    return taken;
  });
  if (!won?.ok)
    return {
      decision: { behavior: 'deny', reason: silence(open.reason, run), trail },
      by: undefined,
      from: 'nobody',
    };

  const { answer, by } = won.value;
  if (answer.behavior === 'deny')
    return {
      decision: { behavior: 'deny', reason: answer.message ?? '', trail },
      by,
      from: won.tap,
    };
  if (by === 'person') remember(answer, run);
  const edit = answer.updatedInput && { updatedInput: answer.updatedInput };
  return {
    decision: {
      behavior: 'allow',
      reason: by === 'person' ? 'A person allowed it.' : 'A hook allowed it.',
      trail,
    },
    by,
    from: won.tap,
    ...edit,
  };
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
): PermissionPrompt {
  return Object.freeze({
    id: randomUUID(),
    toolUseId: call.toolUse.id,
    tool: call.tool.name,
    input: call.input,
    reason,
    strength,
    units,
    warnings: call.effects.warnings,
    suggestedRules: call.effects.suggestedRules,
    digest: digestOf(call),
    ...(call.pendingClassifierCheck && { classifier: 'pending' as const }),
  });
}

/** Why an answer cannot be used, in one sentence. */
function unusable(answer: PermissionAnswer): string | undefined {
  if (typeof answer !== 'object' || answer === null) return 'the answer is no object';
  const { behavior }: { readonly behavior: unknown } = answer;
  if (behavior !== 'allow' && behavior !== 'deny')
    return `behavior is "${String(behavior)}", not allow or deny.${didYouMean(String(behavior), ['allow', 'deny'])}`;
  return unknownKey(
    Object.keys(answer),
    behavior === 'allow'
      ? ['behavior', 'updatedInput', 'rules', 'destination']
      : ['behavior', 'message'],
    'the answer',
  );
}

function remember(answer: Extract<PermissionAnswer, { behavior: 'allow' }>, run: Run): void {
  if (!answer.rules || answer.rules.length === 0) return;
  if ((answer.destination ?? 'session') === 'session')
    run.parts.policy.addRules('session', { allow: answer.rules });
  else
    run.parts.report({
      code: 'rules-not-saved',
      severity: 'warning',
      message: `saving rules to ${String(answer.destination)} is not supported yet; the call was allowed once. Use session, or add ${answer.rules.join(', ')} to your settings file.`,
    });
}
