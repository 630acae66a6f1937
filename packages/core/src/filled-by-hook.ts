import type { StartedCall } from './call.ts';
import type { Lifted } from './hook-allow.ts';
import { sameJson } from './json.ts';
import type { Heard, Opinion, TrailEntry } from './opinion.ts';
import type { AnyObject } from './tool.ts';

/** The fields that `input` holds and `before` does not, or not so. */
export const filledFields = (before: AnyObject, input: AnyObject): readonly string[] =>
  Object.keys(input).filter(
    (key) => !Object.hasOwn(before, key) || !sameJson(before[key], input[key]),
  );

/** True when a hook that changes these fields answers what the ask is about. */
export const fills = (opinion: Opinion, fields: readonly string[] = []): boolean =>
  opinion.behavior === 'ask' && opinion.fillable !== undefined && fields.includes(opinion.fillable);

/** Leaves out the asks that a hook settled by filling in what they are about (security rule 3). All others stay. */
export function liftFilledAsks({ filledByHook }: StartedCall, heard: readonly Heard[]): Lifted {
  const counted = heard.filter(
    ({ opinion, failure }) => failure !== undefined || !fills(opinion, filledByHook),
  );
  if (counted.length === heard.length) return { counted, trail: [] };
  const entry: TrailEntry = {
    step: 'opinion',
    from: 'filledByHook',
    plugin: 'toolgate',
    behavior: 'allow',
    reason: 'A hook answered what the tool asks.',
  };
  return { counted, trail: [entry] };
}
