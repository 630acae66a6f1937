import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** Most bytes read of one settings file. */
export const maxFileBytes = 1024 * 1024;

export type LoadedFile =
  | { readonly state: 'missing' }
  | { readonly state: 'unreadable'; readonly message: string }
  | { readonly state: 'text'; readonly text: string; readonly cut: boolean };

/**
 * Reads a settings file, or its first MiB (`cut`). Synchronous, so that what was read is what the next call is
 * decided by. Never throws.
 *
 * @param anyKind  Takes pipes as well (`--settings <(…)`). Without it only a regular file is read, so that
 *   a pipe or device planted at the path cannot hold up the start.
 */
export function loadFile(path: string, anyKind: boolean): LoadedFile {
  let file: number | undefined;
  try {
    // Opening a pipe for reading waits for its writer; O_NONBLOCK does not.
    file = openSync(path, anyKind ? 'r' : constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(file);
    if (stats.isDirectory()) return { state: 'unreadable', message: 'it is a folder' };
    if (!anyKind && !stats.isFile())
      return { state: 'unreadable', message: 'it is not a regular file' };
    const bytes = Buffer.alloc(maxFileBytes + 1);
    let length = 0;
    while (length < bytes.length) {
      const bytesRead = readSync(file, bytes, length, bytes.length - length, null);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    const cut = length > maxFileBytes;
    return { state: 'text', text: bytes.toString('utf8', 0, Math.min(length, maxFileBytes)), cut };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    if (code === 'ENOENT' || code === 'ENOTDIR') return { state: 'missing' };
    return { state: 'unreadable', message: code };
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
