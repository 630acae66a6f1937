import type { StartedCall } from './call.ts';
import type { Heard, Opinion, TrailEntry } from './opinion.ts';

/** What counts of what was heard once a trusted hook's yes has lifted the asks of rules, and the line that says so. */
export interface Lifted {
  readonly counted: readonly Heard[];
  readonly trail: readonly TrailEntry[];
}

/**
 * Leaves out the asks of rules where a source named in `hookAllow` allowed the call in stage 3. Denies,
 * failures, floors and whatever else asks stay (security rule 2).
 */
export function liftRuleAsks(
  call: StartedCall,
  heard: readonly Heard[],
  trusted: readonly string[],
): Lifted {
  const namesOf = ({ opinion, from }: Heard): readonly string[] =>
    opinion.behavior === 'allow' ? (opinion.origins ?? [from]) : [];
  const said = call.startOpinions
    .filter((one) => heard.includes(one))
    .flatMap(namesOf)
    .find((name) => trusted.includes(name));
  if (said === undefined) return { counted: heard, trail: [] };
  const counted = heard.filter((one) => one.failure !== undefined || !isRuleAsk(one.opinion));
  const entry: TrailEntry = {
    step: 'opinion',
    from: 'hookAllow',
    plugin: 'toolgate',
    behavior: 'allow',
    reason: `The allow of ${said} lifts the asks of rules.`,
  };
  return { counted, trail: [entry] };
}

const isRuleAsk = (opinion: Opinion): boolean =>
  opinion.behavior === 'ask' &&
  opinion.strength === 'ask' &&
  opinion.rule !== undefined &&
  (opinion.considered ?? []).every((other) => other.behavior !== 'ask' || isRuleAsk(other));
