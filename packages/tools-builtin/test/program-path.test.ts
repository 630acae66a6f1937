import { chmod, chown, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ToolUseContext } from '@toolgate/core';
import { bash } from '@toolgate/tools-builtin/bash';
import { expect, test } from 'vitest';
import { programPath } from '../src/bash/program-path.ts';
import { contextFor, project, use } from './helpers.ts';

const isRoot = process.getuid?.() === 0;

/** An `ls` that tells on itself. */
async function plantLs(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'ls'), '#!/bin/sh\necho planted\n');
  await chmod(join(folder, 'ls'), 0o755);
  return folder;
}

async function withPath<T>(path: string, work: () => Promise<T>): Promise<T> {
  const before = process.env['PATH'];
  process.env['PATH'] = path;
  try {
    return await work();
  } finally {
    process.env['PATH'] = before;
  }
}

/** What this command prints with such a folder first on the PATH. */
const outputOf = (
  command: string,
  { cwd, first, readOnly = true }: { cwd: string; first: string; readOnly?: boolean },
) =>
  withPath(`${first}:${process.env['PATH'] ?? ''}`, async () => {
    const { text } = await use(bash, { command }, { cwd, readOnly });
    return text;
  });

/** Each gives a project's folder and a PATH entry with an `ls` in it. */
const plants: Readonly<Record<string, () => Promise<{ cwd: string; first: string }>>> = {
  'the working folder': async () => {
    const cwd = await project();
    return { cwd, first: await plantLs(join(cwd, 'bin')) };
  },
  'the .bin of a folder above': async () => {
    const mono = await project({ 'packages/x/a.txt': '' });
    return {
      cwd: join(mono, 'packages/x'),
      first: await plantLs(join(mono, 'node_modules/.bin')),
    };
  },
  'the repository around the working folder': async () => {
    const mono = await project({ 'packages/x/a.txt': '', '.git/HEAD': '' });
    return { cwd: join(mono, 'packages/x'), first: await plantLs(join(mono, 'bin')) };
  },
  'the package around the working folder, through a link': async () => {
    const mono = await project({ 'packages/x/a.txt': '', 'package.json': '{}' });
    const link = join(await project(), 'link');
    await symlink(mono, link);
    return { cwd: join(link, 'packages/x'), first: await plantLs(join(mono, 'bin')) };
  },
  'a link to the project': async () => {
    const cwd = await project();
    const first = join(await project(), 'link');
    await symlink(await plantLs(join(cwd, 'bin')), first);
    return { cwd, first };
  },
  'a folder that everyone can write': async () => {
    const first = await plantLs(await project());
    await chmod(first, 0o777);
    return { cwd: await project(), first };
  },
  'a folder like /tmp': async () => {
    const first = await plantLs(await project());
    await chmod(first, 0o1777);
    return { cwd: await project(), first };
  },
  'a folder that a group can write': async () => {
    const first = await plantLs(await project());
    await chmod(first, 0o775);
    return { cwd: await project(), first };
  },
  'a folder of a user': async () => {
    const first = await plantLs(await project());
    await chmod(first, 0o755);
    if (isRoot) await chown(first, 65_534, 65_534);
    return { cwd: await project(), first };
  },
  'a folder that is root’s, by a link into the project': async () => {
    const cwd = await project();
    const first = await project();
    await chmod(first, 0o755);
    await symlink(join(await plantLs(join(cwd, 'bin')), 'ls'), join(first, 'ls'));
    return { cwd, first };
  },
  'a folder that is root’s, by a file of a user': async () => {
    const first = await plantLs(await project());
    await chmod(first, 0o755);
    if (isRoot) await chown(join(first, 'ls'), 65_534, 65_534);
    return { cwd: await project(), first };
  },
  'another package': async () => ({
    cwd: await project(),
    first: await plantLs(join(await project(), 'node_modules/.bin')),
  }),
};

test.each(Object.entries(plants))(
  'security 8: an `ls` planted in %s is not what a read-only command runs',
  async (_, plant) => {
    const at = await plant();

    expect(await outputOf('ls', at)).not.toContain('planted');
    expect(await outputOf(`l"s" ${at.cwd}`, at)).not.toContain('planted');
    expect(await outputOf('ls', { ...at, readOnly: false })).toContain('planted');
  },
);

/** A call with one read-only part, `ls`, and one that a rule allowed. */
function mixed(command: string, cwd: string): ToolUseContext {
  const context = contextFor(bash, { command }, { cwd });
  const part = (content: string, readOnly: boolean) => ({ tool: 'Bash', content, readOnly });
  const units = [part('LC_ALL=C ls -l', true), part('tool', false)];
  return { ...context, effects: { ...context.effects, units } };
}

test('security 8: the read-only part of an allowed command is not the project’s either', async () => {
  const mono = await project({ 'packages/x/a.txt': '' });
  const cwd = join(mono, 'packages/x');
  const bin = await plantLs(join(mono, 'node_modules/.bin'));
  const other = await plantLs(join(mono, 'other/node_modules/.bin'));
  await writeFile(join(bin, 'tool'), '#!/bin/sh\necho tool\n');
  await chmod(join(bin, 'tool'), 0o755);
  const command = 'LC_ALL=C ls -l; tool';
  const path = `${bin}:${other}:${process.env['PATH'] ?? ''}`;

  const { text } = await withPath(path, () =>
    use(bash, { command }, { cwd }, { context: mixed(command, cwd) }),
  );

  expect(text).not.toContain('planted');
  expect(text).toContain('a.txt');
});

test('an allowed command keeps the folders of its PATH, but for relative and empty ones', async () => {
  const cwd = await project({ 'node_modules/.bin/tool': '' });
  const path = `${cwd}/node_modules/.bin:/nowhere:/usr/bin:/bin`;

  expect(programPath(`:bin:${path}:.`, 'ls; tool', mixed('ls; tool', cwd))).toBe(path);
});

test('a read-only command finds the system’s programs, by real names and once', async () => {
  const cwd = await project();
  const place = contextFor(bash, { command: '' }, { cwd, readOnly: true });
  const link = join(await project(), 'link');
  await symlink('/usr/bin', link);
  const judge = (path: string, home = '/root') =>
    programPath(path, 'ls | sort | [ x ]', { ...place, home });

  expect(judge(`${link}:/usr/bin:/usr/sbin`)).toBe('/usr/bin:/usr/sbin');
  expect(judge(`${cwd}:relative::`)).toBe('/usr/bin:/bin');
  expect(judge('/nowhere')).toBe('/usr/bin:/bin');
  expect(judge('/usr/sbin:/usr/bin', '/usr/sbin')).toBe('/usr/bin');
  expect(judge('/usr/sbin:/usr/bin', '/')).toBe('/usr/sbin:/usr/bin');
  const node = dirname(process.execPath);
  expect(judge(`${node}/nothing:/usr/bin`)).toBe('/usr/bin');
});

test.each([
  'ls -la',
  'cat a.txt | sort | uniq -c',
  'find . -name "*.txt" | head -3',
  'grep -rn hello .',
  'sed -n 1p a.txt; wc -l a.txt; tail -1 a.txt; cut -c1 a.txt',
  'git --version; du -s .; stat a.txt; date; uname; whoami; id; env; which ls',
])('everyday reading works in a hostile PATH: %s', async (command) => {
  const cwd = await project({ 'a.txt': 'hello\n' });

  const { data } = await withPath(`${cwd}:.:/tmp:${process.env['PATH'] ?? ''}`, () =>
    use(bash, { command }, { cwd, readOnly: true }),
  );

  expect(data).toMatchObject({ stderr: '', exitCode: 0 });
});

test('a word too long for a name is no program', async () => {
  const cwd = await project();
  const { text } = await use(
    bash,
    { command: `echo ${'x'.repeat(256)} | wc -c` },
    { cwd, readOnly: true },
  );
  expect(text.trim()).toBe('257');
});

test.skipIf(isRoot)('a folder that cannot be searched is left out', async () => {
  const context = contextFor(bash, { command: 'ls' }, { cwd: await project(), readOnly: true });
  const path = programPath('/root:/usr/bin', 'ls', context);
  expect(path).toBe('/usr/bin');
});
