import { constants, type Stats } from 'node:fs';
import { lstat, open, type FileHandle } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { didYouMean } from '@toolgate/core';
import {
  changedSinceApproval,
  fileError,
  noAccess,
  refuseSystem,
  systemCode,
  type JudgedPath,
} from './judged-path.ts';
import { listNames } from './list-names.ts';
import { whereIs } from './where-is.ts';

export interface OpenedFile {
  readonly handle: FileHandle;
  readonly stats: Stats;
}

const readFlags =
  constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * Opens a regular file for reading and makes sure that what was opened is what was approved.
 * Never blocks: pipes, sockets and devices are refused before and after opening.
 */
export async function openApproved({ path, realPath }: JudgedPath): Promise<OpenedFile> {
  refuseSystem({ path, realPath });
  refuseSpecial(await found(lstat(realPath), path, realPath), path);
  const handle = await found(open(realPath, readFlags), path, realPath);
  try {
    if ((await whereIs(handle, realPath)) !== realPath) throw changedSinceApproval(path);
    const stats = await handle.stat();
    refuseSpecial(stats, path);
    return { handle, stats };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * Opens a name in a folder that is already known to be the right one; undefined when there is none.
 *
 * @param isListed  The folder's own listing just called it a plain file: it is not looked at twice.
 */
export async function openEntry(
  entry: string,
  path: string,
  isListed = false,
): Promise<OpenedFile | undefined> {
  let handle: FileHandle;
  try {
    if (!isListed) refuseSpecial(await lstat(entry), path);
    handle = await open(entry, readFlags);
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT') return undefined;
    if (code === 'ELOOP') throw changedSinceApproval(path);
    throw noAccess(error, path) ?? error;
  }
  try {
    const stats = await handle.stat();
    refuseSpecial(stats, path);
    return { handle, stats };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function refuseSpecial(stats: Stats, path: string): void {
  if (stats.isFile()) return;
  // An approved real path has no link at its end.
  if (stats.isSymbolicLink()) throw changedSinceApproval(path);
  if (stats.isDirectory())
    throw fileError(`${path} is a folder. List it with Glob.`, 'a folder instead of a file');
  const kind = stats.isFIFO() ? 'a pipe' : stats.isSocket() ? 'a socket' : 'a device';
  throw fileError(`${path} is ${kind}, not a file.`, `${kind} instead of a file`);
}

async function found<T>(work: Promise<T>, path: string, realPath: string): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ELOOP') throw changedSinceApproval(path);
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      const hint = didYouMean(basename(realPath), await listNames(dirname(realPath), 2_000));
      throw fileError(`${path} does not exist.${hint}`, 'the file does not exist');
    }
    if (code === 'ENXIO') throw fileError(`${path} is a socket, not a file.`, 'a socket');
    throw noAccess(error, path) ?? error;
  }
}
