import { randomUUID } from 'node:crypto';
import { constants, lstatSync, type Stats } from 'node:fs';
import { lstat, mkdir, mkdtemp, open, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ResultStore } from './ports.ts';

const prefix = 'toolgate-results-';
const issuedName = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.[a-z0-9]{1,8}$/;
const sevenDays = 7 * 24 * 3_600_000;

/** Where results are kept, and for how long. */
export interface FolderStoreOptions {
  /** A new private folder is made in here on first use. Default: the system's folder for temporary files. */
  readonly parent?: string;
  /** A folder to go on with in its place, such as a session's own; made if it is missing. */
  readonly folder?: string;
  /**
   * Milliseconds a result outlives its last change: on first use older files in `folder`, and older folders of
   * this kind in `parent`, are removed. Default: seven days; `Infinity` keeps them.
   */
  readonly keepMs?: number;
}

/**
 * Keeps large results as files of mode 0600 with random names, in a private folder. The files outlive the
 * gate, since the model was told their paths, until the retention rule removes them.
 */
export function folderStore(options: FolderStoreOptions = {}): ResultStore {
  const { parent = tmpdir(), folder: own, keepMs = sevenDays } = options;
  let folder: Promise<string> | undefined;
  const issued = new Set<string>();
  const begin = async (): Promise<string> => {
    await removeOld(own ?? parent, own === undefined ? isFolderOfOurs : isResult, keepMs);
    if (own === undefined) return mkdtemp(join(parent, prefix));
    await mkdir(own, { recursive: true, mode: 0o700 });
    return own;
  };
  const issue = async (content: string | Uint8Array, extension: string): Promise<string> => {
    folder ??= begin().catch((error: unknown) => {
      folder = undefined;
      throw error;
    });
    const path = join(await checkedFolder(await folder), `${randomUUID()}.${extension}`);
    await writeWhole(path, content);
    issued.add(path);
    return path;
  };
  return {
    owns: (path) => issued.has(path) || (dirname(path) === own && isResult(path)),
    store: (content, extension = 'txt') => issue(content, extension),
    reserve: (extension = 'txt') => issue('', extension),
    async remove(path) {
      if (issued.delete(path)) await rm(path, { force: true });
    },
  };
}

const isOurs = (stats: Stats): boolean => !process.getuid || stats.uid === process.getuid();
const statsOf = (path: string): Stats | undefined => {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
};
const nameOf = (path: string): string => path.slice(dirname(path).length).replace(/^[/\\]/, '');

/** True for a file of an earlier run. One that somebody linked to, or put a link in its place, is none. */
function isResult(path: string): boolean {
  const stats = issuedName.test(nameOf(path)) && statsOf(path);
  return stats ? stats.isFile() && stats.nlink === 1 && isOurs(stats) : false;
}

function isFolderOfOurs(path: string): boolean {
  const stats = nameOf(path).startsWith(prefix) && statsOf(path);
  return stats ? stats.isDirectory() && isOurs(stats) : false;
}

/** The retention rule. What cannot be looked at or removed stays. */
async function removeOld(
  folder: string,
  isKind: (path: string) => boolean,
  keepMs: number,
): Promise<void> {
  const names = keepMs === Infinity ? [] : await readdir(folder).catch(() => []);
  for (const path of names.map((name) => join(folder, name)))
    if (isKind(path) && (statsOf(path)?.mtimeMs ?? Infinity) < Date.now() - keepMs)
      await rm(path, { recursive: true, force: true }).catch(() => undefined);
}

/** Refuses a folder that somebody replaced by a link. */
async function checkedFolder(folder: string): Promise<string> {
  const stats = await lstat(folder);
  if (!stats.isDirectory() || !isOurs(stats))
    throw new Error('the folder for results is not ours any more');
  return folder;
}

/** The file is there whole or not at all. */
async function writeWhole(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${path}.part`;
  const file = await open(
    temporary,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0),
    0o600,
  );
  try {
    await file.writeFile(content);
    await file.sync();
    await file.close();
    await rename(temporary, path);
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(temporary, { force: true });
    throw error;
  }
}
