import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReadFileEntry } from '@toolgate/core';
import { edit } from '@toolgate/tools-builtin/edit';
import { createGlob } from '@toolgate/tools-builtin/glob';
import { createGrep, type SearchEngine } from '@toolgate/tools-builtin/grep';
import { read } from '@toolgate/tools-builtin/read';
import { write } from '@toolgate/tools-builtin/write';
import { expect, onTestFinished, test } from 'vitest';
import { contextFor, project, use } from './helpers.ts';

/** More rounds: RENAMER_ROUNDS=10000. */
const rounds = Number(process.env['RENAMER_ROUNDS'] ?? 500);

// Swaps the folder `in` for a link to the outside and back.
const renamer = `
const { renameSync, symlinkSync, unlinkSync } = require('node:fs');
const [cwd, outside] = process.argv.slice(1);
process.chdir(cwd);
const cell = new Int32Array(new SharedArrayBuffer(4));
process.stdout.write('ready');
for (;;) {
  renameSync('in', 'away');
  symlinkSync(outside, 'in');
  unlinkSync('in');
  renameSync('away', 'in');
  if (Math.random() < 0.2) Atomics.wait(cell, 0, 0, 1); // so that some rounds succeed
}`;

/** A search that starts a program takes longer than one that does not. */
const searches = (engine: SearchEngine): number =>
  engine === 'walk' ? rounds : Math.ceil(rounds / 10);

async function attacked() {
  const outside = await project({ 'a.txt': 'secret' });
  const cwd = await project({ 'in/a.txt': 'text 0' });
  return { cwd, outside };
}

/** Starts the renamer; it must live until the test ends. */
async function attack({ cwd, outside }: { readonly cwd: string; readonly outside: string }) {
  const child = spawn(process.execPath, ['-e', renamer, cwd, outside], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    expect(child.exitCode).toBeNull();
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  await once(child.stdout, 'data');
}

/** Runs rounds; a round that found its folder moved has failed, which is right. */
async function count(
  round: (n: number) => Promise<unknown>,
  times: number = rounds,
): Promise<number> {
  let done = 0;
  for (let n = 0; n < times; n += 1)
    await round(n).then(
      () => (done += 1),
      () => undefined,
    );
  return done;
}

test.each<SearchEngine>(['ripgrep', 'walk'])(
  'beside a renamer nothing outside is read (%s)',
  async (engine) => {
    const grep = createGrep({ engines: [engine] });
    const { cwd, outside } = await attacked();
    const session = { cwd };
    const inputs = {
      read: { file_path: 'in/a.txt' },
      grep: { pattern: '.', path: 'in', output_mode: 'content' as const },
      tree: { pattern: '.', output_mode: 'content' as const },
    };
    const contexts = {
      read: contextFor(read, inputs.read, session),
      grep: contextFor(grep, inputs.grep, session),
      tree: contextFor(grep, inputs.tree, session),
    };
    await attack({ cwd, outside });
    const texts: string[] = [];

    const done = await count(async () => {
      texts.push((await use(read, inputs.read, session, { context: contexts.read })).text);
    });
    await count(async () => {
      texts.push((await use(grep, inputs.grep, session, { context: contexts.grep })).text);
    }, searches(engine));
    await count(async () => {
      texts.push((await use(grep, inputs.tree, session, { context: contexts.tree })).text);
    }, searches(engine));

    expect(done).toBeGreaterThan(0);
    expect(texts.filter((text) => text.includes('secret'))).toEqual([]);
  },
);

test.each<SearchEngine>(['ripgrep', 'walk'])(
  'beside a renamer no name outside is listed (%s)',
  async (engine) => {
    const glob = createGlob({ engines: [engine] });
    const { cwd, outside } = await attacked();
    await write.call(
      { file_path: join(outside, 'hidden.txt'), content: '' },
      contextFor(write, { file_path: join(outside, 'hidden.txt'), content: '' }, { cwd: outside }),
      () => undefined,
    );
    const input = { pattern: '**' };
    const context = contextFor(glob, input, { cwd });
    await attack({ cwd, outside });
    const names = new Set<string>();

    await count(async () => {
      const { data } = await use(glob, input, { cwd }, { context });
      for (const name of data.filenames) names.add(name);
    }, searches(engine));

    expect([...names].filter((name) => name.includes('hidden'))).toEqual([]);
  },
);

test('beside a renamer nothing outside is written', async () => {
  const { cwd, outside } = await attacked();
  const session = { cwd, readFileState: new Map<string, ReadFileEntry>() };
  await use(read, { file_path: 'in/a.txt' }, session);
  const inputs = Array.from({ length: rounds }, (_, n) => ({
    edit: { file_path: 'in/a.txt', old_string: 'text', new_string: 'text+', replace_all: true },
    write: { file_path: `in/new-${n}.txt`, content: 'x' },
    deep: { file_path: `in/deep-${n}/new.txt`, content: 'x' },
  }));
  const contexts = inputs.map((input) => ({
    edit: contextFor(edit, input.edit, session),
    write: contextFor(write, input.write, session),
    deep: contextFor(write, input.deep, session),
  }));
  await attack({ cwd, outside });

  let done = 0;
  for (const [n, input] of inputs.entries()) {
    const context = contexts[n];
    if (!context) continue;
    const endings = await Promise.allSettled([
      edit.call(input.edit, context.edit, () => undefined),
      write.call(input.write, context.write, () => undefined),
      write.call(input.deep, context.deep, () => undefined),
    ]);
    done += endings.filter(({ status }) => status === 'fulfilled').length;
  }

  expect(done).toBeGreaterThan(0);
  expect(await readdir(outside)).toEqual(['a.txt']);
  expect(await readFile(join(outside, 'a.txt'), 'utf8')).toBe('secret');
});
