import type { Argument } from '../bash/expand.ts';
import { literal } from '../read-only/verdict.ts';

/** Why a git command throws work away, from its subcommand on. */
export function gitDestruction(words: readonly Argument[]): string | undefined {
  const [name = '', ...all] = words.map((word) => literal(word) ?? word.source);
  const dashes = all.indexOf('--');
  const before = dashes < 0 ? all : all.slice(0, dashes);
  const paths = dashes < 0 ? [] : all.slice(dashes + 1);
  const operands = before.filter((text) => !text.startsWith('-'));
  /** A short flag in any cluster, or a long one in full or cut short, as git allows. */
  const flag = (short: string, ...long: readonly string[]) =>
    before.some(
      (text) =>
        (short !== '' && /^-[a-zA-Z]+$/.test(text) && text.includes(short)) ||
        long.some(
          (one) =>
            text.startsWith('--') &&
            text.length > 3 &&
            one.startsWith(text.split('=')[0] ?? '') &&
            text !== '--',
        ),
    );
  switch (name) {
    case 'reset':
      return flag('', '--hard', '--merge', '--keep')
        ? 'git reset --hard throws uncommitted changes away.'
        : undefined;
    case 'clean':
      return flag('f', '--force') && !flag('n', '--dry-run')
        ? 'git clean deletes untracked files, and may delete more than is named; look with -n first.'
        : undefined;
    case 'checkout':
      if (flag('f', '--force')) return 'git checkout -f throws changes away.';
      if (flag('B')) return 'git checkout -B moves a branch away from its commits.';
      return (dashes >= 0 && paths.length > 0) || isCheckoutOfPaths(before, operands)
        ? 'git checkout of paths throws their changes away.'
        : undefined;
    case 'restore':
      return flag('S', '--staged') && !flag('W', '--worktree')
        ? undefined
        : 'git restore throws changes away.';
    case 'switch':
      return flag('f', '--force', '--discard-changes') || flag('C', '--force-create')
        ? 'git switch throws changes away.'
        : undefined;
    case 'stash':
      return /^(?:drop|clear)$/.test(operands[0] ?? '')
        ? 'git stash drops stashed changes.'
        : undefined;
    case 'branch':
      return flag('D') ||
        flag('f', '--force') ||
        (flag('d', '--delete') && flag('f', '--force')) ||
        flag('M') ||
        flag('C')
        ? 'git branch -D deletes a branch with its commits.'
        : undefined;
    case 'tag':
      return flag('d', '--delete') || flag('f', '--force')
        ? 'git tag removes or moves a tag.'
        : undefined;
    case 'push':
      if (
        flag('f', '--force', '--force-with-lease', '--force-if-includes') ||
        before.some((text) => text.startsWith('--force'))
      )
        return 'A forced push replaces commits on the server.';
      if (flag('d', '--delete') || flag('', '--mirror', '--prune'))
        return 'The push deletes references on the server.';
      return [...operands, ...paths].some((text) => /^[+:]./.test(text.replaceAll(/^["']/g, '')))
        ? 'The push replaces or deletes a reference on the server.'
        : undefined;
    case 'update-ref':
      return flag('d', '--delete') || flag('', '--stdin')
        ? 'git update-ref -d deletes a reference.'
        : undefined;
    case 'reflog':
      return /^(?:expire|delete|drop)$/.test(operands[0] ?? '')
        ? 'git reflog forgets commits.'
        : undefined;
    case 'worktree':
      return operands[0] === 'remove' && flag('f', '--force')
        ? 'git worktree remove --force deletes changes.'
        : undefined;
    case 'rm':
      return flag('', '--cached') || flag('n', '--dry-run') ? undefined : 'git rm deletes files.';
    case 'gc':
      return before.some((text) => text.startsWith('--prune'))
        ? 'git gc --prune deletes unreachable commits.'
        : undefined;
    case 'prune':
      return flag('n', '--dry-run') ? undefined : 'git prune deletes unreachable commits.';
    case 'filter-branch':
    case 'filter-repo':
      return `git ${name} rewrites history.`;
    case 'submodule':
      return operands[0] === 'deinit' && flag('f', '--force')
        ? 'git submodule deinit --force deletes changes.'
        : undefined;
    case 'read-tree':
      return flag('u') && flag('', '--reset')
        ? 'git read-tree --reset -u throws changes away.'
        : undefined;
    case 'checkout-index':
      return flag('f', '--force') ? 'git checkout-index -f throws changes away.' : undefined;
    case 'remote':
      return /^(?:remove|rm|prune)$/.test(operands[0] ?? '')
        ? 'git remote removes references.'
        : undefined;
    default:
      return undefined;
  }
}

/** Without `--` a path is told from a branch by its look, or by standing behind a commit. */
function isCheckoutOfPaths(before: readonly string[], operands: readonly string[]): boolean {
  if (before.some((text) => /^--(?:pathspec-from-file|ours|theirs)/.test(text))) return true;
  if (before.some((text) => /^-[a-zA-Z]*[bt]$|^--(?:orphan|track)/.test(text))) return false;
  return (
    operands.length > 1 ||
    operands.some((text) => /^(?:\.|\.\/.*|:\/.*|\*.*|:\(.*|.*\/)$|\.[a-z]{1,5}$/i.test(text))
  );
}
