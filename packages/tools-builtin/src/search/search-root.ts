import { lstat } from 'node:fs/promises';
import { relative } from 'node:path';
import { isBelow, type ToolUseContext } from '@toolgate/core';
import {
  changedSinceApproval,
  fileError,
  judgedPath,
  refuseSystem,
  type JudgedPath,
} from '../files/judged-path.ts';

export interface SearchRoot extends JudgedPath {
  readonly isFolder: boolean;
}

/** The judged file or folder that a search starts at. */
export async function searchRoot(
  context: ToolUseContext,
  path: string | undefined,
): Promise<SearchRoot> {
  const judged = judgedPath(context, 'Read', path ?? '.');
  refuseSystem(judged);
  const stats = await lstat(judged.realPath).catch(() => undefined);
  if (!stats) throw fileError(`${judged.path} does not exist.`, 'the folder does not exist');
  if (stats.isSymbolicLink()) throw changedSinceApproval(judged.path);
  return { ...judged, isFolder: stats.isDirectory() };
}

/** How a found file is shown: from the working directory if it lies below it, else absolute. */
export function shownPath(cwd: string, path: string): string {
  return isBelow(path, cwd) && path !== cwd ? relative(cwd, path) : path;
}
