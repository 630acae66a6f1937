import { realpath } from 'node:fs/promises';
import { dirname, isAbsolute, relative } from 'node:path';
import type { SettingsFile } from '../reading.ts';

/** The file behind a link is the one to change, and the link stays. A project's file must not lead out of its folder. */
export async function targetOf({ file, source }: SettingsFile): Promise<string> {
  const target = await realpath(file).catch((thrown: unknown) => {
    if (Object(thrown).code === 'ENOENT') return undefined;
    throw new Error(`${file} leads nowhere`);
  });
  const folder = await realpath(dirname(dirname(file)));
  if (target === undefined) {
    const parent = await realpath(dirname(file));
    if (source !== 'userSettings' && !isIn(parent, folder))
      throw new Error(`${dirname(file)} leads out of its folder, so nothing is written there`);
    return file;
  }
  if (source !== 'userSettings' && !isIn(target, folder))
    throw new Error(`${file} leads out of its folder, so nothing is written there`);
  return target;
}

function isIn(path: string, folder: string): boolean {
  const from = relative(folder, path);
  return from !== '' && !from.startsWith('..') && !isAbsolute(from);
}
