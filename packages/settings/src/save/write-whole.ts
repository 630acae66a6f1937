import { randomUUID } from 'node:crypto';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Replaces a file as a whole: temporary file beside it, flushed, renamed. Whoever reads, and whatever is killed
 * when, there is the old text or the new one. The mode of a file that is there is kept.
 */
export async function writeWhole(file: string, text: string, mode = 0o644): Promise<void> {
  const folder = dirname(file);
  const kept = await stat(file).catch(() => undefined);
  await removeLeftovers(file);
  const temporary = join(folder, `.${basename(file)}.${randomUUID()}.tmp`);
  try {
    const handle = await open(temporary, 'wx', kept ? kept.mode & 0o777 : mode);
    try {
      if (kept) await handle.chmod(kept.mode & 0o777);
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (thrown) {
    await rm(temporary, { force: true });
    throw thrown;
  }
  await syncFolder(folder);
}

/** What a writer that was killed left beside the file. Only the holder of the lock writes, so none is in use. */
async function removeLeftovers(file: string): Promise<void> {
  const folder = dirname(file);
  const start = `.${basename(file)}.`;
  for (const name of await readdir(folder))
    if (name.startsWith(start) && /\.[0-9a-f-]{36}\.tmp$/.test(name))
      await rm(join(folder, name), { force: true });
}

/** So that the new name survives a crash of the machine, too. Not every system can do it. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
