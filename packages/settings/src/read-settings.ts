import { ToolgateError, unknownKey, type Diagnostic } from '@toolgate/core';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { compose } from './compose.ts';
import { fileEntries, type FileEntries } from './file-entries.ts';
import { findFiles } from './find-files.ts';
import { holdBack } from './hold-back.ts';
import { liveSettings, type LiveSettings } from './live-settings.ts';
import { loadFile } from './load-file.ts';
import { lockedPolicy } from './locked-policy.ts';
import { closed, fetchPolicy, readEndpoint } from './policy-endpoint.ts';
import type { SettingsFile } from './reading.ts';
import { saveUpdate } from './save/save-update.ts';
import { isTrusted } from './trust.ts';

/** Which settings files are read, and whether those of the folder may loosen. */
export interface ReadSettingsOptions {
  /** The start folder; project and local files and relative paths are found from it. */
  readonly cwd: string;
  /** Its `.claude/settings.json` is the user's; in `.toolgate` trust is recorded and a fetched policy kept. */
  readonly home: string;
  /** What `/path` in a rule of the project's file is anchored at. Default: `cwd`. */
  readonly projectRoot?: string | undefined;
  /** The files of `--settings`, later ones stronger. Each must exist. */
  readonly settingsFiles?: readonly string[] | undefined;
  /** Where the organisation's `managed-settings.json` and `managed-settings.d` are. Default: nowhere. */
  readonly managedFolder?: string | undefined;
  /** Certificate authorities for the organisation's endpoint in place of the system's, in PEM form. */
  readonly ca?: string | undefined;
  /** True when a person accepted this folder. Default: whether trust in it is recorded. Without it its own files can only tighten. */
  readonly trusted?: boolean | undefined;
  /** Hears of changes of the files between calls, too. Default false: they are looked at before each answer alone. */
  readonly watch?: boolean | undefined;
}

const path = z.string().min(1);
const optionShape = {
  cwd: path,
  home: path,
  projectRoot: path.optional(),
  settingsFiles: z.array(path).optional(),
  managedFolder: path.optional(),
  ca: z.string().optional(),
  trusted: z.boolean().optional(),
  watch: z.boolean().optional(),
};
const optionsSchema = z.object(optionShape);

/**
 * Reads the organisation's, the user's, the project's, the local and the `--settings` files, and follows them:
 * a file that changes tightens at once, and what it would loosen waits. Whatever is wrong with a file becomes a
 * diagnostic of the snapshot, never a throw; of one that becomes invalid the last good version counts.
 *
 * @throws ToolgateError `TG_OPTION_INVALID` for a wrong option, or a `--settings` file that cannot be read.
 */
export async function readSettings(options: ReadSettingsOptions): Promise<LiveSettings> {
  const {
    settingsFiles = [],
    projectRoot,
    managedFolder,
    watch = false,
    ...rest
  } = checked(options);
  const cwd = resolve(rest.cwd);
  const home = resolve(rest.home);
  const trusted = rest.trusted ?? isTrusted(home, cwd);
  const root = projectRoot === undefined ? cwd : resolve(cwd, projectRoot);
  const find = () => findFiles({ cwd, home, projectRoot: root, settingsFiles, managedFolder });
  const once = new Map<string, FileEntries>();
  for (const place of find())
    if (place.source === 'flagSettings') once.set(place.file, readGiven(place));
  const good = new Map<string, FileEntries>();
  const own = (unread: Diagnostic[]) =>
    find().flatMap((place) => {
      const entries = readOne(place, { good, once, unread });
      return entries ? [isHostile(place, trusted) ? holdBack(entries) : entries] : [];
    });
  const remote = await remotePolicy(own([]), join(home, '.toolgate', 'policy'), rest.ca);
  return liveSettings(
    {
      read() {
        const unread: Diagnostic[] = [];
        return compose([...own(unread), ...remote], { cwd, home, trusted, more: unread });
      },
      files: () => find().map(({ file }) => file),
      save: (update) => saveUpdate(update, find()),
    },
    watch,
  );
}

/** The policy that managed files say is fetched elsewhere. What the endpoint says is the strongest of all. */
async function remotePolicy(
  files: readonly FileEntries[],
  folder: string,
  ca: string | undefined,
): Promise<readonly FileEntries[]> {
  const named = files
    .flatMap(({ values }) => values)
    .findLast(({ key, source }) => key === 'policyEndpoint' && source === 'policySettings');
  if (!named) return [];
  const endpoint = readEndpoint(named.value);
  return [
    'problem' in endpoint
      ? closed(named.file ?? '', `"policyEndpoint" is wrong (${endpoint.problem})`)
      : await fetchPolicy(endpoint, { folder, ca }),
  ];
}

const isHostile = ({ source }: SettingsFile, trusted: boolean) =>
  !trusted && (source === 'projectSettings' || source === 'localSettings');

/** A `--settings` file may be a pipe, which can be read once. */
function readGiven(place: SettingsFile): FileEntries {
  const loaded = loadFile(place.file, true);
  if (loaded.state === 'text') return fileEntries(place, loaded.text, loaded.cut);
  const why = loaded.state === 'missing' ? 'does not exist' : `cannot be read (${loaded.message})`;
  throw new ToolgateError('TG_OPTION_INVALID', `The settings file ${place.file} ${why}.`);
}

function readOne(
  place: SettingsFile,
  known: {
    readonly good: Map<string, FileEntries>;
    readonly once: ReadonlyMap<string, FileEntries>;
    readonly unread: Diagnostic[];
  },
): FileEntries | undefined {
  const { file } = place;
  const loaded = loadFile(file, false);
  const given = known.once.get(file);
  if (given && loaded.state !== 'text') return given;
  const before = known.good.get(file);
  if (loaded.state === 'missing') {
    known.good.delete(file);
    return undefined;
  }
  const read = loaded.state === 'text' ? fileEntries(place, loaded.text, loaded.cut) : undefined;
  if (read && !isBroken(read)) {
    known.good.set(file, read);
    return read;
  }
  if (before) {
    const why = read ? 'is no longer valid' : 'can no longer be read';
    const [first] = read?.diagnostics ?? [];
    return {
      ...before,
      // What can still be read of a broken file tightens.
      rules: [...before.rules, ...(read?.rules ?? []).filter((rule) => !has(before.rules, rule))],
      diagnostics: [
        {
          code: 'settings-kept',
          severity: 'error',
          message: `This settings file ${why}; its last good version counts.${first ? ` ${first.message}` : ''}`,
          file,
          ...(first?.line !== undefined && { line: first.line }),
        },
      ],
    };
  }
  if (loaded.state === 'unreadable')
    known.unread.push({
      code: 'settings-unreadable',
      severity: 'error',
      message: `This settings file cannot be read: ${loaded.message}. Nothing of it counts.`,
      file,
    });
  return place.source === 'policySettings' ? lockedPolicy(place, read) : read;
}

const isBroken = ({ diagnostics }: FileEntries): boolean =>
  diagnostics.some(
    ({ code, pointer, severity }) =>
      code === 'settings-syntax' ||
      code === 'settings-too-large' ||
      (pointer === '' && severity === 'error'), // it holds no object
  );

const has = (rules: FileEntries['rules'], rule: FileEntries['rules'][number]): boolean =>
  rules.some((other) => other.behavior === rule.behavior && other.text === rule.text);

function checked(options: ReadSettingsOptions): z.infer<typeof optionsSchema> {
  const parsed = optionsSchema.safeParse(options);
  const problem = parsed.success
    ? unknownKey(Object.keys(options), Object.keys(optionShape), 'readSettings')
    : parsed.error.issues.map(({ path: at, message }) => `${at.join('.')}: ${message}`).join('; ');
  if (parsed.success && !problem) return parsed.data;
  throw new ToolgateError('TG_OPTION_INVALID', `readSettings: ${problem ?? 'wrong options'}`);
}
