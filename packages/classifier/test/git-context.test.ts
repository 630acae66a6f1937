import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
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
  ['submodule.s.update', '!./x'],
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

test('a bare repository does not hold', () => {
  const bare = join(repository(), 'bare');
  git(join(bare, '..'), 'init', '-q', '--bare', 'bare');

  expect([holds(join(bare, '..'), bare), holds(bare)]).toEqual([false, false]);
});

test('a linked worktree holds when it lies inside and its repository names no program', () => {
  const project = repository();
  const other = join(project, '../other');
  git(project, 'worktree', 'add', '-q', '../other');
  expect([holds(project), holds(other)]).toEqual([true, true]);
  expect(gitContextHolds(other, inside(project))).toBe(false);

  git(project, 'config', 'filter.f.clean', './x');
  expect([holds(project), holds(other)]).toEqual([false, false]);
});

test('a .git file that leads to a folder laid out as a repository does not hold', () => {
  const project = repository();
  const decoy = join(project, 'decoy');
  git(project, 'init', '-q', 'decoy');
  renameSync(join(decoy, '.git'), join(decoy, 'store'));
  writeFileSync(join(decoy, '.git'), 'gitdir: store\n');
  expect(holds(project, decoy)).toBe(false);

  // One that claims to be somebody's worktree must be named by that repository.
  const common = join(project, 'fake', '.git');
  mkdirSync(join(common, 'worktrees', 'w'), { recursive: true });
  renameSync(join(decoy, 'store'), join(project, 'fake', 'whole'));
  cpSync(join(project, 'fake', 'whole'), common, { recursive: true });
  writeFileSync(join(common, 'worktrees', 'w', 'commondir'), '../..\n');
  writeFileSync(join(common, 'worktrees', 'w', 'HEAD'), 'ref: refs/heads/x\n');
  writeFileSync(join(common, 'worktrees', 'w', 'gitdir'), join(project, 'elsewhere', '.git'));
  writeFileSync(join(decoy, '.git'), `gitdir: ${join(common, 'worktrees', 'w')}\n`);
  expect(holds(project, decoy)).toBe(false);
});

/** A repository with another as its submodule, and what is needed to commit in it. */
function withSubmodule(): string {
  const origin = repository();
  const project = repository();
  git(project, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', origin, 'sub');
  return project;
}

test('submodules hold from outside and from within when their own settings name no program', () => {
  const project = withSubmodule();
  expect([holds(project), holds(project, join(project, 'sub'))]).toEqual([true, true]);

  git(join(project, 'sub'), 'config', 'filter.f.clean', './x');
  expect([holds(project), holds(project, join(project, 'sub'))]).toEqual([false, false]);
});

test('a hook of a submodule that runs when git reads does not hold', () => {
  const project = withSubmodule();
  const hooks = join(project, '.git', 'modules', 'sub', 'hooks');
  mkdirSync(hooks, { recursive: true });
  writeFileSync(join(hooks, 'post-index-change'), '#!/bin/sh\n', { mode: 0o755 });

  expect(holds(project)).toBe(false);
});

test('a work tree that a submodule claims and that is not its own does not hold', () => {
  const project = withSubmodule();
  git(join(project, 'sub'), 'config', 'core.worktree', '../../..');

  expect(holds(project)).toBe(false);
});

test('a repository that was added as a folder is looked into, for git runs what it names', () => {
  const project = repository();
  git(project, 'init', '-q', 'embedded');
  const embedded = join(project, 'embedded');
  writeFileSync(join(embedded, 'a'), 'a');
  git(embedded, 'add', 'a');
  git(embedded, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'x');
  git(project, '-c', 'advice.addEmbeddedRepo=false', 'add', 'embedded');
  expect(holds(project)).toBe(true);

  const marker = join(project, '../ran');
  git(embedded, 'config', 'filter.f.clean', `touch ${marker}; cat`);
  writeFileSync(join(embedded, '.gitattributes'), 'a filter=f\n');
  writeFileSync(join(embedded, 'a'), 'b'); // as long as before: git has to look
  expect(holds(project)).toBe(false);
  // The danger is real: reading the outer repository runs the inner one's program.
  git(project, 'status');
  expect(existsSync(marker)).toBe(true);
});
