import {
  chmod,
  lstat,
  readdir,
  readFile,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import type { ReadFileEntry } from '@toolgate/core';
import { edit } from '@toolgate/tools-builtin/edit';
import { read } from '@toolgate/tools-builtin/read';
import { expect, test } from 'vitest';
import { contextFor, project, use } from './helpers.ts';

/** A project with one file, read. */
async function readFileIn(content: string | Uint8Array) {
  const cwd = await project({ 'a.txt': content });
  const session = { cwd, readFileState: new Map<string, ReadFileEntry>() };
  await use(read, { file_path: 'a.txt' }, session);
  const path = join(cwd, 'a.txt');
  const change = (old_string: string, new_string: string, replace_all = false) =>
    use(edit, { file_path: 'a.txt', old_string, new_string, replace_all }, session);
  return { cwd, session, path, change };
}

test('the only place is replaced, and the output tells what changed', async () => {
  const { path, change } = await readFileIn('one\ntwo\nthree\n');

  const { data, text } = await change('two', '2');

  expect(await readFile(path, 'utf8')).toBe('one\n2\nthree\n');
  expect(data).toEqual({
    filePath: path,
    oldString: 'two',
    newString: '2',
    originalFile: 'one\ntwo\nthree\n',
    structuredPatch: [
      {
        oldStart: 1,
        oldLines: 3,
        newStart: 1,
        newLines: 3,
        lines: [' one', '-two', '+2', ' three'],
      },
    ],
    userModified: false,
    replaceAll: false,
  });
  expect(text).toBe(`Changed ${path}.\n1\tone\n2\t2\n3\tthree`);
});

test('several places need replace_all', async () => {
  const { path, change } = await readFileIn('a b a b a');

  await expect(change('a', 'c')).rejects.toThrow('found 3 times');
  expect(await readFile(path, 'utf8')).toBe('a b a b a');
  await change('a', '$&', true);
  expect(await readFile(path, 'utf8')).toBe('$& b $& b $&');
});

test('a miss names the nearest line', async () => {
  const { change } = await readFileIn('const one = 1;\nconst other = 22;\n  indented();\n');

  await expect(change('const othar = 22;', 'x')).rejects.toThrow(
    'The nearest is line 2: "const other = 22;".',
  );
  await expect(change('    indented();', 'x')).rejects.toThrow(
    'Line 3 differs in white space only.',
  );
  await expect(change('nothing like it', 'x')).rejects.toThrow(/not found in \S+$/);
});

test('an empty or unchanged text is refused', async () => {
  const { change } = await readFileIn('text');

  await expect(change('', 'x')).rejects.toThrow('refused: old_string is empty.');
  await expect(change('text', 'text')).rejects.toThrow('refused: old_string and new_string are');
});

test('line ends, BOM, mode and the end of the file stay as they were', async () => {
  const { path, change } = await readFileIn('\uFEFFone\r\ntwo\r\nmixed\nlast');
  await chmod(path, 0o755);

  await change('one\ntwo', 'eins\nzwei\ndrei');

  expect(await readFile(path, 'utf8')).toBe('\uFEFFeins\r\nzwei\r\ndrei\r\nmixed\nlast');
  expect((await stat(path)).mode & 0o777).toBe(0o755);
});

test('a link stays a link; its target changes', async () => {
  const { cwd, session, path } = await readFileIn('text');
  await symlink('a.txt', join(cwd, 'link'));

  await use(edit, { file_path: 'link', old_string: 'text', new_string: 'new' }, session);

  expect(await readFile(path, 'utf8')).toBe('new');
  expect((await lstat(join(cwd, 'link'))).isSymbolicLink()).toBe(true);
  expect((await readdir(cwd)).sort()).toEqual(['a.txt', 'link']);
});

test('a file that was not read, or changed since, is refused with a number', async () => {
  const { cwd, session, path } = await readFileIn('text');
  const input = { file_path: 'a.txt', old_string: 'text', new_string: 'new' };
  const check = (state: Map<string, ReadFileEntry>) =>
    edit.validateInput(input, contextFor(edit, input, { cwd, readFileState: state }));

  expect(await check(new Map())).toEqual({
    result: false,
    message: `${path} has not been read in this session. Read it first, then try again.`,
    errorCode: 2,
  });
  const { atime, mtime } = await stat(path);
  await writeFile(path, 'test');
  await utimes(path, atime, mtime);
  const changed = await check(session.readFileState);
  expect(changed).toEqual({
    result: false,
    message: `${path} has changed since it was read. Read it again, then try again.`,
    errorCode: 3,
  });
});

test('a change between the check and the call is found by the call', async () => {
  const { session, path } = await readFileIn('text');
  const input = { file_path: 'a.txt', old_string: 'text', new_string: 'new' };
  const context = contextFor(edit, input, session);
  await writeFile(path, 'text and more');

  await expect(edit.call(input, context, () => undefined)).rejects.toThrow('has changed since');
  expect(await readFile(path, 'utf8')).toBe('text and more');
});

test('of a file read in part the time counts, too', async () => {
  const cwd = await project({ 'a.txt': 'a\nb\nc\n' });
  const session = { cwd, readFileState: new Map<string, ReadFileEntry>() };
  await use(read, { file_path: 'a.txt', limit: 1 }, session);
  await use(edit, { file_path: 'a.txt', old_string: 'b', new_string: 'B' }, session);
  await use(read, { file_path: 'a.txt', limit: 1 }, session);
  await writeFile(join(cwd, 'a.txt'), 'a\nB\nC\n');
  await utimes(join(cwd, 'a.txt'), 1, 1);

  await expect(
    use(edit, { file_path: 'a.txt', old_string: 'B', new_string: 'b' }, session),
  ).rejects.toThrow('has changed since');
});

test('edits follow one another without reading again', async () => {
  const { path, change } = await readFileIn('one two');

  await change('one', '1');
  await change('two', '2');

  expect(await readFile(path, 'utf8')).toBe('1 2');
});

test('what is no UTF-8 text is refused and stays as it is', async () => {
  const bytes = Buffer.from([0x61, 0xff, 0x62]);
  const { path, change } = await readFileIn(bytes);

  await expect(change('a', 'x')).rejects.toThrow('is not valid UTF-8');
  expect(await readFile(path)).toEqual(bytes);
});

test('the patch of a change in a large file is small and has the right numbers', async () => {
  const lines = Array.from({ length: 50_000 }, (_, i) => `line ${i + 1}`);
  const { change } = await readFileIn(lines.join('\n'));

  const { data } = await change('line 40000\n', 'changed\nadded\n');

  expect(data.structuredPatch).toEqual([
    {
      oldStart: 39_997,
      oldLines: 7,
      newStart: 39_997,
      newLines: 8,
      lines: [
        ' line 39997',
        ' line 39998',
        ' line 39999',
        '-line 40000',
        '+changed',
        '+added',
        ' line 40001',
        ' line 40002',
        ' line 40003',
      ],
    },
  ]);
});

test('an edit is drawn as a diff before it is made', () => {
  const input = { file_path: 'a', old_string: 'one\ntwo', new_string: '2' };

  expect(edit.renderToolUseMessage(input)).toEqual({ type: 'diff', patch: '-one\n-two\n+2' });
});
