import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runGit } from './run-git.ts';

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
/** Which submodules there are and where they come from. `update` may name a command, though no reader runs it. */
const harmlessOfSubmodules =
  /^submodule\.(?:.+\.)?(?:url|active|branch|ignore|path|shallow|recurse|fetchrecursesubmodules)$/;

interface Setting {
  readonly scope: string;
  readonly origin: string;
  readonly key: string;
  readonly value: string;
}

/** The folders of a repository as git names them, absolute. */
interface Folders {
  readonly top: string;
  readonly gitFolder: string;
  readonly commonFolder: string;
}

/** True when no setting that git would go by names a program or comes from a file that a clone could bring. */
export const areHarmless = (folders: Folders): boolean =>
  settings(folders.top).every((setting) => isHarmless(setting, folders));

/** The effective configuration, includes followed. With `-z` each field ends in a NUL byte. */
function settings(folder: string): readonly Setting[] {
  const listed = runGit(folder, [
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

function isHarmless({ scope, origin, key, value }: Setting, folders: Folders): boolean {
  if (scope === 'command') return true; // ours: nothing of the environment gets there
  const isOwn = scope === 'system' || scope === 'global';
  // What a repository includes from elsewhere, a clone can change.
  if (!isOwn && !isConfigOf(folders, origin)) return false;
  if (!programs.some((pattern) => pattern.test(key))) return true;
  if (key === 'core.fsmonitor' || key === 'log.showsignature')
    return /^(?:false|no|off|0|)$/i.test(value);
  if (key === 'core.worktree') return !isOwn && leadsHome(value, folders);
  if (harmlessOfSubmodules.test(key)) return true;
  if (/^submodule\..+\.update$/.test(key)) return /^(?:checkout|rebase|merge|none)$/.test(value);
  return isOwn && ownAndHarmless.test(key);
}

const isConfigOf = ({ top, gitFolder, commonFolder }: Folders, origin: string): boolean =>
  origin === `file:${join(commonFolder, 'config')}` ||
  (origin === 'file:.git/config' && gitFolder === join(top, '.git'));

/** A submodule's folder lies elsewhere and names its work tree. */
const leadsHome = (value: string, { top, gitFolder }: Folders): boolean =>
  gitFolder !== join(top, '.git') && realpathSync(resolve(gitFolder, value)) === top;
