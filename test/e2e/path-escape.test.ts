import {
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { ToolUse } from '@toolgate/core';
import { createStandardToolgate } from 'toolgate';
import { expect, onTestFinished, test } from 'vitest';

const secret = 'outside-secret';
let ids = 0;
const toolUse = (name: string, input: object): ToolUse => ({
  type: 'tool_use',
  id: `toolu_${(ids += 1)}`,
  name,
  input,
});

/** A gate that lets every edit inside the project through, beside a folder that is not the project's. */
async function attacked() {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'toolgate-escape-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [cwd, outside, home] = ['project', 'outside', 'home'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]; // three names, three paths
  for (const place of [cwd, outside, home]) await mkdir(place);
  await writeFile(join(outside, 'secret.txt'), secret);
  await writeFile(join(outside, 'secret.ipynb'), JSON.stringify({ cells: [], note: secret }));
  await writeFile(join(home, 'secret.txt'), secret);
  await writeFile(join(cwd, 'inside.txt'), 'inside');
  const gate = await createStandardToolgate({ cwd, home });
  onTestFinished(() => gate.close());
  gate.policy.setMode('acceptEdits');
  const before = await snapshot(outside);
  return {
    gate,
    cwd,
    outside,
    home,
    /** Every tool that takes a path, on this one. The texts of all answers. */
    tryAll: async (path: string): Promise<string> => {
      const calls = [
        toolUse('Read', { file_path: path }),
        toolUse('Read', { file_path: `${path}/secret.txt` }),
        toolUse('Grep', { pattern: '.', path, output_mode: 'content' }),
        toolUse('Glob', { pattern: '**', path }),
        toolUse('Write', { file_path: path, content: 'written' }),
        toolUse('Write', { file_path: `${path}/new.txt`, content: 'written' }),
        toolUse('Edit', { file_path: path, old_string: 'secret', new_string: 'x' }),
        toolUse('NotebookEdit', {
          notebook_path: `${path}/secret.ipynb`,
          cell_id: 'a',
          new_source: '',
        }),
      ];
      const texts: string[] = [];
      for (const call of calls) texts.push(JSON.stringify((await gate.run(call)).block.content));
      return texts.join('\n');
    },
    isUnharmed: async (): Promise<boolean> => {
      return (
        JSON.stringify(await snapshot(outside)) === JSON.stringify(before) &&
        (await readFile(join(home, 'secret.txt'), 'utf8')) === secret
      );
    },
  };
}

async function snapshot(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder)).sort();
  return Promise.all(
    names.map(async (name) => `${name}: ${await readFile(join(folder, name), 'utf8')}`),
  );
}

const spellings: Readonly<
  Record<string, (place: { cwd: string; outside: string; home: string }) => string>
> = {
  'an absolute path': ({ outside }) => outside,
  'dots that go up': ({ cwd, outside }) => relative(cwd, outside),
  'dots behind a folder inside': ({ cwd, outside }) => `./missing/../${relative(cwd, outside)}`,
  'an absolute path with dots': ({ cwd }) => `${cwd}/../outside`,
  'slashes and dots in numbers': ({ cwd }) => `${cwd}//.//..///outside/./`,
  'the home folder': () => '~/secret.txt',
  'the home folder and up': () => '~/../outside',
  'the root of the process': ({ outside }) => `/proc/self/root${outside}`,
  'the working folder of the process': ({ outside }) =>
    `/proc/self/cwd/${'../'.repeat(20)}${outside}`,
  'the root of this process by number': ({ outside }) => `/proc/${process.pid}/root${outside}`,
  'a URL': ({ outside }) => `file://${outside}/secret.txt`,
  'dots in percent signs': () => '%2e%2e/outside',
  'dots of full width': () => '．．/outside',
  'a dot leader': () => '‥/outside',
  'slashes of other scripts': () => '..∕outside',
  backslashes: () => '..\\outside\\secret.txt',
  'a zero-width space between the dots': () => '.\u200b./outside',
  'other case': ({ cwd }) => `${cwd.toUpperCase()}/../OUTSIDE`,
};

test.each(Object.entries(spellings))('%s leads nowhere outside', async (_, spell) => {
  const { tryAll, isUnharmed, ...place } = await attacked();

  expect(await tryAll(spell(place))).not.toContain(secret);
  expect(await isUnharmed()).toBe(true);
});

test('links, chains of links and links in loops lead nowhere outside', async () => {
  const { cwd, outside, tryAll, isUnharmed } = await attacked();
  await symlink(outside, join(cwd, 'folder-link'));
  await symlink(join(outside, 'secret.txt'), join(cwd, 'file-link'));
  await symlink('folder-link', join(cwd, 'second'));
  await symlink('./second/../second', join(cwd, 'third'));
  await symlink('../outside/new.txt', join(cwd, 'dangling'));
  await symlink('loop-b', join(cwd, 'loop-a'));
  await symlink('loop-a', join(cwd, 'loop-b'));
  await mkdir(join(cwd, 'a/b'), { recursive: true });
  await symlink('../../../outside', join(cwd, 'a/b/up'));

  for (const path of [
    'folder-link',
    'file-link',
    'second',
    'third',
    'third/secret.txt',
    'dangling',
    'loop-a',
    'a/b/up',
    'folder-link/../outside',
    'a/b/up/secret.txt',
    '.',
    '**',
  ])
    expect(await tryAll(path)).not.toContain(secret);
  expect(await isUnharmed()).toBe(true);
});

test('what is written through a hard link changes the name inside, and not what it was linked to', async () => {
  const { gate, cwd, outside } = await attacked();
  await link(join(outside, 'secret.txt'), join(cwd, 'hard.txt'));

  await gate.run(toolUse('Read', { file_path: 'hard.txt' }));
  const { outcome } = await gate.run(toolUse('Write', { file_path: 'hard.txt', content: 'new' }));

  expect(outcome).toBe('ok');
  expect(await readFile(join(cwd, 'hard.txt'), 'utf8')).toBe('new');
  expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe(secret);
});

test('names that only look alike are other names', async () => {
  const { gate, cwd } = await attacked();
  await writeFile(join(cwd, 'caf\u00e9.txt'), 'composed');
  await writeFile(join(cwd, 'Readme.txt'), 'upper');

  const text = async (file_path: string) =>
    JSON.stringify((await gate.run(toolUse('Read', { file_path }))).block.content);

  expect(await text('caf\u00e9.txt')).toContain('composed');
  // Where the file system folds names the same file is meant, and it is inside.
  for (const other of ['cafe\u0301.txt', 'readme.txt'])
    expect(await text(other)).toMatch(/does not exist|composed|upper/);
});

test.each(['/dev/zero', '/dev/stdin', '/proc/self/environ', '/proc/self/mem', '/proc/1/cmdline'])(
  '%s is refused even where a rule allows it',
  async (path) => {
    const { gate } = await attacked();
    gate.policy.addRules('session', { allow: ['Read', 'Edit', 'Write'] });

    const read = await gate.run(toolUse('Read', { file_path: path }));
    const written = await gate.run(toolUse('Write', { file_path: path, content: 'x' }));

    expect([read.outcome, written.outcome]).not.toContain('ok');
  },
);
