import { posix } from 'node:path';
import type { Argument } from '../bash/expand.ts';
import type { Invocation } from '../forms/invocations.ts';
import { literal } from '../read-only/verdict.ts';

export interface CriticalFacts {
  readonly cwd: string;
  readonly home: string;
  readonly directories: readonly string[];
  /** Follows links; absent: there are none. */
  readonly realPath?: (path: string) => string;
}

/** Why an `rm` or `rmdir` would remove a path that no rule may allow to be removed. */
export function criticalRemoval(
  { words, state }: Invocation,
  facts: CriticalFacts,
): string | undefined {
  const [name, ...rest] = words;
  if (!/^(?:rm|rmdir|unlink)$/.test(literal(name) ?? '')) return undefined;
  const folders = state.folders ?? [facts.cwd, '/'];
  let ended = false;
  for (const word of rest) {
    const text = literal(word);
    if (!ended && text === '--') ended = true;
    else if (ended || !text?.startsWith('-')) {
      const reason = criticalTarget(word, folders, facts);
      if (reason !== undefined) return reason;
    }
  }
  return undefined;
}

function criticalTarget(
  word: Argument,
  folders: readonly string[],
  facts: CriticalFacts,
): string | undefined {
  const known = word.kind !== 'dynamic';
  // A variable followed by a slash is the root when the variable is empty.
  if (!known) {
    if (/^\/+\**\/*$/.test(word.emptied) || /^\/+\.?\*$/.test(word.emptied))
      return `${word.source} is the root when its variable is empty.`;
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
        if (isCritical(spelling, isGlob ? 'below' : 'itself', facts, text))
          return `${text} is a folder that must not be removed.`;
    }
  }
  return undefined;
}

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
