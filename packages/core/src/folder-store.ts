import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdtemp, open, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ResultStore } from './ports.ts';

/**
 * Keeps large results as files of mode 0600 with random names, in a private folder made on first use.
 * The files outlive the gate: the model was told their paths.
 */
export function folderStore(parent: string = tmpdir()): ResultStore {
  let folder: Promise<string> | undefined;
  const issued = new Set<string>();
  return {
    owns: (path) => issued.has(path),
    async store(text) {
      folder ??= mkdtemp(join(parent, 'toolgate-results-')).catch((error: unknown) => {
        folder = undefined;
        throw error;
      });
      const path = join(await checkedFolder(await folder), `${randomUUID()}.txt`);
      await writeWhole(path, text);
      issued.add(path);
      return path;
    },
  };
}

/** Refuses a folder that somebody replaced by a link. */
async function checkedFolder(folder: string): Promise<string> {
  const stats = await lstat(folder);
  if (!stats.isDirectory() || (process.getuid && stats.uid !== process.getuid()))
    throw new Error('the folder for results is not ours any more');
  return folder;
}

/** The file is there whole or not at all. */
async function writeWhole(path: string, text: string): Promise<void> {
  const temporary = `${path}.part`;
  const file = await open(
    temporary,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0),
    0o600,
  );
  try {
    await file.writeFile(text);
    await file.sync();
    await file.close();
    await rename(temporary, path);
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(temporary, { force: true });
    throw error;
  }
}
