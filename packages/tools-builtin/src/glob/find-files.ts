import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ToolUseContext } from '@toolgate/core';
import { openFolder } from '../files/opened-folder.ts';
import { Confirmer } from '../search/confirm.ts';
import { Newest, type Dated } from '../search/newest.ts';
import { fileArgs, namesIgnored, relativeOf } from '../search/ripgrep-args.ts';
import { runRipgrep } from '../search/run-ripgrep.ts';
import type { SearchRoot } from '../search/search-root.ts';
import { foldersToSkip, walk } from '../search/walk.ts';

export interface GlobTask {
  readonly root: SearchRoot;
  readonly context: ToolUseContext;
  readonly pattern: string;
  readonly matches: (relative: string) => boolean;
  /** Most files to find; the newest. */
  readonly most: number;
  /** Hears of each match. */
  readonly found: () => void;
}

export interface FoundFiles {
  /** Absolute, newest first. */
  readonly newest: readonly string[];
  readonly count: number;
  readonly denied: number;
}

/** Finds files in JavaScript. */
export async function globByWalk(task: GlobTask): Promise<FoundFiles> {
  const { root, context, pattern, matches, found } = task;
  const newest = new Newest(task.most);
  const { signal } = context;
  const skip = foldersToSkip(pattern);
  const ignored = namesIgnored(pattern, skip);
  let denied = 0;
  for await (const file of walk({ ...root, shown: root.path, signal, skip, ignored })) {
    if (!matches(file.relative)) continue;
    const path = join(root.path, file.relative);
    if (context.deniesRead(path)) {
      denied += 1;
      continue;
    }
    const stats = await lstat(file.folder.at(file.name)).catch(() => undefined);
    if (!stats) continue;
    newest.add({ path, modifiedMs: stats.mtimeMs });
    found();
  }
  return { newest: newest.list().map(({ path }) => path), count: newest.count, denied };
}

/** Finds files by ripgrep, which sorts them; those that are shown are looked at once more in their opened folder. */
export async function globByRipgrep(
  task: GlobTask & { readonly program: string },
): Promise<FoundFiles> {
  const { root, context, pattern, matches, program, most, found } = task;
  const folder = await openFolder(root.realPath, root.path);
  const confirmer = new Confirmer(root);
  const newest: Dated[] = [];
  let [count, denied] = [0, 0];
  try {
    const skip = foldersToSkip(pattern);
    const files = fileArgs({ skip, ignored: namesIgnored(pattern, skip) });
    for await (const record of runRipgrep({
      path: program,
      args: ['--files', '--null', '--sortr=modified', ...files, './'],
      folder: { fd: folder.handle.fd, realPath: root.realPath },
      separator: 0,
      signal: context.signal,
    })) {
      const relative = relativeOf(record);
      if (!matches(relative)) continue;
      const path = join(root.path, relative);
      if (context.deniesRead(path)) {
        denied += 1;
        continue;
      }
      if (newest.length < most) {
        const stats = await confirmer.statsOf(relative);
        if (!stats) continue;
        newest.push({ path, modifiedMs: stats.mtimeMs });
      }
      count += 1;
      found();
    }
  } finally {
    await folder.handle.close();
    await confirmer.close();
  }
  newest.sort((a, b) => b.modifiedMs - a.modifiedMs || (a.path < b.path ? -1 : 1));
  return { newest: newest.map(({ path }) => path), count, denied };
}
