import { left, type StartedCall, type Step } from './call.ts';
import { askTool } from './create-context.ts';
import {
  anything,
  object,
  opinion as opinionSpec,
  readAnswer,
  record,
  type AnswerSpec,
} from './hooks/answer.ts';
import type { PermissionUnit } from './effects.ts';
import { liftRuleAsks } from './hook-allow.ts';
import { liftFilledAsks } from './filled-by-hook.ts';
import { floors } from './floors.ts';
import type { TapAnswer } from './hooks/guard.ts';
import {
  allow,
  deny,
  coversUnit,
  strictest,
  type Decision,
  type Heard,
  type Opinion,
  type TrailEntry,
  type Verdict,
} from './opinion.ts';
import { resolveOpen } from './resolve-open.ts';
import type { Run } from './run.ts';
import { withoutBackfill } from './stages/2-validate.ts';
import type { AnyObject } from './tool.ts';

/** What stage 4 knows once nobody but a person or hook could add to it. */
export interface Decided {
  readonly verdict: Verdict;
  readonly decision: Decision;
  /** What decided: a source of opinions, or a resolver. */
  readonly by: 'opinions' | 'mode' | 'classifier';
  /** An allow of the classifier that may still come; it joins whoever is asked. */
  readonly late?: Promise<Opinion | undefined>;
}

/** Gives a call another input; `explain` does so without hooks and checks. */
export type Replace = (call: StartedCall, input: AnyObject) => Promise<Step<StartedCall>>;

/** Asks every source that can decide from what is known. The tool may replace its input first, once. */
export async function collectOpinions(
  call: StartedCall,
  run: Run,
  replace?: Replace,
): Promise<Step<{ readonly call: StartedCall; readonly heard: readonly Heard[] }>> {
  const tool = await askOwnTool(call, run);
  if (tool.updatedInput && replace) {
    const renewed = await replace(call, tool.updatedInput);
    return left(renewed) ? renewed : collectOpinions(renewed, run);
  }
  const own = tool.updatedInput
    ? [core(deny(`${call.tool.name} replaced its input a second time.`))]
    : tool.heard;
  const taps = await run.parts.hooks.opinions.collect(call, run);
  const asks = [...call.checkAsks, ...floors(call.effects)].map(core);
  return { call, heard: [...taps.flatMap(opinionsOf), ...call.startOpinions, ...own, ...asks] };
}

const core = (opinion: Opinion): Heard => ({ opinion, from: 'core', plugin: 'toolgate' });

function opinionsOf(answer: TapAnswer<Opinion | readonly Opinion[]>): readonly Heard[] {
  const who = { from: answer.tap, plugin: answer.plugin };
  if (!answer.ok)
    return [
      {
        ...who,
        opinion: deny('A permission source failed, so the call was refused.'),
        failure: answer.message,
      },
    ];
  return [answer.value].flat().map((opinion: Opinion) => ({ ...who, opinion }));
}

/** The tool's own view. Only a trusted tool can allow, and then only its own action. */
async function askOwnTool(
  call: StartedCall,
  run: Run,
): Promise<{ readonly heard: readonly Heard[]; readonly updatedInput?: AnyObject }> {
  const { tool } = call;
  const heard = (opinion: Opinion, failure?: string): readonly Heard[] => [
    {
      opinion,
      from: 'checkPermissions',
      plugin: tool.name,
      ...(failure !== undefined && { failure }),
    },
  ];
  const answer = await askTool<unknown>(call, run, (context) =>
    tool.checkPermissions(call.input, context),
  );
  const read = answer.ok
    ? readAnswer(answer.value, permissionResult, `the answer of ${tool.name}'s checkPermissions`)
    : { ok: false as const, problem: answer.message };
  if (!read.ok || read.value === undefined)
    return {
      heard: heard(
        deny(`${tool.name} could not tell whether it may run, so the call was refused.`),
        read.ok ? 'it gave no answer' : read.problem,
      ),
    };
  const { updatedInput, opinion } = read.value as {
    // as permissionResult makes it
    readonly updatedInput?: AnyObject;
    readonly opinion?: Opinion;
  };
  const changed = updatedInput && withoutBackfill(call, updatedInput);
  const replaces = changed && { updatedInput: changed };
  if (!opinion) return { heard: [], ...replaces };
  const isOverreach = opinion.behavior === 'allow' && !run.parts.registry.isTrusted(tool);
  return { heard: heard(isOverreach ? allow(opinion.reason, []) : opinion), ...replaces };
}

/** An opinion or `passthrough`, either with an `updatedInput`. */
const permissionResult: AnswerSpec = (value, where) => {
  const { updatedInput, ...rest } = Object(value) as { readonly updatedInput?: unknown }; // only read
  const given = updatedInput === undefined ? {} : { updatedInput: object(updatedInput, where) };
  if ('behavior' in rest && rest.behavior === 'passthrough') {
    record({ behavior: anything }, ['behavior'])(rest, where);
    return given;
  }
  return { ...given, opinion: opinionSpec(rest, where) };
};

/** Pools what was heard and lets the resolvers settle what they may. Asks no one. */
export async function decide(
  call: StartedCall,
  heard: readonly Heard[],
  run: Run,
  before: readonly TrailEntry[] = [],
): Promise<Decided> {
  const lifted = liftRuleAsks(call, heard, run.parts.hookAllow);
  const filled = liftFilledAsks(call, lifted.counted);
  const trail: TrailEntry[] = [
    ...before,
    ...heard.flatMap(entriesOf),
    ...lifted.trail,
    ...filled.trail,
  ];
  const verdict = strictest(
    filled.counted.map(({ opinion }) => opinion),
    call.effects.units,
  );
  if (verdict.behavior === 'allow' || verdict.behavior === 'deny')
    return {
      verdict,
      decision: { behavior: verdict.behavior, reason: verdict.reason, trail },
      by: 'opinions',
    };

  const open =
    verdict.behavior === 'ask'
      ? { ...verdict }
      : { behavior: verdict.behavior, reason: 'No rule allows this call.' };
  const uncovered = call.effects.units.filter(
    (unit) => !heard.some(({ opinion }) => coversUnit(opinion, unit)),
  );
  if (verdict.behavior === 'undecided' && call.effects.units.length > 1)
    trail.push(...uncovered.map(openEntry));
  const { answer, by, late } = await resolveOpen(call, { verdict, open, uncovered }, run, trail);
  if (!answer)
    return {
      verdict,
      decision: { behavior: 'ask', reason: open.reason, trail },
      by: 'opinions',
      ...(late && { late }),
    };
  const last = answer.ok ? answer.value : deny(resolverFailed);
  return { verdict: last, decision: { behavior: last.behavior, reason: last.reason, trail }, by };
}

/** Of a call that was done before only denies count. */
export function decideReplay(heard: readonly Heard[]): Decision {
  const opinion = heard.map((one) => one.opinion).find(({ behavior }) => behavior === 'deny');
  const { behavior, reason } = opinion ?? allow('This very call ran before.');
  return { behavior, reason, trail: heard.flatMap(entriesOf) };
}

const openEntry = (unit: PermissionUnit): TrailEntry => ({
  step: 'opinion',
  from: 'core',
  plugin: 'toolgate',
  behavior: 'none',
  reason: 'Nothing allows this part.',
  unit,
});

const resolverFailed = 'The permission mode could not be applied, so the call was refused.';

function entriesOf({ opinion, from, plugin, failure }: Heard): readonly TrailEntry[] {
  const { behavior, rule, unit, considered = [] } = opinion;
  const entry: TrailEntry = {
    step: 'opinion',
    from,
    plugin,
    behavior: failure === undefined ? behavior : 'failed',
    reason: failure ?? opinion.reason,
    ...(opinion.behavior === 'ask' && { strength: opinion.strength }),
    ...(rule && { rule }),
    ...(unit && { unit }),
  };
  return [entry, ...considered.flatMap((other) => entriesOf({ opinion: other, from, plugin }))];
}
