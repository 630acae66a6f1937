import { left, type StartedCall, type Step } from './call.ts';
import { createContext } from './create-context.ts';
import { floors } from './floors.ts';
import type { TapAnswer } from './hooks/guard.ts';
import {
  allow,
  deny,
  strictest,
  type Decision,
  type Heard,
  type Opinion,
  type TrailEntry,
  type Verdict,
} from './opinion.ts';
import { askTool } from './registry.ts';
import type { Run } from './run.ts';
import { replaceInput } from './stages/3-start.ts';
import type { PermissionResult } from './tool.ts';

/** What stage 4 knows once nobody but a person or hook could add to it. */
export interface Decided {
  readonly verdict: Verdict;
  readonly decision: Decision;
}

/** Asks every source that can decide from what is known. The tool may replace its input first, once. */
export async function collectOpinions(
  call: StartedCall,
  run: Run,
  { isFinal = false }: { readonly isFinal?: boolean } = {},
): Promise<Step<{ readonly call: StartedCall; readonly heard: readonly Heard[] }>> {
  const tool = await askOwnTool(call, run);
  if (tool.updatedInput && !isFinal) {
    const renewed = await replaceInput(call, tool.updatedInput, 'checkPermissions', run);
    return left(renewed) ? renewed : collectOpinions(renewed, run, { isFinal: true });
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

/** The tool's own view. Only a trusted tool can allow, and then only its read-only units or its own action. */
async function askOwnTool(
  call: StartedCall,
  run: Run,
): Promise<{ readonly heard: readonly Heard[]; readonly updatedInput?: StartedCall['input'] }> {
  const who = { from: 'checkPermissions', plugin: call.tool.name };
  const answer = await askTool<PermissionResult>(
    () => call.tool.checkPermissions(call.input, createContext(call, run, new AbortController())),
    30_000,
    run,
  );
  if (!answer.ok)
    return {
      heard: [
        {
          ...who,
          opinion: deny(
            `${call.tool.name} could not check whether it may run, so the call was refused.`,
          ),
          failure: answer.message,
        },
      ],
    };
  const { updatedInput, ...opinion } = answer.value ?? {};
  const replaces = updatedInput && { updatedInput };
  if (opinion.behavior === 'passthrough') return { heard: [], ...replaces };
  if (opinion.behavior === 'allow' && !run.parts.registry.isTrusted(call.tool))
    return { heard: [{ ...who, opinion: allow(opinion.reason, []) }], ...replaces };
  if (opinion.behavior === 'allow' || opinion.behavior === 'deny')
    return { heard: [{ ...who, opinion }], ...replaces };
  if (opinion.behavior === 'ask')
    return {
      heard: [{ ...who, opinion: { ...opinion, strength: opinion.strength ?? 'ask' } }],
      ...replaces,
    };
  return {
    heard: [
      {
        ...who,
        opinion: deny(
          `${call.tool.name} gave no clear answer whether it may run, so the call was refused.`,
        ),
      },
    ],
  };
}

/** Pools what was heard and lets the resolvers settle what they may. Asks no one. */
export async function decide(
  call: StartedCall,
  heard: readonly Heard[],
  run: Run,
  before: readonly TrailEntry[] = [],
): Promise<Decided> {
  const trail: TrailEntry[] = [...before, ...heard.flatMap(entriesOf)];
  const verdict = strictest(
    heard.map(({ opinion }) => opinion),
    call.effects.units,
  );
  if (verdict.behavior === 'allow' || verdict.behavior === 'deny')
    return { verdict, decision: { behavior: verdict.behavior, reason: verdict.reason, trail } };

  const open =
    verdict.behavior === 'ask'
      ? { ...verdict }
      : { behavior: verdict.behavior, reason: 'No rule allows this call.' };
  const uncovered = strictest(
    heard.map(({ opinion }) => opinion).filter(({ behavior }) => behavior === 'allow'),
    call.effects.units,
  );
  const resolved = await run.parts.hooks.resolve.first(
    {
      call,
      verdict: open,
      uncovered: uncovered.behavior === 'undecided' ? uncovered.uncovered : [],
    },
    run,
    (answer, tap) => {
      const taken = settles(answer, tap.slot, verdict);
      trail.push({
        step: 'resolve',
        from: answer.tap,
        plugin: answer.plugin,
        behavior: answer.ok ? (taken ? answer.value.behavior : 'dropped') : 'failed',
        reason: answer.ok ? answer.value.reason : answer.message,
      });
      if (!taken && answer.ok)
        run.parts.report({
          code: 'answer-dropped',
          severity: 'warning',
          message: `${answer.tap} of ${answer.plugin} may not settle this: its ${answer.value.behavior} was dropped.`,
        });
      return taken;
    },
  );
  if (!resolved) return { verdict, decision: { behavior: 'ask', reason: open.reason, trail } };
  if (!resolved.ok)
    return {
      verdict: deny(resolverFailed),
      decision: { behavior: 'deny', reason: resolverFailed, trail },
    };
  return {
    verdict: resolved.value,
    decision: { behavior: resolved.value.behavior, reason: resolved.value.reason, trail },
  };
}

const resolverFailed = 'The permission mode could not be applied, so the call was refused.';

/** A mode may allow what is undecided or softly asked, the classifier only what is undecided; both may deny. */
function settles(answer: TapAnswer<Opinion>, slot: string | undefined, verdict: Verdict): boolean {
  if (!answer.ok) return slot !== 'classifier';
  if (answer.value.behavior !== 'allow') return answer.value.behavior === 'deny';
  return (
    verdict.behavior === 'undecided' ||
    (slot === 'mode' && verdict.behavior === 'ask' && verdict.strength === 'soft')
  );
}

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
