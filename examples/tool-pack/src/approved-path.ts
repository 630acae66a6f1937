import { resolvePath, type ToolUseContext } from '@toolgate/core';

/** The real path that was decided on for a path of the input: a tool opens this one and resolves nothing again. */
export function approvedPath(written: string, { cwd, home, effects }: ToolUseContext): string {
  const path = resolvePath(written, cwd, home);
  const unit = effects.units.find((one) => one.path === path);
  if (unit?.realPath === undefined) throw new Error(`${path} was not decided on.`);
  return unit.realPath;
}
