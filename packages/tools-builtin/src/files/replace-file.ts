import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { access, link, lstat, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { changedSinceApproval, fileError, systemCode, type JudgedPath } from './judged-path.ts';
import { openEntry, type OpenedFile } from './open-approved.ts';
import { openParent, type OpenedFolder } from './opened-folder.ts';

/** A file about to be written, in the folder it was approved in. */
export interface Target {
  /** The file as it is now, open for reading; undefined when there is none. */
  readonly existing: OpenedFile | undefined;
  /**
   * Puts new bytes in its place, whole or not at all: a temporary file in the same folder, fsync, rename.
   * Keeps mode and owner. Throws when the file is not `existing` any more.
   *
   * @returns The new file, open until {@link withTarget} ends.
   */
  readonly replace: (bytes: Uint8Array) => Promise<OpenedFile>;
}

/** Opens the place of a judged file, hands it to `work`, and closes everything after. */
export async function withTarget<T>(
  judged: JudgedPath,
  work: (target: Target) => Promise<T>,
): Promise<T> {
  const opened: FileHandle[] = [];
  const folder = await openParent(judged);
  opened.push(folder.handle);
  try {
    const name = basename(judged.realPath);
    const existing = await openEntry(folder.at(name), judged.path);
    if (existing) opened.push(existing.handle);
    return await work({
      existing,
      async replace(bytes) {
        const file = await replaceEntry({ folder, name, existing, bytes, path: judged.path });
        opened.push(file.handle);
        return file;
      },
    });
  } finally {
    await Promise.all(opened.map((handle) => handle.close()));
  }
}

interface Replacement {
  readonly folder: OpenedFolder;
  readonly name: string;
  readonly existing: OpenedFile | undefined;
  readonly bytes: Uint8Array;
  readonly path: string;
}

async function replaceEntry(replacement: Replacement): Promise<OpenedFile> {
  const { folder, name, existing, bytes, path } = replacement;
  const entry = folder.at(name);
  if (existing) await mayWrite(entry, path);
  const temporary = folder.at(`.toolgate-${randomBytes(8).toString('hex')}.tmp`);
  const handle = await makeTemporary(temporary, existing?.stats, path);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
    await folder.verify();
    await (existing ? swap(temporary, entry, existing.stats, path) : place(temporary, entry, path));
    await folder.handle.sync().catch(() => undefined); // Some file systems cannot sync a folder.
    return { handle, stats: await handle.stat() };
  } catch (error) {
    await handle.close();
    await rm(temporary, { force: true }).catch(() => undefined);
    throw diskFull(error, path) ?? error;
  }
}

/** What to say when there is no room; undefined for other errors. */
const diskFull = (error: unknown, path: string) =>
  ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(systemCode(error) ?? '')
    ? fileError(
        `There is no room on the disk; ${path} is as it was. Free some space, then try again.`,
        'the disk is full',
      )
    : undefined;

async function mayWrite(entry: string, path: string): Promise<void> {
  try {
    await access(entry, constants.W_OK);
  } catch {
    // A rename would get past the file's own mode; its owner said no.
    throw fileError(`${path} may not be written by this user.`, 'the file may not be written');
  }
}

async function makeTemporary(
  temporary: string,
  like: Stats | undefined,
  path: string,
): Promise<FileHandle> {
  let handle: FileHandle;
  try {
    handle = await open(temporary, 'wx+', like ? 0o600 : 0o666);
  } catch (error) {
    const code = systemCode(error);
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
      throw fileError(`The folder of ${path} may not be written.`, 'the folder may not be written');
    throw diskFull(error, path) ?? error;
  }
  if (!like) return handle;
  try {
    const own = await handle.stat();
    if (own.uid !== like.uid || own.gid !== like.gid)
      await handle.chown(like.uid, like.gid).catch(() => undefined); // Only root can give files away.
    await handle.chmod(like.mode & 0o7777);
    return handle;
  } catch (error) {
    await handle.close();
    await rm(temporary, { force: true });
    throw error;
  }
}

async function swap(temporary: string, entry: string, was: Stats, path: string): Promise<void> {
  const now = await lstat(entry).catch(() => undefined);
  const same =
    now?.dev === was.dev &&
    now.ino === was.ino &&
    now.mtimeMs === was.mtimeMs &&
    now.size === was.size;
  if (!same) throw changedSinceApproval(path);
  await rename(temporary, entry);
}

/** A link fails where a rename would replace a file that somebody made meanwhile. */
async function place(temporary: string, entry: string, path: string): Promise<void> {
  try {
    await link(temporary, entry);
  } catch (error) {
    const code = systemCode(error);
    if (code === 'EEXIST') throw changedSinceApproval(path);
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EOPNOTSUPP') throw error;
    return rename(temporary, entry); // This file system has no links.
  }
  await rm(temporary);
}
