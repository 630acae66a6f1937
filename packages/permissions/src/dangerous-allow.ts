import type { ParsedRule } from './parse-rule.ts';
import { contentKind } from './rule-syntax.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** They run whatever they are given as text, a file, or over the net. */
const interpreters = words(
  `sh bash dash zsh ksh fish csh tcsh ash busybox node nodejs deno bun tsx ts-node python pypy ruby perl php lua
  awk gawk mawk nawk osascript Rscript tclsh expect pwsh powershell cmd eval exec source . irb ipython jshell
  groovy scala erl iex ghci ocaml R julia psql mysql sqlite3 vim vi ed emacs script make just`,
);
/** They run the command that stands behind them. */
const wrappers = words(
  `sudo doas su env command builtin exec nohup nice ionice timeout time stdbuf setsid watch xargs parallel chroot
  unshare nsenter firejail bwrap strace ltrace flock chrt taskset systemd-run runuser setpriv caffeinate noglob entr
  ssh npx bunx pnpx uvx pipx start-process invoke-expression invoke-command iex icm find`,
);
/** Two words that run what stands behind them. */
const runners =
  /^(?:(?:npm|pnpm|yarn|bun) (?:exec|dlx|x)|(?:uv|poetry|pipenv|bundle|conda|mise|direnv|devbox|nix) (?:run|exec|shell|develop)|(?:docker|podman) (?:compose )?(?:exec|run)|kubectl exec|git bisect run|git submodule foreach)$/;

const nameOf = (word: string): string =>
  word
    .slice(word.lastIndexOf('/') + 1)
    .replace(/^['"\\]+|['"]+$/g, '')
    .replace(/(?<=^(?:python|pypy|ruby|perl|php|lua|node))[\d.]+$/, '');

/**
 * Why an allow rule would allow anything at all, in one clause: every command, an interpreter with free
 * arguments, or a wrapper. An exact command is not dangerous in this sense, nor is an interpreter with a script of
 * its own.
 */
export function dangerousAllow({ tool, content }: ParsedRule): string | undefined {
  const kind = contentKind(tool);
  if (kind !== 'command' && kind !== 'powershell') return undefined;
  if (content === undefined || /^\s*:?\*+$/.test(content)) return 'would allow every command';
  const star = content.indexOf('*');
  if (star === -1) return undefined;
  const boundary = /[ :]$/.test(content.slice(0, star));
  const head = content.slice(0, star).replace(/:$/, '').trim();
  const isPlain = (word: string) => !word.startsWith('-') && !/^\w+=/.test(word);
  const all = head.split(/\s+/).filter((word) => word !== '');
  const [first = '', ...rest] = all.slice(
    all.findIndex(isPlain) === -1 ? 0 : all.findIndex(isPlain),
  );
  const name = kind === 'powershell' ? nameOf(first).toLowerCase() : nameOf(first);
  if (head === '' || (!boundary && rest.length === 0 && name.length < 2))
    return 'names no program before its star, so it would allow almost any command';
  if (wrappers.has(name)) return `would allow whatever ${name} runs`;
  if (interpreters.has(name) && !rest.some(isPlain))
    return `would allow any code that ${name} runs`;
  if (
    interpreters.has(name) &&
    rest.some((word) => /^(?:-\w*[ce]|--(?:eval|print|command|exec))$/.test(word))
  )
    return `would allow any code that ${name} runs`;
  return [1, 2].some((count) => runners.test([name, ...rest.slice(0, count)].join(' ')))
    ? `would allow whatever ${name} ${rest[0] ?? ''} runs`
    : undefined;
}
