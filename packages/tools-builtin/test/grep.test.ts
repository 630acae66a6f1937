import { symlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { createGrep, type SearchEngine } from '@toolgate/tools-builtin/grep';
import { describe, expect, test } from 'vitest';
import { project, use as useTool, type Session } from './helpers.ts';

const files = {
  'a.ts': 'one\nTODO two\nthree\nfour\nTODO five\n',
  'src/b.js': 'todo\r\nTODO: x\r\n',
  'c.md': 'nothing\n',
};

const engines: readonly SearchEngine[] = ['ripgrep', 'walk'];

describe.each(engines)('%s', (engine) => {
  const grep = createGrep({ engines: [engine] });
  /** Without what every result of the walk says. */
  const use = async (
    tool: typeof grep,
    input: Parameters<typeof grep.call>[0],
    session: Session,
  ) => {
    const { text, data } = await useTool(tool, input, session);
    const said = ' Searched without ripgrep, by a walk in JavaScript.';
    const bare = text.endsWith(`\n(${said.trim()})`)
      ? text.slice(0, -said.length - 2)
      : text.replace(said, '');
    return { text: bare, data };
  };
  test('paths come newest first by default', async () => {
    const cwd = await project(files);
    await utimes(join(cwd, 'src/b.js'), 2, 2);
    await utimes(join(cwd, 'a.ts'), 1, 1);

    const { data, text } = await use(grep, { pattern: 'TODO' }, { cwd });

    expect(text).toBe('src/b.js\na.ts');
    expect(data).toEqual({
      mode: 'files_with_matches',
      numFiles: 2,
      filenames: ['src/b.js', 'a.ts'],
      truncated: false,
      skipped: { tooLarge: 0, tooSlow: 0, denied: 0 },
      engine,
    });
  });

  test('content shows lines with numbers, context and gaps', async () => {
    const cwd = await project(files);
    const lines = async (input: object) =>
      (await use(grep, { pattern: 'TODO', output_mode: 'content', ...input }, { cwd })).text;

    expect(await lines({})).toBe('a.ts:2:TODO two\na.ts:5:TODO five\nsrc/b.js:2:TODO: x');
    expect(await lines({ '-n': false, path: 'a.ts' })).toBe('a.ts:TODO two\na.ts:TODO five');
    expect(await lines({ '-A': 1, path: 'a.ts' })).toBe(
      'a.ts:2:TODO two\na.ts-3-three\n--\na.ts:5:TODO five',
    );
    expect(await lines({ '-C': 1, path: 'a.ts' })).toBe(
      'a.ts-1-one\na.ts:2:TODO two\na.ts-3-three\na.ts-4-four\na.ts:5:TODO five',
    );
    expect(await lines({ '-i': true, glob: '*.js' })).toBe('src/b.js:1:todo\nsrc/b.js:2:TODO: x');
    expect(await lines({ '-o': true, pattern: 'TODO|t..', path: 'a.ts' })).toBe(
      'a.ts:2:TODO\na.ts:2:two\na.ts:3:thr\na.ts:5:TODO',
    );
  });

  test('count, limits and offsets', async () => {
    const cwd = await project(files);
    const run = (input: object) => use(grep, { pattern: 'TODO', ...input }, { cwd });

    expect((await run({ output_mode: 'count' })).text).toBe('a.ts:2\nsrc/b.js:1');
    const first = await run({ output_mode: 'content', head_limit: 1 });
    expect(first.text).toBe('a.ts:2:TODO two\n(There is more; go on with offset 1.)');
    const next = await run({ output_mode: 'content', head_limit: 1, offset: 1 });
    expect(next.text).toBe('a.ts:5:TODO five\n(There is more; go on with offset 2.)');
    expect((await run({ output_mode: 'content', head_limit: 0 })).data.numMatches).toBe(3);
  });

  test('patterns across lines', async () => {
    const cwd = await project(files);
    const input = { pattern: 'two.*fo', multiline: true, output_mode: 'content' as const };

    expect((await use(grep, input, { cwd })).text).toBe(
      'a.ts:2:TODO two\na.ts:3:three\na.ts:4:four',
    );
    expect((await use(grep, { ...input, multiline: false }, { cwd })).text).toBe(
      'No matches found.',
    );
  });

  test('types and globs choose files', async () => {
    const cwd = await project(files);
    const found = async (input: object) =>
      (await use(grep, { pattern: '.', ...input }, { cwd })).data.filenames.toSorted();

    expect(await found({ type: 'ts' })).toEqual(['a.ts']);
    expect(await found({ glob: '*.{js,md}' })).toEqual(['c.md', 'src/b.js']);
    expect(await found({ glob: '!*.md' })).toEqual(['a.ts', 'src/b.js']);
    expect(await found({ glob: 'src/**' })).toEqual(['src/b.js']);
  });

  test('what cannot be searched for is refused', async () => {
    const cwd = await project();
    const refused = (input: { pattern: string; glob?: string; type?: string }, message: RegExp) =>
      expect(use(grep, input, { cwd })).rejects.toThrow(message);

    await refused({ pattern: '(' }, /^refused: The pattern cannot be used\..*Unterminated/);
    await refused({ pattern: 'x', glob: '../*' }, /give the folder in path\./);
    await refused({ pattern: 'x', type: 'tss' }, /Unknown type "tss"\. Known: c, cpp/);
  });

  test('binary files, links and large files are left out, large ones with a note', async () => {
    const outside = await project({ 'x.txt': 'needle' });
    const cwd = await project({
      'binary.bin': 'needle\0',
      'large.txt': 'needle\n'.repeat(2_500_000),
      'node_modules/x.txt': 'needle',
      'a.txt': 'needle',
    });
    await symlink(outside, join(cwd, 'folder-link'));
    await symlink(join(outside, 'x.txt'), join(cwd, 'file-link'));

    const { text } = await use(grep, { pattern: 'needle' }, { cwd });

    // Ripgrep needs no such limit.
    expect(text.split('\n').toSorted()).toEqual(
      engine === 'walk'
        ? ['(1 files over 16 MiB were not searched.)', 'a.txt']
        : ['a.txt', 'large.txt'],
    );
  });

  test('a pattern that backtracks without end is stopped, and the other files are searched', async () => {
    const cwd = await project({ 'a.txt': `${'a'.repeat(60)}!\n`, 'b.txt': 'aa\n' });

    const { text } = await use(grep, { pattern: '^(a+)+$' }, { cwd });

    expect(text).toBe(
      engine === 'walk'
        ? 'b.txt\n(The pattern took too long on 1 files; make it simpler.)'
        : 'b.txt',
    );
  });

  test('what a rule denies to read is left out, and the result says how much', async () => {
    const cwd = await project({ '.env': 'needle', 'a/.env': 'needle', 'a.txt': 'needle' });
    const deniesRead = (path: string) => path.endsWith('/.env');

    const { text } = await use(grep, { pattern: 'needle' }, { cwd, deniesRead });
    const alone = await use(grep, { pattern: 'needle', path: '.env' }, { cwd, deniesRead });

    expect(text).toBe('a.txt\n(2 files were left out: reading is denied.)');
    expect(alone.text).toBe('No matches found.\n(1 file was left out: reading is denied.)');
  });

  test('long lines are cut', async () => {
    const cwd = await project({ 'a.txt': `x${'y'.repeat(1_000)}` });

    const { text } = await use(grep, { pattern: 'x', output_mode: 'content' }, { cwd });

    expect(text).toBe(`a.txt:1:x${'y'.repeat(499)}… [cut: 1001 characters]`);
  });

  test('an aborted search ends', async () => {
    const cwd = await project(files);

    await expect(use(grep, { pattern: 'x' }, { cwd, signal: AbortSignal.abort() })).rejects.toThrow(
      'aborted',
    );
  });
});
