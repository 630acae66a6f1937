import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { resolvePath } from '@toolgate/core';
import type { SettingsFile } from './reading.ts';

/** The folders that settings files are looked for in; all absolute. */
export interface Folders {
  readonly cwd: string;
  readonly home: string;
  readonly projectRoot: string;
  readonly settingsFiles: readonly string[];
}

/** The settings files that may exist, weakest first. In the home folder the project's file is the user's. */
export async function findFiles(folders: Folders): Promise<readonly SettingsFile[]> {
  const { cwd, home, projectRoot, settingsFiles } = folders;
  const userRoot = join(home, '.claude');
  const user = join(userRoot, 'settings.json');
  const project = join(cwd, '.claude', 'settings.json');
  const gitRoot = await findGitRoot(cwd);
  const localFolder = gitRoot === undefined || gitRoot === home ? cwd : gitRoot;
  const local = join(localFolder, '.claude', 'settings.local.json');
  return [
    { source: 'userSettings', file: user, root: userRoot },
    ...(project === user
      ? []
      : [{ source: 'projectSettings', file: project, root: projectRoot } as const]),
    { source: 'localSettings', file: local, root: cwd },
    ...settingsFiles.map((given) => {
      const file = resolvePath(given, cwd, home);
      return { source: 'flagSettings', file, root: dirname(file) } as const;
    }),
  ];
}

/** The nearest folder at or above `folder` with a `.git`, be it a folder or a worktree's file. */
async function findGitRoot(folder: string): Promise<string | undefined> {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const found = await stat(join(at, '.git')).catch(() => undefined);
    if (found) return at;
    if (dirname(at) === at) return undefined;
  }
}
