import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createTwoFilesPatch } from 'diff';

/** What differs between two folders of text files, as one patch. */
export function changesBetween(before: string, after: string): string {
  const files = new Set([...filesIn(before), ...filesIn(after)]);
  return [...files]
    .sort()
    .flatMap((file) => patchOf(file, textOf(join(before, file)), textOf(join(after, file))))
    .join('\n');
}

const patchOf = (
  file: string,
  old: string | undefined,
  now: string | undefined,
): readonly string[] =>
  old === now
    ? []
    : [
        createTwoFilesPatch(
          old === undefined ? '/dev/null' : `a/${file}`,
          now === undefined ? '/dev/null' : `b/${file}`,
          old ?? '',
          now ?? '',
        ),
      ];

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined; // not there on this side
  }
}
