import { randomUUID } from 'node:crypto';
import type { StartedCall } from './call.ts';
import type { Decided } from './decide.ts';
import { digestOf } from './digest.ts';
import type { PromptAnswer } from './hooks/create-hooks.ts';
import { filledFields, fills } from './filled-by-hook.ts';
import { attemptNow } from './hooks/guard.ts';
import { frozenJson, sameJson } from './json.ts';
import type { Decision, TrailEntry, Verdict } from './opinion.ts';
import { ruleValue, type PermissionUpdate, type UpdateDestination } from './permission-update.ts';
import type { PermissionAnswer, PermissionPrompt } from './ports.ts';
import type { Run } from './run.ts';
import { isManagedOnly } from './settings-snapshot.ts';
import { withoutBackfill } from './stages/2-validate.ts';
import type { AnyObject } from './tool.ts';
import type { View } from './view.ts';

/** How a prompt ended: who answered, and the answer, whose edit and rules count only once the call is allowed. */
export interface Settled {
  readonly decision: Decision;
  readonly by: PromptAnswer['by'] | undefined;
  readonly from: string;
  readonly plugin: string;
  readonly updatedInput?: AnyObject;
  /** What the answer wants kept once the call is allowed. */
  readonly updates?: readonly PermissionUpdate[];
  /** Set when the answer also ends the turn's loop. */
  readonly stopReason?: string;
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
  { verdict, decision: open, late }: Decided,
  run: Run,
  { editedBy }: { readonly editedBy?: Settled } = {},
): Promise<Settled> {
  const trail: TrailEntry[] = [...open.trail];
  const strength = verdict.behavior === 'ask' ? verdict.strength : 'ask';
  const prompt = promptFor(
    call,
    {
      reason: open.reason,
      strength,
      units: toApprove(call, verdict, open),
      ...(verdict.behavior === 'ask' && whoAsks(open)),
    },
    run,
    late !== undefined,
  );
  let isTouched = false;
  const touched = () => void (isTouched = true);
  const whyNot = ({ answer, by }: PromptAnswer, slot: string | undefined): string | undefined => {
    if (speakers[slot ?? ''] !== by) return `a tap in slot ${slot ?? ''} cannot answer as ${by}`;
    if (by === 'person') return undefined;
    if (by === 'classifier' && isTouched) return 'a person has begun to answer';
    if (by === 'classifier')
      return answer.behavior === 'allow' && verdict.behavior === 'undecided' && !editedBy
        ? undefined
        : 'a classifier can only allow what nobody asked about';
    if (answer.behavior === 'deny') return undefined;
    const edit = answer.updatedInput && withoutBackfill(call, answer.updatedInput);
    const isFilled =
      verdict.behavior === 'ask' && edit && fills(verdict, filledFields(call.input, edit));
    return (strength !== 'person' || isFilled) && !editedBy ? undefined : 'this ask needs a person';
  };
  const won = await run.parts.hooks.prompt.race(
    { call, prompt, touched, ...(late && { late }) },
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
      decision: { behavior: 'deny', reason: silence(open.reason, trail, run), trail },
      by: undefined,
      from: 'nobody',
      plugin: 'toolgate',
    };
  const { answer, by } = won.value;
  const who = { by, from: won.tap, plugin: won.plugin };
  if (answer.behavior === 'deny') {
    // A person's plain no has a text of its own.
    const reason = answer.message ?? (by === 'person' ? '' : 'A hook refused this call.');
    return {
      ...who,
      decision: { behavior: 'deny', reason, trail },
      ...(answer.interrupt && { stopReason: reason || 'The person said no.' }),
    };
  }
  const { updatedInput } = answer;
  const edit = updatedInput && withoutBackfill(call, updatedInput);
  const reason =
    by === 'person'
      ? `A person ${edit ? 'edited and ' : ''}allowed it.`
      : by === 'hook'
        ? 'A hook allowed it.'
        : 'The classifier allowed it.';
  const decision: Decision = { behavior: 'allow', reason, trail };
  return {
    ...who,
    decision,
    updates: updatesOf(answer),
    ...(edit && { updatedInput: edit }),
  };
}

/** An answer's rules and updates as updates. */
const updatesOf = ({
  rules = [],
  destination = 'session',
  updates = [],
}: Extract<PermissionAnswer, { behavior: 'allow' }>): readonly PermissionUpdate[] => [
  ...(rules.length > 0
    ? [
        {
          type: 'addRules' as const,
          rules: rules.map(ruleValue),
          behavior: 'allow' as const,
          destination,
        },
      ]
    : []),
  ...updates,
];

/** The units that nothing allows, and those that somebody asks about by name; of a call that is asked about as a whole, all. */
function toApprove(
  { effects }: StartedCall,
  verdict: Verdict,
  { trail }: Decision,
): PermissionPrompt['units'] {
  if (verdict.behavior === 'undecided') return verdict.uncovered;
  // Told apart by what they hold: an opinion's unit is a copy.
  const about = (behavior: TrailEntry['behavior']) =>
    trail.flatMap((entry) => (entry.behavior === behavior && entry.unit ? [entry.unit] : []));
  const [asked, allowed] = [about('ask'), about('allow')];
  const units = effects.units.filter(
    (unit) =>
      asked.some((one) => sameJson(one, unit)) || !allowed.some((one) => sameJson(one, unit)),
  );
  return units.length > 0 ? units : effects.units;
}

/** Hooks and classifiers that have nothing to say are nobody to ask. */
const silence = (reason: string, trail: readonly TrailEntry[], run: Run): string =>
  run.parts.hooks.prompt.taps.some(({ slot }) => slot === 'dialog') ||
  trail.some(({ step }) => step === 'prompt')
    ? `${reason} Nobody confirmed it, so nothing ran.`
    : `${reason} Somebody must confirm it, and nobody can be asked here, so nothing ran. Do it another way, or ask the person to allow it.`;

/** Whose ask it is that a prompt puts, and by which rule. */
function whoAsks({ reason, trail }: Decision): Pick<PermissionPrompt, 'askedBy' | 'rule'> {
  const entry = trail.find((each) => each.behavior === 'ask' && each.reason === reason);
  if (!entry) return {};
  const { from, plugin, rule } = entry;
  return { askedBy: { from, plugin }, ...(rule && { rule }) };
}

function promptFor(
  call: StartedCall,
  asked: Pick<PermissionPrompt, 'reason' | 'askedBy' | 'rule' | 'strength' | 'units'>,
  run: Run,
  isPending: boolean,
): PermissionPrompt {
  const { agentId } = run.turn.context;
  const { effects, tool } = call;
  const drawn = attemptNow<unknown>(() =>
    tool.renderToolUseMessage(call.input, { cwd: call.cwd, home: run.parts.facts.home }),
  );
  const preview = frozenJson(drawn.ok ? drawn.value : undefined);
  // No rule settles what only a person can, and under managed policy none is kept; none is offered then.
  const offersRules = asked.strength !== 'person' && !isManagedOnly(call.settings);
  return Object.freeze({
    id: randomUUID(),
    toolUseId: call.toolUse.id,
    tool: tool.name,
    input: call.input,
    ...asked,
    warnings: effects.warnings,
    destructive: effects.destructive,
    suggestedRules: (offersRules ? suggested(call, asked.units, run) : []).map((rule) => ({
      rule,
      destination: usualDestination(rule, run),
    })),
    ...('value' in preview && { preview: preview.value as View }), // a tool's own drawing, by its type
    digest: digestOf(call),
    ...(agentId !== undefined && { agentId }),
    ...(isPending && { classifier: 'pending' as const }),
  });
}

/** What the backend makes of the parts that need approval; where it cannot say, what the tool itself suggests. */
function suggested(
  call: StartedCall,
  units: PermissionPrompt['units'],
  { parts }: Run,
): readonly string[] {
  const found = attemptNow<unknown>(() => parts.backend?.suggest?.(call, units));
  const given: readonly unknown[] | undefined =
    found.ok && Array.isArray(found.value) ? found.value : undefined;
  return given?.filter((rule) => typeof rule === 'string') ?? call.effects.suggestedRules;
}

/** Rules about files are for the session, as in Claude Code; others for the user's file of this project. */
const usualDestination = (rule: string, { parts }: Run): UpdateDestination =>
  parts.policy.save && !/^(?:Edit|Read)\b/.test(rule) ? 'localSettings' : 'session';
