import { mkdir, rename, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { glob } from '@toolgate/tools-builtin/glob';
import { expect, test } from 'vitest';
import { contextFor, project, use } from './helpers.ts';

test('files are found at any depth, newest first, from the working directory', async () => {
  const cwd = await project({ 'a.ts': '', 'src/b.ts': '', 'src/deep/.c.ts': '', 'src/d.js': '' });
  await utimes(join(cwd, 'a.ts'), 3, 3);
  await utimes(join(cwd, 'src/b.ts'), 1, 1);
  await utimes(join(cwd, 'src/deep/.c.ts'), 2, 2);

  const { data, text } = await use(glob, { pattern: '**/*.ts' }, { cwd });

  expect(text).toBe('a.ts\nsrc/deep/.c.ts\nsrc/b.ts');
  expect(data).toEqual({
    durationMs: expect.any(Number),
    numFiles: 3,
    filenames: ['a.ts', 'src/deep/.c.ts', 'src/b.ts'],
    truncated: false,
    totalMatches: 3,
    denied: 0,
    engine: 'ripgrep',
  });
  expect((await use(glob, { pattern: './*.{ts,js}', path: 'src' }, { cwd })).text).toBe(
    'src/d.js\nsrc/b.ts',
  );
  expect((await use(glob, { pattern: '*.py' }, { cwd })).text).toBe('No files found.');
});

test('at most 100 files are shown, the newest', async () => {
  const cwd = await project();
  for (let i = 0; i < 310; i += 1) {
    await writeFile(join(cwd, `${i}.txt`), '');
    await utimes(join(cwd, `${i}.txt`), i, i);
  }

  const { data, text } = await use(glob, { pattern: '*' }, { cwd });

  expect(data).toMatchObject({ numFiles: 100, truncated: true, totalMatches: 310 });
  expect(data.filenames[0]).toBe('309.txt');
  expect(data.filenames[99]).toBe('210.txt');
  expect(text).toMatch(/\(The newest 100 of 310; use a narrower pattern or path\.\)$/);
});

test('links are not followed, .git and node_modules only when they are named', async () => {
  const outside = await project({ 'x.js': '' });
  const cwd = await project({ '.git/x.js': '', 'node_modules/m/x.js': '', 'x.js': '' });
  await symlink(outside, join(cwd, 'link'));
  const found = async (pattern: string, path = '.') =>
    (await use(glob, { pattern, path }, { cwd })).data.filenames;

  expect(await found('**/*.js')).toEqual(['x.js']);
  expect(await found('node_modules/**/*.js')).toEqual(['node_modules/m/x.js']);
  expect(await found('**', 'node_modules')).toEqual(['node_modules/m/x.js']);
});

test.each(['/etc/*', '~/x', '../*', 'a/../../*', '{a,../b}', 'C:\\x'])(
  'the pattern %s is refused',
  async (pattern) => {
    const cwd = await project();

    await expect(use(glob, { pattern }, { cwd })).rejects.toThrow('give the folder in path.');
  },
);

test('what a rule denies to read is left out, and the result says how much', async () => {
  const cwd = await project({ '.env': '', 'a.txt': '' });

  const { text } = await use(
    glob,
    { pattern: '*' },
    { cwd, deniesRead: (path) => path === join(cwd, '.env') },
  );

  expect(text).toBe('a.txt\n(1 file was left out: reading is denied.)');
});

test('a folder replaced by a link after approval is not listed', async () => {
  const outside = await project({ 'secret.txt': '' });
  const cwd = await project({ 'in/a.txt': '' });
  const input = { pattern: '*', path: 'in' };
  const context = contextFor(glob, input, { cwd });
  await rename(join(cwd, 'in'), join(cwd, 'away'));
  await symlink(outside, join(cwd, 'in'));

  await expect(use(glob, input, { cwd }, { context })).rejects.toThrow('changed since');
});

test('a missing folder, a file and an abort end the search', async () => {
  const cwd = await project({ file: '' });
  await mkdir(join(cwd, 'empty'));

  await expect(use(glob, { pattern: '*', path: 'no' }, { cwd })).rejects.toThrow('does not exist');
  await expect(use(glob, { pattern: '*', path: 'file' }, { cwd })).rejects.toThrow('no folder');
  await expect(use(glob, { pattern: '*' }, { cwd, signal: AbortSignal.abort() })).rejects.toThrow(
    'aborted',
  );
});
