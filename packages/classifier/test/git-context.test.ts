import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { gitContextHolds } from '../src/index.ts';

/** A folder with a repository in it that has one commit. */
function repository(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'toolgate-git-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const project = join(root, 'project');
  mkdirSync(join(project, 'src'), { recursive: true });
  git(project, 'init', '-q');
  git(
    project,
    '-c',
    'user.name=a',
    '-c',
    'user.email=a@b',
    'commit',
    '-q',
    '--allow-empty',
    '-m',
    'x',
  );
  return project;
}
const git = (folder: string, ...args: readonly string[]) =>
  execFileSync('git', args, { cwd: folder, stdio: 'pipe' });
const inside = (project: string) => (path: string) =>
  path === project || path.startsWith(`${project}/`);
const holds = (project: string, folder = project) => gitContextHolds(folder, inside(project));

test('an ordinary repository holds, from its top and from a folder in it', () => {
  const project = repository();

  expect([holds(project), holds(project, join(project, 'src'))]).toEqual([true, true]);
});

test('no repository, a folder that is missing, and one whose top lies outside do not hold', () => {
  const project = repository();

  expect(holds(project, join(project, '..'))).toBe(false);
  expect(holds(project, join(project, 'nowhere'))).toBe(false);
  expect(gitContextHolds(join(project, 'src'), inside(join(project, 'src')))).toBe(false);
});

const hostile = [
  ['core.fsmonitor', './x'],
  ['core.fsmonitor', 'true'],
  ['core.hooksPath', 'hooks'],
  ['core.pager', './x'],
  ['core.worktree', '/tmp'],
  ['core.alternateRefsCommand', './x'],
  ['pager.log', './x'],
  ['alias.st', '!./x'],
  ['filter.f.clean', './x'],
  ['filter.f.process', './x'],
  ['diff.external', './x'],
  ['diff.d.textconv', './x'],
  ['diff.d.command', './x'],
  ['gpg.program', './x'],
  ['gpg.ssh.program', './x'],
  ['log.showSignature', 'true'],
  ['remote.origin.promisor', 'true'],
  ['extensions.partialClone', 'origin'],
  ['extensions.worktreeConfig', 'true'],
  ['trace2.normalTarget', '/tmp/x'],
  ['submodule.s.ignore', 'none'],
] as const;
test.for(hostile)('%s = %s in the repository does not hold', ([key, value]) => {
  const project = repository();
  git(project, 'config', key, value);

  expect(holds(project)).toBe(false);
});

test('a name in other case and a value written as no do what git reads in them', () => {
  const project = repository();
  appendFileSync(
    join(project, '.git', 'config'),
    '[Core]\n\tFSMonitor = false\n[LOG]\n\tshowsignature = no\n',
  );
  expect(holds(project)).toBe(true);
  appendFileSync(join(project, '.git', 'config'), '[cOrE]\n\tfsMonitor = ./x\n');
  expect(holds(project)).toBe(false);
});

test('a switch without a value is on', () => {
  for (const section of ['[core]\n\tfsmonitor\n', '[log]\n\tshowSignature\n']) {
    const project = repository();
    appendFileSync(join(project, '.git', 'config'), section);
    expect([section, holds(project)]).toEqual([section, false]);
  }
});

test('a hook that runs when git reads does not hold, others do', () => {
  const project = repository();
  mkdirSync(join(project, '.git', 'hooks'), { recursive: true });
  writeFileSync(join(project, '.git', 'hooks', 'pre-commit'), '#!/bin/sh\n', { mode: 0o755 });
  expect(holds(project)).toBe(true);
  writeFileSync(join(project, '.git', 'hooks', 'post-index-change'), '#!/bin/sh\n', {
    mode: 0o755,
  });
  expect(holds(project)).toBe(false);
});

test('what the repository includes does not hold, under a condition and empty, too', () => {
  for (const section of ['[include]', '[includeIf "gitdir:**"]']) {
    const project = repository();
    // Empty now; by the time git runs it may hold anything.
    writeFileSync(join(project, 'shared.config'), '');
    appendFileSync(join(project, '.git', 'config'), `${section}\n\tpath = ../shared.config\n`);
    expect(holds(project)).toBe(false);
  }
});

test('a .git that is a file, a bare repository, submodules and worktrees do not hold', () => {
  const project = repository();
  git(project, 'worktree', 'add', '-q', '../other');
  expect([holds(project), holds(join(project, '../other'))]).toEqual([false, false]);

  const bare = join(repository(), 'bare');
  git(join(bare, '..'), 'init', '-q', '--bare', 'bare');
  expect(holds(join(bare, '..'), bare)).toBe(false);

  const parent = repository();
  mkdirSync(join(parent, '.git', 'modules', 'sub'), { recursive: true });
  expect(holds(parent)).toBe(false);
});
