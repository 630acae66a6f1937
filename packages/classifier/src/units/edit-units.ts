import type { EffectsFacts, PermissionUnit } from '@toolgate/core';
import type { VisitedRedirect } from '../bash/walked.ts';
import { unitsForPath } from './paths.ts';

/** The file that an output redirect writes; an open unit, which no rule can allow, where it is not certain. */
export function editUnits(
  { redirect, target, state }: VisitedRedirect,
  facts: EffectsFacts,
  /** The text itself may have put a link in its way. */
  afterLinks = false,
): readonly PermissionUnit[] {
  const folders = state.folders ?? [facts.cwd, '/'];
  const path = target?.kind === 'literal' ? target.texts[0] : undefined;
  const certain =
    path !== undefined &&
    path !== '' &&
    !afterLinks &&
    !redirect.named &&
    !target?.source.startsWith('~') &&
    !/[*?[\]]/.test(path) &&
    // A relative target after a `cd` lies where nobody has looked.
    (path.startsWith('/') || (folders.length === 1 && folders[0] === facts.cwd)) &&
    // A network path is no file.
    !/^\/dev\/(?:tcp|udp)\//.test(path);
  if (path !== undefined && path !== '' && folders.length > 0) {
    const units = folders.flatMap((folder) => unitsForPath('Edit', path, folder, !certain, facts));
    return certain ? units : [...units.map(folderUnit(facts)), ...units];
  }
  return folders.map((folder) => facts.pathUnit('Edit', folder, { open: true }));
}

/** An uncertain target is listed by its path for denies, and by its folder, open, so that it asks. */
const folderUnit =
  (facts: EffectsFacts) =>
  (unit: PermissionUnit): PermissionUnit =>
    facts.pathUnit('Edit', `${unit.path ?? '/'}/..`, { open: true });
