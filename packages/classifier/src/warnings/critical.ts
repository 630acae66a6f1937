import { posix } from 'node:path';
import type { Argument } from '../bash/expand.ts';
import { foundBy, type Feed } from '../forms/feeds.ts';
import type { Invocation } from '../forms/invocations.ts';
import { literal } from '../read-only/verdict.ts';

export interface CriticalFacts {
  readonly cwd: string;
  readonly home: string;
  readonly directories: readonly string[];
  /** Follows links; absent: there are none. */
  readonly realPath?: (path: string) => string;
}

/** Why a command would remove a path that no rule may allow to be removed. */
export function criticalRemoval(
  { words, state, feed }: Invocation,
  facts: CriticalFacts,
): string | undefined {
  const [name, ...rest] = words;
  const folders = state.folders ?? [facts.cwd, '/'];
  const command = literal(name) ?? '';
  const first = (targets: readonly Argument[], how: How): string | undefined =>
    targets
      .map((target) => criticalTarget(target, folders, how, facts))
      .find((reason) => reason !== undefined);
  if (command === 'find' && rest.some((word) => literal(word) === '-delete')) {
    const { targets = [], narrowed } = foundBy(rest);
    return first(targets, narrowed ? 'some' : 'recursive');
  }
  if (!/^(?:rm|rmdir|unlink)$/.test(command)) return undefined;
  const recursive =
    command === 'rm' && rest.some((word) => /^-(?:\w*[rR]|-r)/.test(literal(word) ?? ''));
  const end = rest.findIndex((word) => literal(word) === '--');
  const own = rest.filter(
    (word, index) =>
      index !== end && ((end >= 0 && index > end) || !literal(word)?.startsWith('-')),
  );
  const reason = first(own, recursive ? 'recursive' : 'single');
  if (reason !== undefined) return reason;
  // A script of `xargs -I{}` may hold the place of what is filled in.
  const fed = feed ?? (own.some((word) => literal(word) === '{}') ? anyFeed : undefined);
  if (!fed) return undefined;
  if (!fed.targets)
    return recursive ? 'What it removes comes from its input, which nobody has seen.' : undefined;
  return first(fed.targets, fed.narrowed ? 'some' : 'recursive');
}

const anyFeed: Feed = { targets: undefined, narrowed: false };

/** `recursive`: with all below; `some`: a part of what lies below. */
type How = 'single' | 'recursive' | 'some';

function criticalTarget(
  word: Argument,
  folders: readonly string[],
  how: How,
  facts: CriticalFacts,
): string | undefined {
  const known = word.kind !== 'dynamic';
  // A variable followed by a slash is the root when the variable is empty.
  if (!known) {
    if (/^\/+\**\/*$/.test(word.emptied) || /^\/+\.?\*$/.test(word.emptied))
      return `${word.source} is the root when its variable is empty.`;
    if (how === 'recursive' && !hasSubPath(word, folders))
      return `${word.source} may be any folder.`;
    return word.emptied !== '' &&
      folders.some((folder) =>
        isCritical(posix.resolve(folder, word.emptied), 'any', facts, word.emptied),
      )
      ? `${word.source} may be a folder that must not be removed.`
      : undefined;
  }
  for (const text of word.texts) {
    // A glob below a folder removes what is in it: `/*`, `~/*`, `.*`.
    const glob = /^(.*\/)?(?:\*|\.\*|\.\?\?\*|\.\[!\.\]\*|\*\*|\*\/|\?\*)+$/s.exec(text);
    const isGlob = word.kind === 'glob' && glob !== null;
    const path = isGlob ? (glob[1] ?? '.') : text;
    if (path === '') continue;
    for (const folder of folders) {
      const full = posix.resolve(folder, path);
      const spellings = [
        full,
        facts.realPath?.(path.endsWith('/') ? full : posix.dirname(full)),
      ].flatMap((one, index) =>
        one === undefined
          ? []
          : index === 0 || path.endsWith('/')
            ? [one]
            : [posix.join(one, posix.basename(full))],
      );
      for (const spelling of spellings)
        if (
          how === 'some'
            ? isSystem(spelling, facts)
            : isCritical(spelling, isGlob ? 'below' : 'itself', facts, text) ||
              (isGlob && how === 'recursive' && isTopFolder(spelling))
        )
          return `${text} is a folder that must not be removed.`;
    }
  }
  return undefined;
}

/** True when a word that is not known says by a part of it that it lies within some folder. */
function hasSubPath({ prefixes, emptied, climbs }: Argument, folders: readonly string[]): boolean {
  const isDeep = (path: string) =>
    folders.every((folder) => {
      const full = posix.resolve(folder, path);
      return full !== '/' && !isTopFolder(full) && full !== folder;
    });
  if (/[^./*?]/.test(emptied) && (prefixes.includes('') || isDeep(emptied))) return true;
  return (
    !climbs &&
    prefixes.length > 0 &&
    prefixes.every((prefix) => prefix.includes('/') && isDeep(posix.dirname(`${prefix}x`)))
  );
}

/** A folder directly below the root, but for the one where anybody leaves things. */
const isTopFolder = (path: string): boolean => /^\/[^/]+$/.test(path) && path !== '/tmp';

/** The root, a folder directly below it, the home folder or one above it. */
const isSystem = (path: string, { home, realPath }: CriticalFacts): boolean =>
  path === '/' ||
  isTopFolder(path) ||
  [home, realPath?.(home) ?? home].some((one) => above(path, one));

const above = (path: string, of: string): boolean =>
  path === of || of.startsWith(path === '/' ? '/' : `${path}/`);

function isCritical(
  path: string,
  what: 'itself' | 'below' | 'any',
  facts: CriticalFacts,
  text: string,
): boolean {
  if (/^[A-Za-z]:[\\/]?[^\\/]*[\\/]?$/.test(text)) return true;
  const depth = path === '/' ? 0 : path.split('/').length - 1;
  if (depth === 0) return true;
  // Only when the text says so: an unknown part may lie in between.
  if (depth === 1 && what === 'itself') return true;
  const real = (one: string) => [one, facts.realPath?.(one) ?? one];
  if (real(facts.home).includes(path) || real(facts.home).some((one) => above(path, one)))
    return true;
  if (real(facts.cwd).some((one) => above(path, one)))
    return what !== 'any' || depth <= 1 || real(facts.cwd).includes(path);
  return (
    what === 'below' &&
    facts.directories.some((one) => real(one).some((spelling) => above(path, spelling)))
  );
}
