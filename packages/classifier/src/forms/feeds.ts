import type { Argument } from '../bash/expand.ts';
import { plainArgument } from '../bash/plain-argument.ts';
import type { Input } from '../bash/walked.ts';
import { literal } from '../read-only/verdict.ts';

/** Arguments that a command gets beside its own words, from `xargs`, `find -exec` and their like. */
export interface Feed {
  /** What they are, or lie below; `undefined`: anything. */
  readonly targets: readonly Argument[] | undefined;
  /** Only some of what lies there. */
  readonly narrowed: boolean;
}

/** What a command hands to the commands in its words. */
export function feedOf(name: string, words: readonly Argument[], input: Input): Feed | undefined {
  switch (name) {
    case 'find':
      return foundBy(words);
    case 'fd':
    case 'fdfind': {
      const roots = words.filter((word) => !/^[^/~]/.test(literal(word) ?? '/'));
      return { targets: roots, narrowed: true };
    }
    case 'xargs':
    case 'parallel':
      return {
        narrowed: false,
        targets:
          input.text === undefined ||
          words.some((word) => /^(?:-a|--arg-file)/.test(literal(word) ?? ''))
            ? undefined
            : input.text
                .split(/[\s'"\0]+/)
                .filter((text) => text !== '')
                .map((text) => plainArgument(text)),
      };
    default:
      return undefined;
  }
}

const narrowing =
  /^-(?:i?name|i?path|i?wholename|i?regex|i?lname|[acm](?:time|min)|[ac]?newer\w*|size|empty|user|group|uid|gid|nouser|nogroup|perm|links|inum|samefile|xtype|used|executable|readable|writable)$/;

/** The roots of a `find`, and whether its tests pick some of what lies below. */
export function foundBy(words: readonly Argument[]): Feed {
  let at = 0;
  while (/^-(?:[HLP]|O\d|D)$/.test(literal(words[at]) ?? ''))
    at += literal(words[at]) === '-D' ? 2 : 1;
  const end = words.findIndex(
    (word, index) => index >= at && /^(?:-.|[(!,])/.test(literal(word) ?? ''),
  );
  const roots = words.slice(at, end < 0 ? words.length : end);
  const narrowed = words.some((word, index) => {
    const value = literal(words[index + 1]);
    return narrowing.test(literal(word) ?? '') && !/^[*./]+$/.test(value ?? '');
  });
  return { targets: roots.length > 0 ? roots : [plainArgument('.')], narrowed };
}
