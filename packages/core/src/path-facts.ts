import { lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import type { EffectsFacts, FolderIdentity, PermissionUnit } from './effects.ts';
import type { PathFacts } from './ports.ts';

/** The disk's answers. Links are followed in the longest part of a path that exists. */
export function diskFacts(home: string = homedir()): PathFacts {
  return { home, realPath: (path) => realPath(path), folderIdentity, holds: () => false };
}

/** More links in a row than any system follows. */
const maxLinks = 40;

/**
 * A link that leads nowhere yet is followed all the same: writing to it makes the file it names. What
 * cannot be followed, a circle or a folder that may not be entered, cannot be opened either.
 */
function realPath(path: string, links = 0): string {
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    if (isNotThere(at) && dirname(at) !== at) {
      missing.unshift(basename(at));
      continue;
    }
    try {
      return join(realpathSync.native(at), ...missing);
    } catch (error) {
      if (!isMissing(error) || dirname(at) === at || links > maxLinks) return join(at, ...missing);
      const target = targetOf(at);
      if (target !== undefined) return realPath(join(target, ...missing), links + 1);
      missing.unshift(basename(at));
    }
  }
}

/** True for what is no entry at all; much quicker to learn than from a failure. */
function isNotThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false; // a folder that may not be entered
  }
}

/** Where a link points, absolute; undefined for what is no link. */
function targetOf(path: string): string | undefined {
  try {
    const target = readlinkSync(path); // first: only below a folder that is there the rest is cheap
    return resolve(realPath(dirname(path)), target);
  } catch {
    return undefined; // no link, or not there
  }
}

/** What is too long to be looked up is not there; the part of it that is short enough may well be, or be a link. */
const isMissing = (error: unknown) =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'ENOENT' || error.code === 'ENOTDIR' || error.code === 'ENAMETOOLONG');

function folderIdentity(path: string): FolderIdentity | undefined {
  for (let at = dirname(path); ; at = dirname(at)) {
    const stats = folderAt(at);
    if (stats) return { device: stats.dev, inode: stats.ino };
    if (dirname(at) === at) return undefined;
  }
}

function folderAt(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** True when `path` is `folder` or lies below it; both absolute and normalised. */
export const isBelow = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/** Expands `~` and relative spellings and removes `..`, without following links. */
export function resolvePath(path: string, cwd: string, home: string): string {
  if (path === '~' || path.startsWith('~/')) return resolve(home, `.${path.slice(1)}`);
  return isAbsolute(path) ? resolve(path) : resolve(cwd, path);
}

/** Makes the facts that effects functions see, for one call. */
export function effectsFacts(options: {
  readonly cwd: string;
  readonly directories: readonly string[];
  readonly facts: PathFacts;
}): EffectsFacts {
  const { cwd, directories, facts } = options;
  let roots: readonly string[] | undefined;
  const isInside = (path: string) => {
    roots ??= directories.flatMap((directory) => [directory, facts.realPath(directory)]);
    const isBelowSome = (spelling: string) =>
      roots?.some((root) => isBelow(spelling, root)) === true;
    return isBelowSome(path) && isBelowSome(facts.realPath(path));
  };
  const self: EffectsFacts = {
    cwd,
    home: facts.home,
    directories,
    resolve: (path, from = cwd) => resolvePath(path, from, facts.home),
    realPath: (path) => facts.realPath(path),
    holds: (need, folder) => facts.holds(need, folder),
    isInside,
    pathUnit: (tool, path, { open, from } = {}) =>
      pathUnit(tool, self.resolve(path, from), facts, open),
  };
  return self;
}

function pathUnit(
  tool: 'Read' | 'Edit',
  path: string,
  facts: PathFacts,
  open = false,
): PermissionUnit {
  const folder = facts.folderIdentity(path);
  return {
    tool,
    path,
    realPath: facts.realPath(path),
    readOnly: tool === 'Read',
    ...(folder && { folder }),
    ...(open && { open }),
  };
}
