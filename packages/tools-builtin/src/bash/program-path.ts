import { existsSync, lstatSync, realpathSync, statSync, type Stats } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, sep } from 'node:path';
import { isBelow, type ToolUseContext } from '@toolgate/core';

/** What a command may take its programs from is judged by these. */
type Place = Pick<ToolUseContext, 'cwd' | 'home' | 'isInside' | 'toolPermissionContext'> & {
  readonly effects: Pick<ToolUseContext['effects'], 'readOnly' | 'units'>;
};

const system = ['/usr/bin', '/bin'];
/** A folder that holds one of these is a project, or the top of one. */
const projectMarks =
  '.git .hg .svn .jj .envrc package.json pyproject.toml Cargo.toml go.mod Gemfile composer.json'.split(
    ' ',
  );

/**
 * The PATH of one command (security rule 8). Relative and empty entries never stay.
 *
 * A read-only command sees the system's folders alone, by their real names: root's own, writable by nobody
 * else, outside the home folder, every working folder and the projects these belong to, no package's `.bin`,
 * and with nobody else's program by a name that the command uses. When none is left: `/usr/bin:/bin`.
 * Another command keeps its PATH, but for the folders of a project that hold a program by the name of one of
 * its read-only parts, for which nobody was asked.
 */
export function programPath(path: string, command: string, place: Place): string {
  const entries = path.split(delimiter).filter((entry) => isAbsolute(entry));
  const isProjects = projectTest(place);
  const { readOnly, units } = place.effects;
  if (!readOnly) {
    const names = units.flatMap((unit) =>
      unit.tool === 'Bash' && unit.readOnly ? programsOf(unit) : [],
    );
    const isPlanted = (entry: string) =>
      names.some((name) => existsSync(join(entry, name))) && isPlantable(entry, isProjects);
    return entries.filter((entry) => !isPlanted(entry)).join(delimiter);
  }
  const names = wordsOf([command, ...units.map(({ content }) => content ?? '')].join('\n'));
  const home = realOf(place.home);
  const folders = entries.flatMap((entry) => {
    const real = realOf(entry);
    const isSystem =
      real !== undefined &&
      isRootsAlone(statOf(real)) &&
      !isProjects(entry) &&
      !isProjects(real) &&
      (home === undefined || home === sep || !isBelow(real, home)) &&
      names.every((name) => isAbsentOrRoots(join(real, name), isProjects));
    return isSystem ? [real] : [];
  });
  return [...new Set(folders.length > 0 ? folders : system)].join(delimiter);
}

/** Whether a path belongs to a working folder, to the project around one, or to any installed package. */
function projectTest({ cwd, isInside, toolPermissionContext }: Place): (path: string) => boolean {
  const tops = [cwd, ...toolPermissionContext.directories].flatMap((folder) => [
    ...projectsAround(folder),
    ...projectsAround(realOf(folder) ?? folder),
  ]);
  return (path) =>
    isInside(path) ||
    path.split(sep).includes('node_modules') ||
    tops.some((top) => isBelow(path, top));
}

/** The folders at and above this one that are projects; the root of the disk is none. */
function projectsAround(folder: string): readonly string[] {
  const found: string[] = [];
  for (let at = folder; dirname(at) !== at; at = dirname(at))
    if (projectMarks.some((mark) => existsSync(join(at, mark)))) found.push(at);
  return found;
}

function isPlantable(entry: string, isProjects: (path: string) => boolean): boolean {
  const real = realOf(entry) ?? entry;
  return isProjects(entry) || isProjects(real) || ((statOf(real)?.mode ?? 0) & 0o002) !== 0;
}

function isAbsentOrRoots(file: string, isProjects: (path: string) => boolean): boolean {
  try {
    if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return true;
  } catch {
    return false; // a folder that cannot be searched
  }
  const real = realOf(file);
  // A link that leads nowhere runs nothing, yet.
  return real !== undefined && isRootsAlone(statOf(real)) && !isProjects(real);
}

const isRootsAlone = (stat: Stats | undefined): boolean =>
  stat !== undefined && stat.uid === 0 && (stat.mode & 0o022) === 0;

/** No file has a longer name, in bytes; a word of this pattern has one byte a character. */
const longestName = 255;

/** Every word that could be the name of a program; quoting may stand inside a name. */
const wordsOf = (text: string): readonly string[] => {
  const words = text.replace(/['"\\]/g, '').match(/[\w.+@%-]*\w[\w.+@%-]*/g) ?? [];
  return [...new Set(words)].filter(({ length }) => length <= longestName);
};

function programsOf({ content, readings = [] }: Place['effects']['units'][number]) {
  return [content ?? '', ...readings].flatMap((text) => {
    const name = /^(?:[A-Za-z_]\w*=\S*\s+)*([^\s/]+)(?:\s|$)/.exec(text)?.[1];
    return name === undefined ? [] : [name];
  });
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
