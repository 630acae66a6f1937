import { chmod, mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReadFileEntry } from '@toolgate/core';
import { read } from '@toolgate/tools-builtin/read';
import { write } from '@toolgate/tools-builtin/write';
import { expect, test } from 'vitest';
import { contextFor, project, use } from './helpers.ts';

test('a new file is made with its folders', async () => {
  const cwd = await project();

  const { data, text } = await use(write, { file_path: 'a/b/c.txt', content: 'hi\n' }, { cwd });

  const path = join(cwd, 'a/b/c.txt');
  expect(await readFile(path, 'utf8')).toBe('hi\n');
  expect(await readdir(join(cwd, 'a/b'))).toEqual(['c.txt']);
  expect(data).toEqual({
    type: 'create',
    filePath: path,
    content: 'hi\n',
    structuredPatch: [],
    originalFile: null,
  });
  expect(text).toBe(`Made ${path}.`);
});

test('a file that exists must have been read, and can then be written again and again', async () => {
  const cwd = await project({ 'a.txt': '\uFEFFone\r\ntwo\r\n' });
  const session = { cwd, readFileState: new Map<string, ReadFileEntry>() };
  const input = { file_path: 'a.txt', content: 'one\n2\n' };

  await expect(use(write, input, session)).rejects.toThrow('refused: ' + join(cwd, 'a.txt'));
  await use(read, { file_path: 'a.txt' }, session);
  const { data } = await use(write, input, session);
  expect(await readFile(join(cwd, 'a.txt'), 'utf8')).toBe('\uFEFFone\r\n2\r\n');
  expect(data.type).toBe('update');
  expect(data.structuredPatch.flatMap(({ lines }) => lines)).toEqual([' one', '-two', '+2']);
  await use(write, { ...input, content: 'three' }, session);
  expect(await readFile(join(cwd, 'a.txt'), 'utf8')).toBe('\uFEFFthree');
});

test('a file somebody made meanwhile is not overwritten', async () => {
  const cwd = await project();
  const input = { file_path: 'a.txt', content: 'mine' };
  const context = contextFor(write, input, { cwd });
  await writeFile(join(cwd, 'a.txt'), 'theirs');

  await expect(write.call(input, context, () => undefined)).rejects.toThrow('has not been read');
  expect(await readFile(join(cwd, 'a.txt'), 'utf8')).toBe('theirs');
});

test.each(['in/new.txt', 'in/deep/new.txt'])(
  'a folder of %s replaced by a link after approval leads nowhere',
  async (file_path) => {
    const outside = await project();
    const cwd = await project({ 'in/old.txt': '' });
    const input = { file_path, content: 'x' };
    const context = contextFor(write, input, { cwd });
    await rename(join(cwd, 'in'), join(cwd, 'away'));
    await symlink(outside, join(cwd, 'in'));

    await expect(write.call(input, context, () => undefined)).rejects.toThrow(
      `${join(cwd, file_path)} changed since it was approved; try again.`,
    );
    expect(await readdir(outside)).toEqual([]);
  },
);

test('a link put where a new folder was to be made leads nowhere', async () => {
  const outside = await project();
  const cwd = await project();
  const input = { file_path: 'fresh/new.txt', content: 'x' };
  const context = contextFor(write, input, { cwd });
  await symlink(outside, join(cwd, 'fresh'));

  await expect(write.call(input, context, () => undefined)).rejects.toThrow('changed since');
  expect(await readdir(outside)).toEqual([]);
});

test('a folder or a special file is no target', async () => {
  const cwd = await project();
  await mkdir(join(cwd, 'folder'));

  await expect(use(write, { file_path: 'folder', content: '' }, { cwd })).rejects.toThrow(
    'is a folder',
  );
  await expect(use(write, { file_path: '/dev/null', content: '' }, { cwd })).rejects.toThrow(
    'is a device',
  );
});

test('a failed write leaves nothing behind', async () => {
  const cwd = await project({ file: 'x' });

  await expect(use(write, { file_path: 'file/a.txt', content: '' }, { cwd })).rejects.toThrow(
    'is a file, not a folder',
  );
  await expect(
    use(write, { file_path: 'b.txt', content: '' }, { cwd, signal: AbortSignal.abort() }),
  ).rejects.toThrow('aborted');
  expect(await readdir(cwd)).toEqual(['file']);
});

test.skipIf(process.getuid?.() === 0)('what this user may not touch stays as it is', async () => {
  const cwd = await project({ 'read-only.txt': 'a', 'closed.txt': 'a', 'folder/a.txt': '' });
  await chmod(join(cwd, 'read-only.txt'), 0o444);
  await chmod(join(cwd, 'closed.txt'), 0);
  await chmod(join(cwd, 'folder'), 0o555);
  const session = { cwd, readFileState: new Map<string, ReadFileEntry>() };
  await use(read, { file_path: 'read-only.txt' }, session);
  const refused = (file_path: string, message: string) =>
    expect(use(write, { file_path, content: 'b' }, session)).rejects.toThrow(message);

  await refused('read-only.txt', 'may not be written by this user.');
  await refused('closed.txt', 'may not be read by this user.');
  await refused('folder/b.txt', 'may not be written.');
  await refused('folder/deep/b.txt', 'may not be made.');
  await chmod(join(cwd, 'folder'), 0o755);
});
