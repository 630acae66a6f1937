import { basename } from 'node:path';
import type { SimpleCommand } from '../bash/model.ts';
import { plainArgument } from '../bash/plain-argument.ts';
import { strictForm } from '../forms/strict.ts';
import { shells, wrappers } from '../forms/wrappers.ts';
import type { Visit } from '../bash/walked.ts';
import { isInertForRules } from '../read-only/inert-assignments.ts';
import { literal } from '../read-only/verdict.ts';
import { destruction } from './destructive.ts';

/** How many words name what a command does. Commands that are not listed are suggested exactly. */
const arity: Readonly<Record<string, number>> = Object.fromEntries(
  [
    [
      '1',
      'tsc eslint oxlint prettier oxfmt biome vitest jest mocha pytest ruff mypy black rg fd jq tree shellcheck ctest ninja gofmt rustfmt playwright cypress stylelint knip tsup esbuild rollup vite webpack nyc c8 phpunit rspec',
    ],
    [
      '2',
      'git npm pnpm yarn bun cargo go docker podman kubectl helm terraform tofu pip pip3 poetry uv pipenv conda brew apt apt-get dnf yum systemctl gradle mvn dotnet gem bundle composer deno nx turbo lerna rustup nvm mise asdf flutter dart mix cmake bazel ansible prisma wrangler vercel netlify firebase heroku journalctl',
    ],
    ['3', 'gh glab aws gcloud az doctl fly'],
  ].flatMap(([count, names]) => (names ?? '').split(' ').map((name) => [name, Number(count)])),
);
/** Subcommands that name the work by one more word. */
const deeper =
  /^(?:(?:npm|pnpm|yarn|bun) run|docker (?:compose|container|image|volume|network|buildx|system)|git (?:stash|remote|worktree|submodule|bisect|notes|flow|lfs)|kubectl (?:config|rollout|create|top|auth)|cargo (?:\+\S+)|uv (?:run|pip|tool)|poetry run|npm (?:config|pkg|cache)|go (?:mod|tool|work)|gcloud \S+ \S+|az \S+ \S+)$/;
/** A prefix of these grants whatever stands behind it. */
const runners =
  /^(?:npm|pnpm|yarn|bun) (?:exec|dlx|x|node)$|^(?:uv|poetry|pipenv|bundle|conda|mise|asdf|dotnet|deno|flutter|dart|nvm) (?:run|exec|shell|eval|tool)\b|^docker(?:-compose)? (?:compose )?(?:exec|run)$|^podman (?:exec|run)$|^kubectl exec$|^(?:cargo|go) (?:run|script)$|^git (?:bisect run|submodule foreach)$/;
/** What they send out cannot be taken back, or changes what other commands run. */
const publishers =
  /^(?:(?:npm|pnpm|yarn|bun|cargo|poetry|uv|dart|flutter) publish|gem push|helm push|docker push|podman push|npm (?:deprecate|dist-tag|owner|token|access)|git config|prisma (?:migrate|db)|aws s3 (?:sync|mv))$/;
/** What may follow harmless words and make the command a destructive one. */
const endings = [
  '-f',
  '--force',
  '-d',
  '-D',
  '--delete',
  '--hard',
  '--discard-changes',
  '--mirror',
  '--prune=now',
  '--stdin',
  '-v',
  '-destroy',
  '.',
  '-- x',
  '+x',
  ':x',
  'drop',
  'clear',
  'expire',
  'rm x',
  'remove -f x',
].map((ending) => ending.split(' ').map(plainArgument));
const interpreters =
  /^(?:node|nodejs|python[\d.]*|ruby|perl|php|lua|awk|gawk|osascript|Rscript|tclsh|ts-node|tsx|npx|bunx|pnpx|uvx|pipx|ssh|curl|wget|rm|scp|sftp|nc|socat|docker-compose)$/;

const code =
  /^(?:node|nodejs|python[\d.]*|ruby|perl|php|lua|osascript|Rscript|tclsh|ts-node|tsx|deno|bun)$/;

/** Rules that would allow a command and little else; none when no rule can be trusted to mean it. */
export function suggestRule(command: SimpleCommand, visit: Visit): string | undefined {
  const form = strictForm(command, visit);
  if (!visit.arguments[0]?.constant) return undefined;
  const exact = `Bash(${form.exact})`;
  // A star in an exact rule would be a wildcard, and a rule is one line.
  const isUnusable = /[\n*]/.test(form.exact) || readsItsScript(visit);
  return prefixOf(command, visit) ?? (isUnusable ? undefined : exact);
}

/** True for `… | sh`, `python3 - <<EOF` and `sudo bash -s`: a rule naming them would allow every script they are fed. */
function readsItsScript(visit: Visit): boolean {
  const words = visit.arguments.map((word) => literal(word) ?? '');
  const isInterpreter = (word = '') => shells.has(basename(word)) || code.test(basename(word));
  const lastPlain = words.findLast((word) => !word.startsWith('-'));
  const at = words.findIndex((word) => isInterpreter(word));
  return isInterpreter(lastPlain) || (at >= 0 && /^(?:-|-\w*s)$/.test(words[at + 1] ?? ''));
}

/** A rule for these words would allow a destructive neighbour, such as `git push --force` beside `git push`. */
function endsBadly(words: readonly string[]): boolean {
  const prefix = words.map(plainArgument);
  return endings.some((ending) => destruction([...prefix, ...ending]) !== undefined);
}

function prefixOf(command: SimpleCommand, visit: Visit): string | undefined {
  const form = strictForm(command, visit);
  const name = literal(form.words[0]) ?? '';
  // Suggested with a wrapper looked past it would allow more than was asked.
  const wrapped = form.words.length !== visit.arguments.length;
  if (form.allowBy !== 'pattern' || wrapped || !command.assignments.every(isInertForRules))
    return undefined;
  if (
    Object.hasOwn(wrappers, name) ||
    shells.has(name) ||
    interpreters.test(name) ||
    !Object.hasOwn(arity, name)
  )
    return undefined;
  if (destruction(form.words) !== undefined) return undefined;
  const plain = (index: number): string | undefined => {
    const word = form.words[index];
    const text = literal(word);
    return word?.constant && text === word.source && /^[A-Za-z0-9][\w:.+/@-]*$/.test(text)
      ? text
      : undefined;
  };
  const words: string[] = [];
  let count = arity[name] ?? 1;
  for (let index = 0; index < count; index += 1) {
    const text = plain(index);
    if (text === undefined) return undefined;
    words.push(text);
    if (index + 1 === count && deeper.test(words.join(' '))) count += 1;
  }
  const prefix = words.join(' ');
  if ([2, 3].some((many) => publishers.test(words.slice(0, many).join(' '))) || endsBadly(words))
    return undefined;
  if (runners.test(prefix) || runners.test(words.slice(0, 2).join(' '))) return undefined;
  // A suggestion that would not cover its own command is a trap.
  return form.content === prefix || form.content.startsWith(`${prefix} `)
    ? `Bash(${prefix} *)`
    : undefined;
}
