import { basename } from 'node:path';
import { withoutGitOptions, type Invocation } from '../forms/invocations.ts';
import { literal } from '../read-only/verdict.ts';

/** Options with which a command makes links; `undefined`: it may always. */
const makers: Readonly<Record<string, RegExp | undefined>> = {
  '7z': undefined,
  bsdtar: undefined,
  cp: /^-(?:\w*[adPrR]|-archive|-no-dereference|-recursive|-preserve)/,
  cpio: undefined,
  link: undefined,
  ln: undefined,
  mv: undefined,
  rsync: undefined,
  tar: /^-?[a-zA-Z]*x|^--(?:extract|get)$/,
  unzip: undefined,
};
const interpreters = /^(?:python[\d.]*|pypy3?|node|nodejs|deno|bun|perl|ruby|php|lua|tclsh|awk)$/;
const inline = /^(?:-\w*[cepErR]\w*|--(?:eval|print)|eval|-)$/;

/**
 * True when a command may put a link where a path of a later command leads. Programs of the project and
 * git may, too; they are left out, as they stand before a reader every day.
 */
export function makesLinks({ words, input }: Invocation): boolean {
  const [first, ...rest] = words;
  const name = literal(first) ?? '';
  const texts = rest.map((word) => literal(word) ?? '');
  if (Object.hasOwn(makers, name)) {
    const option = makers[name];
    return !option || texts.some((text) => option.test(text));
  }
  return (
    interpreters.test(name) &&
    (texts.some((text) => inline.test(text)) || (texts.length === 0 && input.from !== 'session'))
  );
}

/** Subcommands of git that change what a repository is told to run. */
const configurers = new Set(['clone', 'config', 'init', 'lfs', 'submodule', 'worktree']);

/** True when a command may change a repository's configuration: git itself, or what puts whole folders in place. */
export function changesGit(invocation: Invocation): boolean {
  const [name, ...rest] = invocation.words;
  if (basename(literal(name) ?? '') !== 'git') return makesLinks(invocation);
  return configurers.has(literal(withoutGitOptions(rest)[0]) ?? '');
}
