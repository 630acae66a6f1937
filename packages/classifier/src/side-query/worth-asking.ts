import { isBelow, type StartedCall, type ValidCall } from '@toolgate/core';

/** The settings a call is decided by. */
export type Settings = StartedCall['settings'];

/** False for a call that only reads, that a person alone may allow, or that the mode settles by itself. */
export function isWorthAsking(
  call: ValidCall & Partial<Pick<StartedCall, 'directories'>>,
  { mode }: Settings,
): boolean {
  const { effects, checkAsks } = call;
  if (effects.readOnly || checkAsks.length > 0) return false;
  if (effects.warnings.some(({ asks }) => asks !== undefined)) return false;
  if (mode !== 'default' && mode !== 'acceptEdits' && mode !== 'auto') return false;
  return mode === 'default' || !editsInside(call);
}

/** Edits in the working directories are the mode's own matter. */
function editsInside({
  effects,
  directories = [],
}: ValidCall & Partial<Pick<StartedCall, 'directories'>>): boolean {
  const isInside = (path: string | undefined) =>
    path !== undefined && directories.some((folder) => isBelow(path, folder));
  return effects.units.every(
    ({ tool, path, realPath = path, open }) =>
      tool === 'Edit' && open !== true && isInside(path) && isInside(realPath),
  );
}
