import { join } from 'node:path';
import type { ToolUseContext } from '@toolgate/core';
import { openApproved, openEntry, type OpenedFile } from '../files/open-approved.ts';
import { binaryKind } from '../files/file-kind.ts';
import { readAll } from '../files/text-format.ts';
import type { SearchRoot } from '../search/search-root.ts';
import { foldersToSkip, walk } from '../search/walk.ts';
import { namesIgnored } from '../search/ripgrep-args.ts';
import { fileFilter, type GrepInput } from './grep-input.ts';

/** Larger files are not searched. */
const maxFileBytes = 16 * 1024 * 1024;

export interface SearchedFile {
  readonly path: string;
  readonly modifiedMs: number;
  readonly text: string;
}

/** A file that is not searched, and why. */
export interface SkippedFile {
  readonly skipped: 'tooLarge' | 'denied';
}

/** The text files below a root that the input asks for, one at a time. Binary and vanished files are left out. */
export async function* searchFiles(
  root: SearchRoot,
  input: GrepInput,
  context: ToolUseContext,
): AsyncGenerator<SearchedFile | SkippedFile> {
  if (!root.isFolder) {
    if (context.deniesRead(root.path)) return yield { skipped: 'denied' };
    const searched = await readSearched(root.path, await openApproved(root));
    if (searched) yield searched;
    return;
  }
  const wanted = await fileFilter(input);
  const { signal } = context;
  const skip = foldersToSkip(input.glob);
  const ignored = namesIgnored(input.glob, skip);
  for await (const file of walk({ ...root, shown: root.path, signal, skip, ignored })) {
    if (!wanted(file.relative)) continue;
    const path = join(root.path, file.relative);
    if (context.deniesRead(path)) {
      yield { skipped: 'denied' };
      continue;
    }
    // The folder is held open, so this name cannot lead out of it; links are not opened.
    const opened = await openEntry(file.folder.at(file.name), path, true).catch(() => undefined);
    const searched = opened && (await readSearched(path, opened).catch(() => undefined));
    if (searched) yield searched;
  }
}

async function readSearched(
  path: string,
  { handle, stats }: OpenedFile,
): Promise<SearchedFile | SkippedFile | undefined> {
  try {
    if (stats.size > maxFileBytes) return { skipped: 'tooLarge' };
    const bytes = await readAll(handle, stats.size);
    if (binaryKind(bytes)) return undefined;
    const bom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
    return { path, modifiedMs: stats.mtimeMs, text: bytes.toString('utf8', bom ? 3 : 0) };
  } finally {
    await handle.close();
  }
}
