import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { areHarmless } from './git/harmless-settings.ts';
import { runGit } from './git/run-git.ts';

/** How deep submodules may lie in submodules, and how many there may be in all. */
const mostDepth = 3;
const mostSubmodules = 50;

/**
 * True when a git command that only reads would run no program that the repository names, and the
 * repository lies in the folders `isInside` knows: an ordinary `.git` folder at its top, a linked worktree
 * of one, or a submodule of one; no hook that runs when git reads; no setting in its effective
 * configuration that names a program, no include; and the same of every submodule that is checked out,
 * for git looks into those by itself.
 * Looks at the disk and asks git itself. Anything unusual, slow or unreadable is false.
 */
export function gitContextHolds(folder: string, isInside: (path: string) => boolean): boolean {
  try {
    return repositoryHolds(folder, isInside, { depth: 0, left: mostSubmodules });
  } catch {
    return false; // no repository, no git, too slow: not known
  }
}

interface Repository {
  readonly top: string;
  /** What belongs to this work tree alone. */
  readonly gitFolder: string;
  /** What all work trees share: configuration, hooks, objects. */
  readonly commonFolder: string;
}

function repositoryHolds(
  folder: string,
  isInside: (path: string) => boolean,
  bounds: { readonly depth: number; left: number },
): boolean {
  const [top = '', gitFolder = '', commonFolder = '', bare] = runGit(folder, [
    'rev-parse',
    '--path-format=absolute',
    '--show-toplevel',
    '--absolute-git-dir',
    '--git-common-dir',
    '--is-bare-repository',
  ]).split('\n');
  const repository: Repository = { top, gitFolder, commonFolder };
  if (bare !== 'false' || !isInside(top) || !isWhereItBelongs(repository, isInside)) return false;
  if (existsSync(join(commonFolder, 'hooks', 'post-index-change'))) return false;
  if (!areHarmless(repository)) return false;
  return submodulesOf(top).every((path) => {
    bounds.left -= 1;
    if (bounds.left < 0 || bounds.depth >= mostDepth || realpathSync(path) !== path) return false;
    return repositoryHolds(path, isInside, {
      ...bounds,
      depth: bounds.depth + 1,
    });
  });
}

/** True for the three places in which git itself puts a `.git` folder; each must name the work tree it is for. */
function isWhereItBelongs(
  { top, gitFolder, commonFolder }: Repository,
  isInside: (path: string) => boolean,
): boolean {
  if (realpathSync(gitFolder) !== gitFolder || !lstatSync(gitFolder).isDirectory()) return false;
  const link = join(top, '.git');
  if (gitFolder === link) return commonFolder === gitFolder;
  if (!lstatSync(link).isFile()) return false;
  // A linked worktree: its folder lies in the main repository's and names the link that leads there.
  if (dirname(gitFolder) === join(commonFolder, 'worktrees'))
    return (
      commonFolder.endsWith('/.git') &&
      resolve(gitFolder, readFileSync(join(gitFolder, 'gitdir'), 'utf8').trim()) === link
    );
  // A submodule: its folder lies in that of the repository around it; `core.worktree` is checked with the settings.
  return commonFolder === gitFolder && isInside(gitFolder) && /\/\.git\/modules\/./.test(gitFolder);
}

/** The checked-out submodules, recorded in `.gitmodules` or not: git reads their state when it reads its own. */
const submodulesOf = (top: string): readonly string[] =>
  runGit(top, ['ls-files', '--stage', '-z'])
    .split('\0')
    .filter((entry) => entry.startsWith('160000 '))
    .map((entry) => join(top, entry.slice(entry.indexOf('\t') + 1)))
    .filter((path) => existsSync(join(path, '.git')));
