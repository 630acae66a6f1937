import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { resolvePath } from '@toolgate/core';
import type { SettingsFile } from './reading.ts';

/** The folders that settings files are looked for in; all absolute. */
export interface Folders {
  readonly cwd: string;
  readonly home: string;
  readonly projectRoot: string;
  readonly settingsFiles: readonly string[];
  /** Holds `managed-settings.json` and `managed-settings.d/*.json` of the organisation. */
  readonly managedFolder?: string | undefined;
}

/** The settings files that may exist, weakest first. In the home folder the project's file is the user's. */
export function findFiles(folders: Folders): readonly SettingsFile[] {
  const { cwd, home, projectRoot, settingsFiles, managedFolder } = folders;
  const userRoot = join(home, '.claude');
  const user = join(userRoot, 'settings.json');
  const project = join(cwd, '.claude', 'settings.json');
  const gitRoot = findGitRoot(cwd);
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
    ...(managedFolder === undefined ? [] : managedFiles(managedFolder)),
  ];
}

/** The organisation's file, then its drop-ins by name. */
function managedFiles(folder: string): readonly SettingsFile[] {
  const dropIns = join(folder, 'managed-settings.d');
  let names: readonly string[] = [];
  try {
    names = readdirSync(dropIns).filter((name) => name.endsWith('.json') && !name.startsWith('.'));
  } catch {
    // there are none
  }
  return [
    join(folder, 'managed-settings.json'),
    ...names.toSorted().map((name) => join(dropIns, name)),
  ].map((file) => ({ source: 'policySettings', file, root: folder }));
}

/** Where organisations put their settings on this system. */
export const managedFolderOf = (platform: NodeJS.Platform): string =>
  platform === 'darwin'
    ? '/Library/Application Support/ClaudeCode'
    : platform === 'win32'
      ? 'C:\\Program Files\\ClaudeCode'
      : '/etc/claude-code';

/** The nearest folder at or above `folder` with a `.git`, be it a folder or a worktree's file. */
function findGitRoot(folder: string): string | undefined {
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
    if (dirname(at) === at) return undefined;
  }
}
