import { basename } from 'node:path';
import type { Effects, PermissionUnit } from './effects.ts';
import { ask, type AskOpinion } from './opinion.ts';

// The published list of paths that agents must not write without being asked (protocol 2.3).
const protectedFolders = [
  '.git',
  '.vscode',
  '.idea',
  '.husky',
  '.cargo',
  '.devcontainer',
  '.yarn',
  '.mvn',
  '.claude',
  '.toolgate',
];
const protectedFiles = new Set(
  `.gitconfig .gitmodules .bashrc .bash_profile .bash_login .bash_aliases .bash_logout .zshrc .zprofile .zshenv .zlogin
  .zlogout .profile .envrc .npmrc .yarnrc .yarnrc.yml .pnp.cjs .pnp.loader.mjs .pnpmfile.cjs bunfig.toml .bunfig.toml
  .bazelrc .bazelversion .bazeliskrc .pre-commit-config.yaml lefthook.yml lefthook.yaml .lefthook.yml .lefthook.yaml
  gradle-wrapper.properties maven-wrapper.properties .devcontainer.json .ripgreprc pyrightconfig.json .mcp.json
  .claude.json`.split(/\s+/),
);

/** True for a path whose writing can change what runs later: shell start-up files, git, editors, settings. */
export function isProtectedPath(path: string): boolean {
  const folded = path.normalize('NFC').toLowerCase();
  const segments = folded.split('/').filter(Boolean);
  if (protectedFiles.has(basename(folded))) return true;
  return segments.some((segment, index) => {
    if (segment === '.config') return segments[index + 1] === 'git';
    if (segment === '.claude' && segments[index + 1] === 'worktrees') return false;
    return protectedFolders.includes(segment);
  });
}

const writesProtected = (unit: PermissionUnit): boolean => {
  const isWriter = unit.tool === 'Edit' || (unit.tool !== 'Read' && !unit.readOnly);
  const named = (unit.touches ?? []).filter(({ how }) => how === 'Edit');
  return [...(isWriter ? [unit] : []), ...(unit.writes ?? []), ...named].some(
    ({ path, realPath }) =>
      [path, realPath].some((spelling) => spelling !== undefined && isProtectedPath(spelling)),
  );
};

/** Asks that hold whatever permission backend is in place: protected paths, and warnings that ask. */
export function floors(effects: Effects): readonly AskOpinion[] {
  const asks = effects.units.filter(writesProtected).map((unit) => ({
    ...ask('This would write a file that can change what runs later.', 'soft'),
    unit,
  }));
  const warned = effects.warnings.flatMap(({ message, asks: strength }) =>
    strength ? [ask(message, strength)] : [],
  );
  return [...asks, ...warned];
}
