import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ruleText, type PermissionUpdate } from '@toolgate/core';
import { loadFile } from '../load-file.ts';
import type { SettingsFile } from '../reading.ts';
import { editText } from './edit-text.ts';
import { targetOf } from './target-of.ts';
import { withLock } from './with-lock.ts';
import { writeWhole } from './write-whole.ts';

/**
 * Writes an update to the settings file it names, under a lock and as a whole. What is there already is not
 * written twice.
 *
 * @param places  The settings files there may be.
 * @throws Error, as a rejection, with one clause that says why nothing was written.
 */
export async function saveUpdate(
  update: PermissionUpdate,
  places: readonly SettingsFile[],
): Promise<void> {
  const place = places.find(({ source }) => source === update.destination);
  if (!place) throw new Error(`there is no file for ${update.destination} here`);
  if ('rules' in update)
    for (const rule of update.rules) {
      const text = ruleText(rule);
      if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text) || text.trim() === '')
        throw new Error('a rule is one line of text');
    }
  if (update.type === 'setMode' && (update.mode === 'bypassPermissions' || update.mode === 'auto'))
    throw new Error(`mode ${update.mode} is never saved; it holds for this session alone`);
  const folder = dirname(place.file);
  await mkdir(folder, { recursive: true });
  const file = await targetOf(place);
  await withLock(file, async () => {
    const loaded = loadFile(file, false);
    if (loaded.state === 'unreadable')
      throw new Error(`${place.file} cannot be read (${loaded.message})`);
    if (loaded.state === 'text' && loaded.cut)
      throw new Error(`${place.file} is larger than 1 MiB`);
    const before = loaded.state === 'text' ? loaded.text : '';
    let after: string;
    try {
      after = editText(before, update);
    } catch (thrown) {
      throw new Error(
        `${place.file}: ${thrown instanceof Error ? thrown.message : 'it cannot be changed'}`,
      );
    }
    if (after !== before) await writeWhole(file, after);
  });
}
