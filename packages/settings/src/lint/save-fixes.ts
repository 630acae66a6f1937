import type { SettingsFile } from '../reading.ts';
import { loadFile } from '../load-file.ts';
import { targetOf } from '../save/target-of.ts';
import { withLock } from '../save/with-lock.ts';
import { writeWhole } from '../save/write-whole.ts';

/**
 * Writes the mended text of a settings file, under its lock and as a whole.
 *
 * @throws Error, as a rejection, with one clause, when the file is no longer what was looked at or leads out of its folder.
 */
export async function saveFixes(
  place: SettingsFile,
  { before, after }: { readonly before: string; readonly after: string },
): Promise<void> {
  const file = await targetOf(place);
  await withLock(file, async () => {
    const loaded = loadFile(file, false);
    if (loaded.state !== 'text' || loaded.cut || loaded.text !== before)
      throw new Error(`${place.file} changed meanwhile; run it again`);
    await writeWhole(file, after);
  });
}
