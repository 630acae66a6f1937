import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** Most bytes read of one settings file. */
export const maxFileBytes = 1024 * 1024;

export type LoadedFile =
  | { readonly state: 'missing' }
  | { readonly state: 'unreadable'; readonly message: string }
  | { readonly state: 'text'; readonly text: string; readonly cut: boolean };

/**
 * Reads a settings file, or its first MiB (`cut`). Never rejects.
 *
 * @param anyKind  Takes pipes as well (`--settings <(…)`). Without it only a regular file is read, so that
 *   a pipe or device planted at the path cannot hold up the start.
 */
export async function loadFile(path: string, anyKind: boolean): Promise<LoadedFile> {
  let file;
  try {
    // Opening a pipe for reading waits for its writer; O_NONBLOCK does not.
    file = await open(path, anyKind ? 'r' : constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = await file.stat();
    if (stats.isDirectory()) return { state: 'unreadable', message: 'it is a folder' };
    if (!anyKind && !stats.isFile())
      return { state: 'unreadable', message: 'it is not a regular file' };
    const bytes = Buffer.alloc(maxFileBytes + 1);
    let length = 0;
    while (length < bytes.length) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length);
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
    await file?.close().catch(() => undefined);
  }
}
