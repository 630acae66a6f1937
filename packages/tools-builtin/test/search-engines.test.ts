import { execFileSync } from 'node:child_process';
import { chmod, copyFile, mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createGlob, type SearchEngine } from '@toolgate/tools-builtin/glob';
import { createGrep } from '@toolgate/tools-builtin/grep';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { project, use } from './helpers.ts';
import { noLeftovers } from './no-leftovers.ts';

noLeftovers();

afterEach(() => vi.unstubAllEnvs());

describe.each<SearchEngine>(['ripgrep', 'walk'])('%s', (engine) => {
  const grep = createGrep({ engines: [engine] });
  const glob = createGlob({ engines: [engine] });
  const files = async (cwd: string, pattern = '**', path = '.') =>
    (await use(glob, { pattern, path }, { cwd })).data.filenames.toSorted();

  test('what .gitignore names is left out, in each folder by its own and those above', async () => {
    const cwd = await project({
      '.gitignore': '*.log\n/build/\n!keep.log\n',
      'a.log': 'x',
      'keep.log': 'x',
      'build/out.js': 'x',
      'src/.gitignore': 'generated.ts\n!b.log\n',
      'src/generated.ts': 'x',
      'src/b.log': 'x',
      'src/c.log': 'x',
      'src/build/in.ts': 'x',
    });
    const expected = ['keep.log', 'src/.gitignore', 'src/b.log', 'src/build/in.ts'];

    expect(await files(cwd)).toEqual(['.gitignore', ...expected]);
    const { data } = await use(grep, { pattern: 'x' }, { cwd });
    expect(data.filenames.toSorted()).toEqual(expected.filter((name) => !name.includes('.git')));
    expect(await files(cwd, '**', 'src')).toEqual(expected.slice(1));
  });

  test('what is meant itself is found, ignored or not', async () => {
    const cwd = await project({ '.gitignore': '.env\nnode_modules/\n', '.env': 'x' });
    await mkdir(join(cwd, 'node_modules/m'), { recursive: true });
    await writeFile(join(cwd, 'node_modules/m/a.js'), 'x');

    expect(await files(cwd, '.env')).toEqual(['.env']);
    expect(await files(cwd, 'node_modules/**')).toEqual(['node_modules/m/a.js']);
    const { data } = await use(grep, { pattern: 'x', path: '.env' }, { cwd });
    expect(data.filenames).toEqual(['.env']);
  });

  test('the output says what ran', async () => {
    const cwd = await project({ 'a.txt': 'x' });

    expect((await use(glob, { pattern: '*' }, { cwd })).data.engine).toBe(engine);
    expect((await use(grep, { pattern: 'x' }, { cwd })).data.engine).toBe(engine);
  });

  test('UTF-16, a byte-order mark and names of all kinds are found', async () => {
    const cwd = await project({
      'bom.txt': '\uFEFFneedle one\nneedle two\n',
      'sp ace/ü\tn.txt': 'needle',
      '-n': 'needle',
    });
    if (engine === 'ripgrep')
      await writeFile(join(cwd, 'u16.txt'), Buffer.from('\uFEFFé\nneedle\n', 'utf16le'));

    const { text } = await use(grep, { pattern: 'needle', output_mode: 'count' }, { cwd });

    expect(
      text
        .split('\n')
        .slice(0, engine === 'ripgrep' ? 4 : 3)
        .toSorted(),
    ).toEqual([
      '-n:1',
      'bom.txt:2',
      'sp ace/ü\tn.txt:1',
      ...(engine === 'ripgrep' ? ['u16.txt:1'] : []),
    ]);
  });

  test('equal limits give equal pages, without holes or doubles', async () => {
    const names = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [`${i % 4}/${i}.txt`, 'x\nx\n']),
    );
    const cwd = await project(names);
    const pages: string[] = [];
    for (let offset = 0; offset < 80; offset += 16) {
      const input = { pattern: 'x', output_mode: 'content' as const, head_limit: 16, offset };
      const { data } = await use(grep, input, { cwd });
      pages.push(...(data.content ?? '').split('\n'));
    }
    expect(new Set(pages).size).toBe(80);
  });

  test('whether a denied file matches cannot be told from the result', async () => {
    const cwd = await project({ '.env': 'KEY=abc', 'a.txt': 'text' });
    const deniesRead = (path: string) => path.endsWith('.env');
    const say = async (pattern: string) => (await use(grep, { pattern }, { cwd, deniesRead })).text;

    expect(await say('KEY=abc')).toBe(await say('KEY=xyz'));
  });
});

test.runIf(process.getuid?.() === 0)(
  "an rg in a folder of the system's is used where the package has none, and the result says so",
  async () => {
    const cwd = await project({ 'a.txt': 'x' });
    const system = await project();
    const { rgPath } = await import('@vscode/ripgrep');
    await copyFile(rgPath, join(system, 'rg'));
    await chmod(join(system, 'rg'), 0o755);
    vi.stubEnv('PATH', system);
    const grep = createGrep({ engines: ['rg on the PATH', 'walk'] });

    const { data, text } = await use(grep, { pattern: 'x' }, { cwd });

    expect(data.engine).toBe('rg on the PATH');
    expect(text).toBe('a.txt\n(Searched with the rg on the PATH.)');
  },
);

test("the project's own rg never runs", async () => {
  const cwd = await project({ 'bin/rg': '#!/bin/sh\ntouch ran\n', 'a.txt': 'x' });
  execFileSync('chmod', ['+x', join(cwd, 'bin/rg')]);
  vi.stubEnv('PATH', `${join(cwd, 'bin')}:./bin`);
  const grep = createGrep({ engines: ['rg on the PATH', 'walk'] });

  const { data } = await use(grep, { pattern: 'x' }, { cwd });

  expect(data.filenames).not.toContain('ran');
});

test('patterns that only one of the two can read work', async () => {
  const cwd = await project({ 'a.txt': 'foo{\nbar baz\nbaz baz\n' });
  const lines = async (pattern: string) =>
    (await use(createGrep(), { pattern, output_mode: 'content' }, { cwd })).text;

  expect(await lines(String.raw`(\w+) \1`)).toBe('a.txt:3:baz baz');
  expect(await lines('(?<=bar )baz')).toBe('a.txt:2:bar baz');
  expect(await lines('[[:alpha:]]+\\{')).toBe('a.txt:1:foo{');
  expect(await lines('foo{')).toMatch(/^a\.txt:1:foo\{/);
  expect(await lines('(?x) b a r')).toBe('a.txt:2:bar baz');
});

/** 100,000 files: SEARCH_FILES=1000. */
const perFolder = Number(process.env['SEARCH_FILES'] ?? 100);

test('the newest of very many files are found, and an abort ends the search', async () => {
  const cwd = await project({ 'new.txt': 'needle' });
  await mkdir(join(cwd, 'many'));
  // Links to one file: quick to make.
  const script = `const fs = require('fs'); fs.writeFileSync('f', 'x');
    for (let d = 0; d < 100; d += 1) { fs.mkdirSync('d' + d);
      for (let i = 0; i < ${String(perFolder)}; i += 1) fs.linkSync('f', 'd' + d + '/' + i); }`;
  execFileSync(process.execPath, ['-e', script], { cwd: join(cwd, 'many') });
  await utimes(join(cwd, 'new.txt'), 4e9, 4e9);
  const session = { cwd };

  const found = await use(createGlob(), { pattern: '**' }, session);
  expect(found.data.filenames[0]).toBe('new.txt');
  expect(found.data.totalMatches).toBeGreaterThan(10_000);
  const needle = await use(createGrep(), { pattern: 'needle' }, session);
  expect(needle.data.filenames).toEqual(['new.txt']);
  const controller = new AbortController();
  const running = use(createGrep(), { pattern: 'x' }, { ...session, signal: controller.signal });
  setImmediate(() => controller.abort());
  await expect(running).rejects.toThrow('aborted');
});

test.runIf(process.getuid?.() === 0)(
  'an rg that knows too few flags, or dies, gives no half result',
  async () => {
    const cwd = await project({ 'a.txt': 'x' });
    const system = await project({
      'old/rg': '#!/bin/sh\necho "error: unexpected argument" >&2\nexit 2\n',
      'dying/rg': '#!/bin/sh\nkill -9 $$\n',
    });
    for (const name of ['old', 'dying']) await chmod(join(system, name, 'rg'), 0o755);
    const grep = createGrep({ engines: ['rg on the PATH', 'walk'] });

    vi.stubEnv('PATH', join(system, 'old'));
    expect((await use(grep, { pattern: 'x' }, { cwd })).data).toMatchObject({
      engine: 'walk',
      filenames: ['a.txt'],
    });
    vi.stubEnv('PATH', join(system, 'dying'));
    await expect(use(grep, { pattern: 'x' }, { cwd })).rejects.toThrow('was ended by SIGKILL');
  },
);

test('a search tells how far it is', async () => {
  const files = Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`${i}.txt`, 'x\n']));
  const cwd = await project(files);
  const seen: number[] = [];

  await use(
    createGrep({ engines: ['walk'] }),
    { pattern: 'x' },
    { cwd },
    { onProgress: ({ numFiles }) => seen.push(numFiles) },
  );

  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
});
