import {
  resolvePath,
  ToolgateError,
  unknownKey,
  type Diagnostic,
  type SettingsSnapshot,
  type SettingsSource,
} from '@toolgate/core';
import { resolve } from 'node:path';
import { z } from 'zod';
import { fileEntries, type FileEntries } from './file-entries.ts';
import { findFiles } from './find-files.ts';
import { holdBack } from './hold-back.ts';
import { loadFile } from './load-file.ts';
import type { SettingsFile } from './reading.ts';
import { settleMode } from './settle-mode.ts';

/** Which settings files are read, and whether those of the folder may loosen. */
export interface ReadSettingsOptions {
  /** The start folder; project and local files and relative paths are found from it. */
  readonly cwd: string;
  /** Its `.claude/settings.json` is the user's. */
  readonly home: string;
  /** What `/path` in a rule of the project's file is anchored at. Default: `cwd`. */
  readonly projectRoot?: string | undefined;
  /** The files of `--settings`, later ones stronger. Each must exist. */
  readonly settingsFiles?: readonly string[] | undefined;
  /** True when a person accepted this folder. Default false: its own files can then only tighten. */
  readonly trusted?: boolean | undefined;
}

const path = z.string().min(1);
const optionShape = {
  cwd: path,
  home: path,
  projectRoot: path.optional(),
  settingsFiles: z.array(path).optional(),
  trusted: z.boolean().optional(),
};
const optionsSchema = z.object(optionShape);

/**
 * Reads the user's, the project's, the local and the `--settings` files once; it does not watch them.
 * Whatever is wrong with a file becomes a diagnostic of the snapshot, never a throw.
 *
 * @throws ToolgateError `TG_OPTION_INVALID` for a wrong option, or a `--settings` file that cannot be read.
 */
export async function readSettings(options: ReadSettingsOptions): Promise<SettingsSource> {
  const { trusted = false, settingsFiles = [], projectRoot, ...rest } = checked(options);
  const cwd = resolve(rest.cwd);
  const home = resolve(rest.home);
  const root = projectRoot === undefined ? cwd : resolve(cwd, projectRoot);
  const places = await findFiles({ cwd, home, projectRoot: root, settingsFiles });
  const files: FileEntries[] = [];
  const unread: Diagnostic[] = [];
  for (const place of places) {
    const entries = await readOne(place, unread);
    if (entries) files.push(isHostile(place, trusted) ? holdBack(entries) : entries);
  }
  const { mode, switchedOff, diagnostics } = settleMode(files, trusted);
  const snapshot: SettingsSnapshot = deepFreeze({
    rules: files.flatMap(({ rules }) => rules),
    mode,
    ...(switchedOff.length > 0 && { switchedOff }),
    directories: [
      ...new Set(
        files.flatMap(({ directories }) =>
          directories.map(({ value }) => resolvePath(value, cwd, home)),
        ),
      ),
    ],
    values: files.flatMap(({ values }) => values),
    diagnostics: [...unread, ...files.flatMap((file) => file.diagnostics), ...diagnostics],
  });
  return { current: () => snapshot };
}

const isHostile = ({ source }: SettingsFile, trusted: boolean) =>
  !trusted && (source === 'projectSettings' || source === 'localSettings');

async function readOne(
  place: SettingsFile,
  unread: Diagnostic[],
): Promise<FileEntries | undefined> {
  const { file, source } = place;
  const isFlag = source === 'flagSettings';
  const loaded = await loadFile(file, isFlag);
  if (loaded.state === 'text') return fileEntries(place, loaded.text, loaded.cut);
  if (isFlag) {
    const why =
      loaded.state === 'missing' ? 'does not exist' : `cannot be read (${loaded.message})`;
    throw new ToolgateError('TG_OPTION_INVALID', `The settings file ${file} ${why}.`);
  }
  if (loaded.state === 'unreadable')
    unread.push({
      code: 'settings-unreadable',
      severity: 'error',
      message: `This settings file cannot be read: ${loaded.message}. Nothing of it counts.`,
      file,
    });
  return undefined;
}

function checked(options: ReadSettingsOptions): z.infer<typeof optionsSchema> {
  const parsed = optionsSchema.safeParse(options);
  const problem = parsed.success
    ? unknownKey(Object.keys(options), Object.keys(optionShape), 'readSettings')
    : parsed.error.issues.map(({ path: at, message }) => `${at.join('.')}: ${message}`).join('; ');
  if (parsed.success && !problem) return parsed.data;
  throw new ToolgateError('TG_OPTION_INVALID', `readSettings: ${problem ?? 'wrong options'}`);
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}
