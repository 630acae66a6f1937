import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReadFileEntry } from '@toolgate/core';
import { edit } from '@toolgate/tools-builtin/edit';
import { notebookEdit } from '@toolgate/tools-builtin/notebook-edit';
import { read } from '@toolgate/tools-builtin/read';
import { write } from '@toolgate/tools-builtin/write';
import { expect, test } from 'vitest';
import { project, use } from './helpers.ts';
import { imageOf, notebookOf, pdfOf, pdfWith, textOf } from './read-helpers.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

test('a picture is shown as it is, known by its bytes and not by its name', async () => {
  const cwd = await project({ 'picture.txt': png });

  const { data, mapped } = await use(read, { file_path: 'picture.txt' }, { cwd });

  const file = imageOf(data);
  expect({ ...file, base64: '' }).toEqual({
    filePath: join(cwd, 'picture.txt'),
    base64: '',
    type: 'image/png',
    originalSize: png.length,
  });
  expect(Buffer.from(file.base64, 'base64')).toEqual(png);
  expect(mapped.content).toEqual([
    {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: png.toString('base64') },
    },
  ]);
});

test('a picture too large for a model is refused and says what to do', async () => {
  const cwd = await project({ 'a.png': Buffer.concat([png, Buffer.alloc(4_000_000)]) });

  await expect(use(read, { file_path: 'a.png' }, { cwd })).rejects.toThrow(
    /a picture may have 3750000\. Make a smaller copy/,
  );
});

test('pages of a PDF document come as text, those asked for', async () => {
  const texts = Array.from({ length: 25 }, (_, i) => (i === 2 ? '' : `This is page ${i + 1}`));
  const cwd = await project({ 'a.pdf': pdfWith(texts) });

  const some = await use(read, { file_path: 'a.pdf', pages: '2-3' }, { cwd });
  expect(some.text).toBe(
    'Page 2 of 25:\nThis is page 2\n\nPage 3 of 25:\n(No text: a picture, or empty.)\n\n(Read on with pages "4-23".)',
  );
  const first = await use(read, { file_path: 'a.pdf' }, { cwd });
  expect(pdfOf(first.data).pages).toHaveLength(20);
  expect(first.text).toMatch(/\(Read on with pages "21-25"\.\)$/);
});

test('pages that cannot be are refused in one line', async () => {
  const cwd = await project({
    'a.pdf': pdfWith(['one']),
    'a.txt': 'text',
    'bad.pdf': '%PDF-1.4\n',
  });
  const pages = (pages: string, file_path = 'a.pdf') => use(read, { file_path, pages }, { cwd });

  await expect(pages('1-21')).rejects.toThrow('asks for 21 pages; at most 20');
  for (const wrong of ['0', 'x', '3-1', '-2', '1,2'])
    await expect(pages(wrong)).rejects.toThrow('write "3" or "1-5".');
  await expect(pages('2')).rejects.toThrow('has 1 pages; page 2 is past its end');
  await expect(pages('1', 'a.txt')).rejects.toThrow('is no PDF document; leave pages out.');
  await expect(pages('1', 'bad.pdf')).rejects.toThrow('cannot be read as PDF');
});

test.each(['utf-16le', 'utf-16be'] as const)(
  'text in %s is read, and keeps its encoding when it is changed',
  async (encoding) => {
    const bytes = (text: string) => {
      const little = Buffer.from(`\uFEFF${text}`, 'utf16le');
      return encoding === 'utf-16le' ? little : little.swap16();
    };
    const cwd = await project({ 'a.txt': bytes('öne 😀\r\ntwo\r\n') });
    const session = { cwd, readFileState: new Map<string, ReadFileEntry>() };

    expect((await use(read, { file_path: 'a.txt' }, session)).text).toBe('1\töne 😀\n2\ttwo');
    const input = { file_path: 'a.txt', old_string: 'two\n', new_string: '2\n3\n' };
    await use(edit, input, session);
    expect(await readFile(join(cwd, 'a.txt'))).toEqual(bytes('öne 😀\r\n2\r\n3\r\n'));
    await use(write, { file_path: 'a.txt', content: 'new\n' }, session);
    expect(await readFile(join(cwd, 'a.txt'))).toEqual(bytes('new\r\n'));
  },
);

test('UTF-16 is whole where the chunks of a large file meet', async () => {
  const lines = Array.from({ length: 30_000 }, (_, i) => `${i + 1} 😀`);
  const cwd = await project({ 'a.txt': Buffer.from(`\uFEFFx${lines.join('\n')}`, 'utf16le') });

  const { data } = await use(read, { file_path: 'a.txt', offset: 29_000 }, { cwd });

  expect(textOf(data).content.split('\n')).toEqual(lines.slice(28_999));
});

test('allow_large shows more text at once, and the file can then be changed', async () => {
  const text = `${'x'.repeat(1_000)}\n`.repeat(300);
  const cwd = await project({ 'a.txt': text });
  const session = { cwd, readFileState: new Map<string, ReadFileEntry>() };

  const { data } = await use(read, { file_path: 'a.txt', allow_large: true }, session);
  expect(textOf(data).numLines).toBe(300);
  await use(write, { file_path: 'a.txt', content: 'new' }, session);
  expect(await readFile(join(cwd, 'a.txt'), 'utf8')).toBe('new');
});

const notebook = {
  cells: [
    { cell_type: 'markdown', id: 'intro', metadata: {}, source: ['# Title\n', 'text'] },
    {
      cell_type: 'code',
      execution_count: 3,
      id: 'c0de',
      metadata: { tags: ['x'] },
      outputs: [
        { name: 'stdout', output_type: 'stream', text: ['4\n'] },
        { data: { 'image/png': `${png.toString('base64')}\n` }, output_type: 'display_data' },
        { output_type: 'error', ename: 'E', evalue: 'v', traceback: ['\u001b[31mE\u001b[0m: v'] },
      ],
      source: 'print(2 + 2)',
    },
  ],
  metadata: { kernelspec: { language: 'python' }, ratio: 1.0 },
  nbformat: 4,
  nbformat_minor: 5,
};
// Not as JSON.stringify would write it.
const notebookText = `${JSON.stringify(notebook, undefined, 1).replace('"ratio": 1', '"ratio": 1.0')}\n`;

async function openedNotebook(text = notebookText) {
  const cwd = await project({ 'a.ipynb': text });
  const session = { cwd, readFileState: new Map<string, ReadFileEntry>() };
  const shown = await use(read, { file_path: 'a.ipynb' }, session);
  const path = join(cwd, 'a.ipynb');
  const now = async () => JSON.parse(await readFile(path, 'utf8')) as typeof notebook;
  return { cwd, session, shown, path, now };
}

test('a notebook is shown cell by cell with its outputs', async () => {
  const { shown } = await openedNotebook();

  expect(shown.mapped.content).toEqual([
    {
      type: 'text',
      text: '<cell id="intro" type="markdown">\n# Title\ntext\n</cell>\n<cell id="c0de" type="python">\nprint(2 + 2)\n</cell>\n<output>\n4\n</output>',
    },
    expect.objectContaining({ type: 'image' }),
    { type: 'text', text: '<output>\nE: v\n</output>' },
  ]);
  expect(notebookOf(shown.data)).toMatchObject({ language: 'python', totalCells: 2 });
});

test('what is no notebook is shown as text; Edit leaves notebooks to NotebookEdit', async () => {
  const cwd = await project({ 'a.ipynb': '{"cells": 1' });

  expect((await use(read, { file_path: 'a.ipynb' }, { cwd })).text).toBe('1\t{"cells": 1');
  const input = { file_path: 'a.ipynb', old_string: '1', new_string: '2' };
  await expect(use(edit, input, { cwd })).rejects.toThrow('with NotebookEdit');
});

test('a cell is replaced: its outputs go, every other byte stays', async () => {
  const { session, path } = await openedNotebook();
  await chmod(path, 0o640);

  const input = { notebook_path: 'a.ipynb', cell_id: 'intro', new_source: '# New' };
  const { text, data } = await use(notebookEdit, input, session);

  expect(text).toBe(`Changed cell intro of ${path}.`);
  const after = await readFile(path, 'utf8');
  expect(after.slice(after.indexOf('"code"'))).toBe(
    notebookText.slice(notebookText.indexOf('"code"')),
  );
  expect(JSON.parse(after).cells[0].source).toEqual(['# New']);
  expect(data).toMatchObject({ cell_type: 'markdown', edit_mode: 'replace', language: 'python' });
  await use(notebookEdit, { notebook_path: 'a.ipynb', cell_id: 'c0de', new_source: 'x' }, session);
  expect(JSON.parse(await readFile(path, 'utf8')).cells[1]).toEqual({
    cell_type: 'code',
    id: 'c0de',
    metadata: { tags: ['x'] },
    execution_count: null,
    outputs: [],
    source: 'x',
  });
});

test('cells are inserted, changed in kind and deleted', async () => {
  const { session, now } = await openedNotebook();
  const change = (input: object) =>
    use(notebookEdit, { notebook_path: 'a.ipynb', new_source: '', ...input }, session);

  const first = await change({ edit_mode: 'insert', cell_type: 'code', new_source: 'a\nb' });
  await change({ edit_mode: 'insert', cell_id: 'c0de', cell_type: 'markdown', new_source: 'end' });
  expect((await now()).cells.map(({ source }) => source)).toEqual([
    ['a\n', 'b'],
    ['# Title\n', 'text'],
    'print(2 + 2)',
    ['end'],
  ]);
  expect((await now()).cells[0]?.id).toBe(first.data.cell_id);
  await change({ edit_mode: 'delete', cell_id: first.data.cell_id });
  await change({ cell_id: 'c0de', cell_type: 'markdown', new_source: 'said' });
  expect((await now()).cells[1]).toEqual({
    cell_type: 'markdown',
    id: 'c0de',
    metadata: { tags: ['x'] },
    source: 'said',
  });
});

test('cells without ids go by their place', async () => {
  const bare = {
    cells: [{ cell_type: 'code', metadata: {}, source: 'a' }],
    nbformat: 4,
    nbformat_minor: 2,
  };
  const { session, shown, now } = await openedNotebook(JSON.stringify(bare));

  expect(shown.text).toContain('<cell id=\\"cell-0\\"');
  const input = { notebook_path: 'a.ipynb', cell_id: 'cell-0', new_source: 'b' };
  await use(notebookEdit, input, session);
  expect((await now()).cells[0]?.source).toBe('b');
});

test('what NotebookEdit cannot do is refused in one line', async () => {
  const { cwd, session, path } = await openedNotebook();
  await writeFile(join(cwd, 'a.txt'), '');
  const change = (input: object, state = session) =>
    use(notebookEdit, { notebook_path: 'a.ipynb', new_source: '', ...input }, state);

  await expect(change({ notebook_path: 'a.txt' })).rejects.toThrow('use Edit for others');
  await expect(change({ edit_mode: 'insert' })).rejects.toThrow('insert needs cell_type');
  await expect(change({})).rejects.toThrow('replace needs cell_id');
  await expect(change({ cell_id: 'c0df' })).rejects.toThrow('Did you mean "c0de"?');
  await expect(
    change({ cell_id: 'c0de' }, { cwd, readFileState: new Map<string, ReadFileEntry>() }),
  ).rejects.toThrow('has not been read');
  await writeFile(path, `${notebookText} `);
  await expect(change({ cell_id: 'c0de' })).rejects.toThrow('has changed since it was read');
});

test('a miss names the place that differs, and the other near ones', async () => {
  const text = 'function one() {\n  return 1;\n}\nfunction two() {\n  return 2;\n}\n';
  const cwd = await project({ 'a.ts': text });
  const session = { cwd, readFileState: new Map<string, ReadFileEntry>() };
  await use(read, { file_path: 'a.ts' }, session);
  const miss = (old_string: string) =>
    use(edit, { file_path: 'a.ts', old_string, new_string: 'x' }, session);

  await expect(miss('function two() {\n  return 3;\n}')).rejects.toThrow(
    'Its first line is like line 4, but line 5 is "  return 2;", not "  return 3;".',
  );
  await expect(miss('function one() {\nreturn 1;\n}')).rejects.toThrow(
    'Lines 1 to 3 differ in white space only.',
  );
  await expect(miss('function too() {')).rejects.toThrow(
    'The nearest is line 4: "function two() {". Also near: line 1: "function one() {".',
  );
});
