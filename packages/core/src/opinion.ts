import type { PermissionUnit } from './effects.ts';
import type { RuleEntry } from './settings-snapshot.ts';

/** How much it takes to settle an ask: `soft` by mode bypass, `ask` by a hook or person, `person` by a person alone. */
export type Strength = 'soft' | 'ask' | 'person';
/** What can be said of a call. */
export type Behavior = 'allow' | 'ask' | 'deny';

interface OpinionFacts {
  /** One sentence for people and, on a denial, for the model. It names no rule, file or line. */
  readonly reason: string;
  /** The rule that decided; shown to people and in the trail, never to the model. */
  readonly rule?: RuleEntry;
  /** The part of the call the opinion is about. */
  readonly unit?: PermissionUnit;
  /** More that was looked at on the way; goes into the trail. */
  readonly considered?: readonly Opinion[];
}

/** A yes to the units it covers; it lifts no ask and no deny. */
export interface AllowOpinion extends OpinionFacts {
  readonly behavior: 'allow';
  /** The units covered; `own` (default) is the called tool's own action, `all` every unit. */
  readonly covers?: 'own' | 'all' | readonly PermissionUnit[];
  /** Of a tap that speaks for several: the names or files of those who said yes. `hookAllow` knows them by these. */
  readonly origins?: readonly string[];
}
/** Somebody must confirm; `strength` says who may. */
export interface AskOpinion extends OpinionFacts {
  readonly behavior: 'ask';
  readonly strength: Strength;
  /**
   * The field of the input that this ask is about: a hook that allows the call and fills it in with
   * `updatedInput` has settled this ask, whatever its strength. Default: none.
   */
  readonly fillable?: string;
}
/** A no that nothing lifts. */
export interface DenyOpinion extends OpinionFacts {
  readonly behavior: 'deny';
}
/** What one source says about a call. `undefined` in its place means it has no opinion. */
export type Opinion = AllowOpinion | AskOpinion | DenyOpinion;

/** Says yes, by default to the tool's own action only. */
export const allow = (
  reason = 'Allowed.',
  covers: AllowOpinion['covers'] = 'own',
): AllowOpinion => ({
  behavior: 'allow',
  reason,
  covers,
});
/** Says that somebody must confirm. */
export const ask = (reason: string, strength: Strength = 'ask'): AskOpinion => ({
  behavior: 'ask',
  strength,
  reason,
});
/** Says no; nothing can lift it. `reason` reaches the model. */
export const deny = (reason: string): DenyOpinion => ({ behavior: 'deny', reason });

const strengths = { soft: 0, ask: 1, person: 2 } as const;

/** What the pooled opinions come to, and the one that decided. `undecided`: some unit is not covered. */
export type Verdict =
  | Opinion
  | { readonly behavior: 'undecided'; readonly uncovered: readonly PermissionUnit[] };

/**
 * Pools opinions: deny beats ask beats allow, whatever the order or the source. Of several asks the
 * strongest counts. An allow counts when every unit is covered by some allow.
 */
export function strictest(opinions: readonly Opinion[], units: readonly PermissionUnit[]): Verdict {
  let strongest: AskOpinion | undefined;
  let firstAllow: AllowOpinion | undefined;
  for (const opinion of opinions) {
    if (opinion.behavior === 'deny') return opinion;
    if (opinion.behavior === 'allow') firstAllow ??= opinion;
    else if (!strongest || strengths[opinion.strength] > strengths[strongest.strength])
      strongest = opinion;
  }
  if (strongest) return strongest;
  const uncovered = units.filter((unit) => !opinions.some((opinion) => coversUnit(opinion, unit)));
  if (firstAllow && units.length > 0 && uncovered.length === 0) return firstAllow;
  return { behavior: 'undecided', uncovered };
}

/** True when the opinion is an allow that covers the unit. */
export function coversUnit(opinion: Opinion, unit: PermissionUnit): boolean {
  if (opinion.behavior !== 'allow') return false;
  const covers = opinion.covers ?? 'own';
  if (covers === 'all') return true;
  return covers === 'own' ? unit.own === true : covers.includes(unit);
}

/** An opinion with who said it; set by the guard, not by the source itself. */
export interface Heard {
  readonly opinion: Opinion;
  readonly from: string;
  readonly plugin: string;
  /** Set when the source failed and the opinion is what its failure means. */
  readonly failure?: string;
}

/** One line of the record of how a decision came about, in the order things were consulted. */
export interface TrailEntry {
  readonly step: 'opinion' | 'resolve' | 'prompt';
  /** The tap, and the plugin that brought it. `toolgate` is core itself. */
  readonly from: string;
  readonly plugin: string;
  readonly behavior: Behavior | 'none' | 'failed' | 'dropped';
  readonly strength?: Strength;
  readonly reason?: string;
  readonly rule?: RuleEntry;
  readonly unit?: PermissionUnit;
}

/** The end of stage 4. `ask` appears only in `explain`, which asks no one. */
export interface Decision {
  readonly behavior: Behavior;
  readonly reason: string;
  readonly trail: readonly TrailEntry[];
}
