import { realpathSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { loadFile } from './load-file.ts';
import { withLock } from './save/with-lock.ts';
import { writeWhole } from './save/write-whole.ts';

const recordsSchema = z.object({
  version: z.literal(1),
  folders: z.record(z.string(), z.object({ since: z.string() })),
});
type Records = z.output<typeof recordsSchema>;

const none: Records = { version: 1, folders: {} };

/** Where trust is recorded: in the user's own folder, which no project can reach. */
const fileOf = (home: string): string => join(home, '.toolgate', 'trust.json');

/** The real path of a folder, which is what trust is of; undefined when there is none. */
function realFolder(folder: string): string | undefined {
  try {
    return realpathSync(folder);
  } catch {
    return undefined;
  }
}

/** The folders that the person of this home trusts. Records that cannot be read are none: nothing is trusted then. */
export function trustedFolders(home: string): readonly string[] {
  return Object.keys(readRecords(home).folders);
}

/** True when the person trusts exactly this folder, by its real path. */
export function isTrusted(home: string, folder: string): boolean {
  const real = realFolder(folder);
  return real !== undefined && Object.hasOwn(readRecords(home).folders, real);
}

/** Records that the person trusts a folder. Rejects when there is no such folder, or nothing can be written. */
export async function trustFolder(home: string, folder: string): Promise<string> {
  const real = realFolder(folder);
  if (real === undefined) throw new Error(`there is no folder ${folder}`);
  await change(home, (folders) => ({ ...folders, [real]: { since: new Date().toISOString() } }));
  return real;
}

/** Takes trust back. True when there was any. */
export async function distrustFolder(home: string, folder: string): Promise<boolean> {
  const named = [realFolder(folder), folder].filter((path) => path !== undefined);
  const before = readRecords(home).folders;
  if (!named.some((path) => Object.hasOwn(before, path))) return false;
  await change(home, (folders) =>
    Object.fromEntries(Object.entries(folders).filter(([path]) => !named.includes(path))),
  );
  return true;
}

function readRecords(home: string): Records {
  const loaded = loadFile(fileOf(home), false);
  if (loaded.state !== 'text' || loaded.cut) return none;
  try {
    return recordsSchema.parse(JSON.parse(loaded.text));
  } catch {
    return none;
  }
}

async function change(
  home: string,
  update: (folders: Records['folders']) => Records['folders'],
): Promise<void> {
  const file = fileOf(home);
  await mkdir(join(home, '.toolgate'), { recursive: true, mode: 0o700 });
  await withLock(file, async () => {
    const folders = update(readRecords(home).folders);
    await writeWhole(file, `${JSON.stringify({ version: 1, folders }, undefined, 2)}\n`, 0o600);
  });
}
