import { readlink, realpath, stat, type FileHandle } from 'node:fs/promises';

/** Where an opened file or folder really is, links resolved. */
export async function whereIs(handle: FileHandle, openedAs: string): Promise<string | undefined> {
  if (process.platform === 'linux') {
    try {
      return await readlink(`/proc/self/fd/${handle.fd}`);
    } catch {
      // No /proc here: compare as on other systems.
    }
  }
  try {
    const [real, there, opened] = await Promise.all([
      realpath(openedAs),
      stat(openedAs),
      handle.stat(),
    ]);
    return there.dev === opened.dev && there.ino === opened.ino ? real : undefined;
  } catch {
    return undefined;
  }
}
