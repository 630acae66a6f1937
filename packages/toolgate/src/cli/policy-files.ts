import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import {
  emptySnapshot,
  resolvePath,
  type Diagnostic,
  type RuleEntry,
  type SettingsSnapshot,
} from '@toolgate/core';
import { ruleDiagnostics } from '@toolgate/permissions';
import { readSettings } from '@toolgate/settings';
import { describe, say } from './output.ts';
import { UsageError } from './usage-error.ts';

/** A folder that is nowhere, deep enough for `../..`, so that no other settings are found from it. */
const nowhere = `/toolgate-${'nowhere/'.repeat(20)}`.replace(/\/$/, '');

interface PolicyPlace {
  /** Where file names and directories are relative to. */
  readonly cwd: string;
  /** Anchors a project's own file at another folder than the one it stands in. */
  readonly projectRoot?: string | undefined;
  /** True when what is wrong with the files was said before. */
  readonly isQuiet?: boolean;
}

/**
 * Reads settings files as a policy of its own: these files and no others, trusted, so that a team's policy
 * means the same on every machine. A project's own file (`.claude/settings.json`) is anchored at its project.
 *
 * @throws UsageError for a file that is missing or cannot be read.
 */
export async function readPolicy(
  files: readonly string[],
  { cwd, projectRoot, isQuiet = false }: PolicyPlace,
): Promise<SettingsSnapshot> {
  const paths = files.map((file) => resolvePath(file, cwd, homedir()));
  for (const [index, path] of paths.entries())
    if (!(await stat(path).catch(() => undefined))?.isFile())
      throw new UsageError(`settings file ${files[index] ?? ''}: there is no such file`);
  if (paths.length === 0) return emptySnapshot;
  const source = await readSettings({
    cwd: nowhere,
    home: nowhere,
    settingsFiles: paths,
    trusted: true,
  });
  const { rules, mode, directories, ...rest } = source.current();
  source.close();
  const isProjects = paths.every((path) => projectOf(path) !== undefined);
  const found: SettingsSnapshot = {
    rules: rules
      .filter(({ file }) => file !== undefined && paths.includes(file))
      .map(anchored(projectRoot)),
    // A project's file cannot switch the asking off.
    mode: isProjects && (mode === 'bypassPermissions' || mode === 'auto') ? 'default' : mode,
    directories: directories.map((path) => fromNowhere(path, projectRoot ?? cwd)),
    ...rest,
  };
  if (!isQuiet)
    for (const diagnostic of [...found.diagnostics, ...ruleDiagnostics(found.rules)])
      tellOf(diagnostic);
  return found;
}

/** The settings file that a project's team shares. */
export const projectFile = (cwd: string): string => join(cwd, '.claude', 'settings.json');

const tellOf = (diagnostic: Diagnostic): void => {
  if (diagnostic.severity !== 'info') say(describe(diagnostic));
};

/** The project that a settings file belongs to by its place; undefined for one that stands anywhere. */
function projectOf(file: string): string | undefined {
  const folder = dirname(file);
  const isOne =
    /^settings(?:\.local)?\.json$/.test(basename(file)) && basename(folder) === '.claude';
  return isOne ? dirname(folder) : undefined;
}

const anchored =
  (projectRoot: string | undefined) =>
  (rule: RuleEntry): RuleEntry => {
    const project = rule.file === undefined ? undefined : projectOf(rule.file);
    if (project === undefined) return rule;
    const source =
      basename(rule.file ?? '') === 'settings.json' ? 'projectSettings' : 'localSettings';
    return { ...rule, source, root: projectRoot ?? project };
  };

/** A directory that was written from where the policy is applied. */
function fromNowhere(path: string, base: string): string {
  const top = nowhere.split('/', 2).join('/');
  return path === top || path.startsWith(`${top}/`) ? resolve(base, relative(nowhere, path)) : path;
}
