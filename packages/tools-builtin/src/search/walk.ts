import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../files/judged-path.ts';
import { openFolder, type OpenedFolder } from '../files/opened-folder.ts';
import { IgnoreRules } from './ignore-rules.ts';

export interface WalkedFile {
  /** From the root, with `/`. */
  readonly relative: string;
  readonly name: string;
  /** The folder it lies in, held open until the next file is asked for. */
  readonly folder: OpenedFolder;
}

export interface WalkOptions {
  readonly realPath: string;
  /** How the model spelled the root. For messages. */
  readonly shown: string;
  readonly signal: AbortSignal;
  /** Folder names not entered. The root itself is always entered. */
  readonly skip: ReadonlySet<string>;
  /** Also what `.gitignore` names. */
  readonly ignored: boolean;
}

/** Folders that searches leave out unless the pattern or the root names them. */
const skippedFolders = ['.git', '.hg', '.svn', 'node_modules'];

/** The folders to skip for a search that was given these texts (patterns). */
export const foldersToSkip = (...texts: readonly (string | undefined)[]): ReadonlySet<string> =>
  new Set(
    skippedFolders.filter((name) => !texts.some((text) => text?.split(/[/{},\s]/).includes(name))),
  );

/**
 * The plain files below a folder, folder by folder, names in order, one folder in memory at a time per
 * level. Links are neither followed nor listed, nor is what `.gitignore` names. A folder that may not be read, or that vanished or moved
 * meanwhile, is left out; only the root's own failure is an error.
 */
export async function* walk(options: WalkOptions): AsyncGenerator<WalkedFile> {
  const root = await openFolder(options.realPath, options.shown);
  const rules = options.ignored ? undefined : await IgnoreRules.above(options.realPath);
  yield* walkFolder(root, '', { ...options, rules });
}

async function* walkFolder(
  folder: OpenedFolder,
  prefix: string,
  options: WalkOptions & { readonly rules: IgnoreRules | undefined },
): AsyncGenerator<WalkedFile> {
  const below: string[] = [];
  let { rules } = options;
  try {
    options.signal.throwIfAborted();
    rules = await rules?.in(folder.realPath, folder.at(''));
    for (const entry of await entriesOf(folder)) {
      if (rules?.isIgnored(join(folder.realPath, entry.name), entry.isDirectory())) continue;
      if (entry.isFile()) yield { relative: prefix + entry.name, name: entry.name, folder };
      else if (entry.isDirectory() && !options.skip.has(entry.name)) below.push(entry.name);
    }
  } finally {
    await folder.handle.close();
  }
  for (const name of below) {
    const child = await openBelow(join(folder.realPath, name), options.shown);
    if (child) yield* walkFolder(child, `${prefix}${name}/`, { ...options, rules });
  }
}

async function entriesOf(folder: OpenedFolder): Promise<readonly Dirent[]> {
  try {
    const entries = await readdir(folder.at(''), { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (systemCode(error)) return [];
    throw error;
  }
}

async function openBelow(realPath: string, shown: string): Promise<OpenedFolder | undefined> {
  try {
    return await openFolder(realPath, shown);
  } catch {
    return undefined;
  }
}
