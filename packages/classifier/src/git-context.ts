import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

/** How long git may take to print a configuration, in milliseconds; slower is as good as unknown. */
const limitMs = 1_000;

/** Settings that name a program, or make one run, whatever their value (security rule 9). */
const programs = [
  /^core\.(?:fsmonitor|hookspath|pager|editor|sshcommand|askpass|alternaterefscommand|worktree|gitproxy)$/,
  /^(?:include|includeif|pager|alias|filter|gpg|credential|difftool|mergetool|guitool|man|browser|trace2|sequence|uploadpack)\./,
  /^diff\.(?:external|.+\.(?:command|textconv|cachetextconv))$/,
  /^merge\..+\.driver$/,
  /^log\.showsignature$/,
  /^extensions\.(?:partialclone|worktreeconfig)$/,
  /^remote\..+\.(?:promisor|partialclonefilter|vcs|uploadpack|receivepack)$/,
  /^submodule\./,
  /^protocol\./,
];
/** What only asks a person's terminal, or is switched off for the run, stays harmless in a person's own files. */
const ownAndHarmless =
  /^(?:core\.(?:pager|editor|askpass)|include|includeif|pager|alias|credential|difftool|mergetool|gpg|sequence)(?:\.|$)/;

/**
 * True when a git command that only reads would run no program that the repository names, and the
 * repository is one that lies in the folders `isInside` knows: an ordinary `.git` folder at its top, no
 * submodules, no hook that runs when git reads, no setting in its effective configuration that names a
 * program, no include.
 * Looks at the disk and asks git itself. Anything unusual, slow or unreadable is false.
 */
export function gitContextHolds(folder: string, isInside: (path: string) => boolean): boolean {
  try {
    const [top = '', gitFolder = '', bare] = git(folder, [
      'rev-parse',
      '--show-toplevel',
      '--absolute-git-dir',
      '--is-bare-repository',
    ]).split('\n');
    if (bare !== 'false' || !isInside(top) || gitFolder !== join(top, '.git')) return false;
    if (realpathSync(gitFolder) !== gitFolder || !lstatSync(gitFolder).isDirectory()) return false;
    if (existsSync(join(gitFolder, 'hooks', 'post-index-change'))) return false;
    if (hasEntries(join(gitFolder, 'modules')) || hasEntries(join(gitFolder, 'worktrees')))
      return false;
    return settings(top).every((setting) => isHarmless(setting, gitFolder));
  } catch {
    return false; // no repository, no git, too slow: not known
  }
}

interface Setting {
  readonly scope: string;
  readonly origin: string;
  readonly key: string;
  readonly value: string;
}

/** The effective configuration, includes followed. With `-z` each field ends in a NUL byte. */
function settings(folder: string): readonly Setting[] {
  const listed = git(folder, [
    'config',
    '--list',
    '--includes',
    '--show-scope',
    '--show-origin',
    '-z',
  ]);
  const fields = listed.split('\0');
  const found: Setting[] = [];
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [scope = '', origin = '', entry = ''] = fields.slice(at, at + 3);
    const [key = '', ...value] = entry.split('\n');
    // A name without a value is a yes; with an empty one it is a no.
    const text = value.length === 0 ? 'true' : value.join('\n');
    found.push({ scope, origin, key: key.toLowerCase(), value: text });
  }
  return found;
}

function isHarmless({ scope, origin, key, value }: Setting, gitFolder: string): boolean {
  if (scope === 'command') return true; // ours: nothing of the environment gets there
  const isOwn = scope === 'system' || scope === 'global';
  // What a repository includes from elsewhere, a clone can change.
  if (!isOwn && origin !== `file:${join(gitFolder, 'config')}` && origin !== 'file:.git/config')
    return false;
  if (!programs.some((pattern) => pattern.test(key))) return true;
  if (key === 'core.fsmonitor' || key === 'log.showsignature')
    return /^(?:false|no|off|0|)$/i.test(value);
  return isOwn && ownAndHarmless.test(key);
}

function hasEntries(folder: string): boolean {
  try {
    return readdirSync(folder).length > 0;
  } catch {
    return false; // there is none
  }
}

/** Runs a git command that starts nothing else, with nothing of this process's environment but where the person's own settings are. */
const git = (folder: string, args: readonly string[]): string =>
  execFileSync('git', ['-c', 'safe.bareRepository=explicit', ...args], {
    cwd: folder,
    encoding: 'utf8',
    timeout: limitMs,
    maxBuffer: 4 * 1_024 * 1_024,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      HOME: process.env['HOME'] ?? '/',
      ...(process.env['XDG_CONFIG_HOME'] && { XDG_CONFIG_HOME: process.env['XDG_CONFIG_HOME'] }),
      LC_ALL: 'C',
      GIT_OPTIONAL_LOCKS: '0',
      GIT_TERMINAL_PROMPT: '0',
    },
  });
