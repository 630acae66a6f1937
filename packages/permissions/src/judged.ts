import type { PermissionUnit, StartedCall } from '@toolgate/core';
import { canonicalName } from './legacy-names.ts';
import type { PathPlaces } from './path-index.ts';

/** The parts of a call that rules are compared with. */
export type JudgedCall = Pick<StartedCall, 'tool' | 'input' | 'effects' | 'cwd'> &
  Partial<Pick<StartedCall, 'toolUse' | 'directories'>>;

/** One unit of a call, with what its judging needs. */
export interface Judged {
  readonly unit: PermissionUnit;
  readonly call: JudgedCall;
  /** {@link boundNames} of the call. */
  readonly names: readonly string[];
  readonly places: PathPlaces;
}

/** Every name a deny or ask may use for the called tool. */
export function boundNames({ tool, toolUse }: Pick<JudgedCall, 'tool' | 'toolUse'>) {
  const names = [tool.name, ...tool.aliases, ...tool.deprecatedAliases];
  if (toolUse) names.push(toolUse.name);
  return withCanonical(names);
}

const withCanonical = (names: readonly string[]): readonly string[] => [
  ...new Set(names.flatMap((name) => [name, canonicalName(name)])),
];

/** `p` and `./p` begin at the call's folder; for deny and ask also at the start folder, so that a `cd` lifts none. */
export function placesOf(
  call: Pick<JudgedCall, 'cwd' | 'directories'>,
  { home, realPath }: Pick<PathPlaces, 'home' | 'realPath'>,
): { readonly narrow: PathPlaces; readonly wide: PathPlaces } {
  const start = call.directories?.[0] ?? call.cwd;
  const narrow: PathPlaces = { home, start, cwds: [call.cwd], realPath };
  return start === call.cwd
    ? { narrow, wide: narrow }
    : { narrow, wide: { ...narrow, cwds: [call.cwd, start] } };
}
