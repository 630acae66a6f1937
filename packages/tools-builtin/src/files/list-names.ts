import { opendir } from 'node:fs/promises';

/** Up to `limit` names in a folder; none when it cannot be read. */
export async function listNames(path: string, limit: number): Promise<readonly string[]> {
  const names: string[] = [];
  try {
    for await (const entry of await opendir(path)) {
      names.push(entry.name);
      if (names.length >= limit) break;
    }
  } catch {
    // A hint is not worth an error.
  }
  return names;
}
