import { constants } from 'node:fs';
import { lstat, mkdir, open, stat, type FileHandle } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import {
  changedSinceApproval,
  fileError,
  noAccess,
  refuseSystem,
  systemCode,
  type JudgedPath,
} from './judged-path.ts';
import { whereIs } from './where-is.ts';

const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * A folder held open, so that renaming it or putting a link in its place cannot lead anything elsewhere.
 * On Linux names are reached through the open descriptor; elsewhere `verify` compares before and after.
 */
export interface OpenedFolder {
  readonly handle: FileHandle;
  readonly realPath: string;
  /** The path to use for a name in this folder. */
  at(name: string): string;
  /** Throws when the folder is no longer where it was approved. */
  verify(): Promise<void>;
}

/** Opens a folder by its real path. `shown` is for the message when it is not there any more. */
export async function openFolder(realPath: string, shown: string): Promise<OpenedFolder> {
  let handle: FileHandle;
  try {
    handle = await open(realPath, folderFlags);
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ELOOP' || code === 'ENOTDIR') throw await noFolder(realPath, shown);
    throw noAccess(error, shown) ?? error;
  }
  const folder = holdFolder(handle, realPath, shown);
  try {
    await folder.verify();
    return folder;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** A link where there was none, or a file where a folder is needed. */
async function noFolder(realPath: string, shown: string): Promise<Error> {
  for (let at = realPath; dirname(at) !== at; at = dirname(at)) {
    const stats = await lstat(at).catch(() => undefined);
    if (stats?.isFile()) return fileError(`${at} is a file, not a folder.`, 'a file as a folder');
    if (stats) break;
  }
  return changedSinceApproval(shown);
}

function holdFolder(handle: FileHandle, realPath: string, shown: string): OpenedFolder {
  const base = process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : realPath;
  return {
    handle,
    realPath,
    at: (name) => (name === '' ? base : join(base, name)),
    async verify() {
      if ((await whereIs(handle, realPath)) !== realPath) throw changedSinceApproval(shown);
    },
  };
}

/**
 * Opens the folder a judged file lies in, making missing folders on the way. Each step is taken from the
 * folder opened before it, so a link planted meanwhile is refused, not followed.
 */
export async function openParent(judged: JudgedPath): Promise<OpenedFolder> {
  refuseSystem(judged);
  const target = dirname(judged.realPath);
  await checkIdentity(dirname(judged.path), judged);
  let folder = await openNearest(target, judged.path);
  try {
    // Nothing is made in the place of a folder that was there when the path was judged.
    if (folder.realPath !== target) await checkIdentity(folder.realPath, judged);
    for (const name of relative(folder.realPath, target).split(sep).filter(Boolean)) {
      const next = await openChild(folder, name, judged.path);
      await folder.handle.close();
      folder = next;
    }
    return folder;
  } catch (error) {
    await folder.handle.close();
    throw error;
  }
}

async function openNearest(target: string, shown: string): Promise<OpenedFolder> {
  for (let at = target; ; at = dirname(at)) {
    try {
      return await openFolder(at, shown);
    } catch (error) {
      if (systemCode(error) !== 'ENOENT' || dirname(at) === at) throw error;
    }
  }
}

async function openChild(folder: OpenedFolder, name: string, shown: string): Promise<OpenedFolder> {
  try {
    await mkdir(folder.at(name));
  } catch (error) {
    const code = systemCode(error);
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
      throw fileError(`The folder of ${shown} may not be made.`, 'a folder may not be made');
    if (code !== 'EEXIST') throw error;
  }
  let handle: FileHandle;
  try {
    handle = await open(folder.at(name), folderFlags);
  } catch {
    throw changedSinceApproval(shown);
  }
  const child = holdFolder(handle, join(folder.realPath, name), shown);
  try {
    await child.verify();
    return child;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The nearest folder that existed when the path was judged must be `from` or above it. */
async function checkIdentity(from: string, { path, folder }: JudgedPath): Promise<void> {
  if (!folder) return;
  for (let at = from; ; at = dirname(at)) {
    try {
      const { dev, ino } = await stat(at);
      if (dev === folder.device && ino === folder.inode) return;
    } catch {
      // Not there (any more): look further up.
    }
    if (dirname(at) === at) throw changedSinceApproval(path);
  }
}
