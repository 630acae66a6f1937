import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { resolvePath, type LintFinding } from '@toolgate/core';
import { lintHooks } from '@toolgate/hooks';
import { documentedTools, lintRules } from '@toolgate/permissions';
import {
  findFiles,
  managedFolderOf,
  openSettings,
  type OpenedSettings,
  type SettingsFile,
} from '@toolgate/settings';
import { UsageError } from './usage-error.ts';

/** The files to look at: those that are named, or all that would count in the folder. */
export function filesToLint(names: readonly string[], cwd: string): readonly SettingsFile[] {
  const home = homedir();
  const folder = resolve(cwd);
  if (names.length > 0)
    return [...new Set(names.map((name) => resolvePath(name, folder, home)))].map((file) =>
      placeOf(file, home),
    );
  const managedFolder = managedFolderOf(process.platform);
  const all = findFiles({
    cwd: folder,
    home,
    projectRoot: folder,
    settingsFiles: [],
    managedFolder,
  });
  return all.filter(({ file }) => existsSync(file));
}

/** Where a file stands says what it is. */
function placeOf(file: string, home: string): SettingsFile {
  const folder = dirname(file);
  const project = dirname(folder);
  if (basename(folder) === '.claude' && basename(file) === 'settings.json')
    return folder === join(home, '.claude')
      ? { source: 'userSettings', file, root: folder }
      : { source: 'projectSettings', file, root: project };
  if (basename(folder) === '.claude' && basename(file) === 'settings.local.json')
    return { source: 'localSettings', file, root: project };
  return /^managed-settings(?:\.json|\.d)$/.test(basename(file)) ||
    basename(folder) === 'managed-settings.d'
    ? { source: 'policySettings', file, root: folder }
    : { source: 'flagSettings', file, root: folder };
}

export interface Linted {
  readonly opened: readonly OpenedSettings[];
  readonly findings: readonly LintFinding[];
}

/**
 * Looks at files together, as they count together. Findings come file by file, from top to bottom.
 *
 * @throws UsageError for a file that cannot be read.
 */
export function lintFiles(places: readonly SettingsFile[]): Linted {
  const opened = places.map((place) => {
    const settings = openSettings(place);
    if (typeof settings === 'string')
      throw new UsageError(`settings file ${place.file}: ${settings}`);
    return settings;
  });
  const all = [
    ...opened.flatMap(({ findings }) => findings),
    ...lintRules(opened.flatMap(({ rules }) => rules)),
    ...opened.flatMap(({ values }) => lintHooks(values, { tools: [...documentedTools] })),
  ];
  return { opened, findings: opened.flatMap((settings) => ofFile(settings, all)) };
}

/** The findings of one file with their lines, each thing once. */
function ofFile(settings: OpenedSettings, all: readonly LintFinding[]): readonly LintFinding[] {
  const found = new Map<string, LintFinding>();
  const isBroken = settings.findings.some(({ code }) => code === 'settings-syntax');
  for (const finding of all) {
    if (finding.file !== settings.file) continue;
    const pointer = finding.pointer ?? '';
    const key = `${finding.code}\n${pointer}\n${isShared(finding.code) ? '' : finding.message}`;
    const line = finding.line ?? settings.lineOf(pointer);
    // What two packages report of one place: the one that can mend it.
    const { message } = finding.fix;
    // A broken file is not written to.
    const fix = isBroken ? { message } : finding.fix;
    if (!found.has(key) || fix.edit) found.set(key, { ...finding, fix, pointer, line });
  }
  return [...found.values()].toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
}

const isShared = (code: string): boolean => code === 'hook-event-unknown';
