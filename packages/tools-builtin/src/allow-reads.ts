import type { PermissionResult, ToolUseContext } from '@toolgate/core';

/**
 * The `checkPermissions` of every built-in tool that can only read: allows the units that read inside
 * the working directories or from this session's own result store, and those that name no file.
 * It has no opinion about the others.
 */
export function allowReads(_input: unknown, context: ToolUseContext): PermissionResult {
  const covers = context.effects.units.filter(
    ({ readOnly, path }) =>
      readOnly && (path === undefined || context.isInside(path) || context.ownsResult(path)),
  );
  if (covers.length === 0) return { behavior: 'passthrough' };
  return { behavior: 'allow', reason: 'It only reads inside the working directories.', covers };
}
