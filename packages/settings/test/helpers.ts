import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { readSettings, type LiveSettings, type ReadSettingsOptions } from '../src/index.ts';

/** A home, a project with a repository, and a folder of the organisation, removed after the test. */
export async function places() {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'toolgate-settings-')));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  const cwd = join(base, 'project');
  const home = join(base, 'home');
  const managedFolder = join(base, 'managed');
  await mkdir(join(cwd, '.git'), { recursive: true });
  await mkdir(home);
  return {
    base,
    cwd,
    home,
    managedFolder,
    user: join(home, '.claude/settings.json'),
    project: join(cwd, '.claude/settings.json'),
    local: join(cwd, '.claude/settings.local.json'),
    managed: join(managedFolder, 'managed-settings.json'),
    open: async (options: Partial<ReadSettingsOptions> = {}): Promise<LiveSettings> => {
      const live = await readSettings({ cwd, home, managedFolder, ...options });
      onTestFinished(() => live.close());
      return live;
    },
  };
}

export async function put(file: string, content: unknown): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
}

/** `deny Read(.env)` … */
export const texts = (
  rules: readonly { readonly behavior: string; readonly text: string }[],
): readonly string[] => rules.map(({ behavior, text }) => `${behavior} ${text}`);
