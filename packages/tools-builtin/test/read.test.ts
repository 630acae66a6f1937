import { createServer } from 'node:net';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bash } from '@toolgate/tools-builtin/bash';
import { read } from '@toolgate/tools-builtin/read';
import { expect, onTestFinished, test } from 'vitest';
import { contextFor, project, use } from './helpers.ts';
import { textOf } from './read-helpers.ts';

test('lines come with their numbers, without BOM and carriage returns, and are remembered', async () => {
  const cwd = await project({ 'a.txt': '\uFEFFone\r\ntwo\r\n' });
  const readFileState = new Map();

  const { data, text } = await use(read, { file_path: 'a.txt' }, { cwd, readFileState });

  expect(text).toBe('1\tone\n2\ttwo');
  expect(data).toEqual({
    type: 'text',
    file: {
      filePath: join(cwd, 'a.txt'),
      content: 'one\ntwo',
      numLines: 2,
      startLine: 1,
      totalLines: 2,
    },
  });
  expect(readFileState.get(join(cwd, 'a.txt'))).toEqual({
    content: 'one\ntwo\n',
    modifiedMs: expect.any(Number),
  });
});

test('a part of a file says how to read on', async () => {
  const cwd = await project({ 'a.txt': 'a\nb\nc\nd' });

  const { text } = await use(read, { file_path: 'a.txt', offset: 2, limit: 2 }, { cwd });

  expect(text).toBe('2\tb\n3\tc\n(Lines 2 to 3 of 4. Read on with offset 4.)');
});

test('an empty file and an offset past the end say so', async () => {
  const cwd = await project({ 'empty.txt': '', 'a.txt': 'a\n' });

  expect((await use(read, { file_path: 'empty.txt' }, { cwd })).text).toBe('(The file is empty.)');
  expect((await use(read, { file_path: 'a.txt', offset: 9 }, { cwd })).text).toBe(
    '(The file has 1 lines; line 9 is past its end.)',
  );
});

test('long files and long lines are cut, and every line can still be reached', async () => {
  const line = 'x'.repeat(1_500);
  const cwd = await project({
    'long.txt': `${line}\n`.repeat(200),
    'wide.txt': `${'é'.repeat(5_000)}\nshort\n`,
  });

  const long = await use(read, { file_path: 'long.txt' }, { cwd });
  expect(long.text.length).toBeLessThan(101_000);
  expect(textOf(long.data).truncatedByTokenCap).toBe(true);
  expect(long.text).toMatch(
    /\(Lines 1 to 66 of 200, as much as fits\. Read on with offset 67\.\)$/,
  );
  const rest = await use(read, { file_path: 'long.txt', offset: 67 }, { cwd });
  expect(textOf(rest.data).startLine).toBe(67);

  const wide = await use(read, { file_path: 'wide.txt' }, { cwd });
  expect(wide.text).toBe(`1\t${'é'.repeat(2_000)}… [cut: the line has 10000 bytes]\n2\tshort`);
});

test('lines are whole where the chunks of a large file meet', async () => {
  const lines = Array.from({ length: 100_000 }, (_, i) => `line ${i + 1} ünïcödé`);
  const cwd = await project({ 'large.txt': lines.join('\n') });

  const { data } = await use(
    read,
    { file_path: 'large.txt', offset: 11_000, limit: 2_000 },
    { cwd },
  );

  expect(textOf(data).content.split('\n')).toEqual(lines.slice(10_999, 12_999));
  expect(textOf(data).totalLines).toBe(100_000);
});

test.each([
  ['BM\0\0', 'a BMP image'],
  ['PK\x03\x04\0\0', 'a ZIP archive'],
  ['\x7fELF\0', 'an ELF program'],
  ['\xff\xfe\0\0a\0\0\0', 'UTF-32 text (convert it with iconv)'],
  ['RIFF\0\0\0\0WAVE', 'a WAV recording'],
  ['\0\x01\x02', 'binary data'],
])('%j is refused as %s', async (bytes, kind) => {
  const cwd = await project({ file: Buffer.from(bytes, 'latin1') });

  await expect(use(read, { file_path: 'file' }, { cwd })).rejects.toThrow(`seems to be ${kind}`);
});

test('a missing file names its nearest neighbour', async () => {
  const cwd = await project({ 'readme.md': '' });

  await expect(use(read, { file_path: 'readmi.md' }, { cwd })).rejects.toThrow(
    `${join(cwd, 'readmi.md')} does not exist. Did you mean "readme.md"?`,
  );
});

test('folders, devices, pipes, sockets and files of /proc are refused without waiting', async () => {
  const cwd = await project();
  await mkdir(join(cwd, 'folder'));
  await use(bash, { command: 'mkfifo pipe' }, { cwd });
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(join(cwd, 'socket'), resolve));
  onTestFinished(() => void server.close());

  const refusals = { folder: 'is a folder', pipe: 'is a pipe', socket: 'is a socket' };
  for (const [file_path, message] of Object.entries(refusals))
    await expect(use(read, { file_path }, { cwd })).rejects.toThrow(message);
  await expect(use(read, { file_path: '/dev/zero' }, { cwd })).rejects.toThrow('is a device');
  await expect(use(read, { file_path: '/proc/self/environ' }, { cwd })).rejects.toThrow(
    'belongs to the system',
  );
});

test('a link put in place of the file or of its folder after approval is not followed', async () => {
  const outside = await project({ 'secret.txt': 'secret' });
  const cwd = await project({ 'in/secret.txt': 'harmless' });
  const input = { file_path: 'in/secret.txt' };
  const context = contextFor(read, input, { cwd });

  await rename(join(cwd, 'in'), join(cwd, 'away'));
  await symlink(outside, join(cwd, 'in'));
  await expect(use(read, input, { cwd }, { context })).rejects.toThrow(
    `${join(cwd, input.file_path)} changed since it was approved; try again.`,
  );

  await rm(join(cwd, 'in'));
  await mkdir(join(cwd, 'in'));
  await symlink(join(outside, 'secret.txt'), join(cwd, 'in/secret.txt'));
  await expect(use(read, input, { cwd }, { context })).rejects.toThrow('changed since');
});

test('a link that was there when the call was judged is read', async () => {
  const cwd = await project({ 'target.txt': 'text' });
  await symlink('target.txt', join(cwd, 'link.txt'));

  expect((await use(read, { file_path: 'link.txt' }, { cwd })).text).toBe('1\ttext');
});

test('reads inside the working directories allow themselves, others do not', async () => {
  const outside = await project({ 'b.txt': '' });
  const cwd = await project({ 'a.txt': '' });
  await symlink(join(outside, 'b.txt'), join(cwd, 'link.txt'));
  const opinion = (file_path: string) => {
    const context = contextFor(read, { file_path }, { cwd });
    return read.checkPermissions({ file_path }, context);
  };

  expect(opinion('a.txt')).toMatchObject({ behavior: 'allow', covers: [{ tool: 'Read' }] });
  for (const path of ['link.txt', join(outside, 'b.txt'), '../x', '/etc/passwd'])
    expect(opinion(path)).toEqual({ behavior: 'passthrough' });
});

test('an aborted read ends', async () => {
  const cwd = await project();
  await writeFile(join(cwd, 'a.txt'), 'text');

  await expect(
    use(read, { file_path: 'a.txt' }, { cwd, signal: AbortSignal.abort() }),
  ).rejects.toThrow('aborted');
});

test.for([
  ['a\0b', /NUL/],
  ['n'.repeat(256), /255 bytes/],
  ['x/'.repeat(2_500), /4,095 bytes/],
] as const)('a path that no file can have is refused in plain words', async ([path, message]) => {
  const cwd = await project();
  await expect(use(read, { file_path: path }, { cwd })).rejects.toThrow(message);
});
