import { mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createToolgate, definePlugin } from '@toolgate/core';
import { runTool } from '@toolgate/core/testing';
import { addNote, countWords, textTools } from 'toolgate-tools-text';
import { expect, onTestFinished, test } from 'vitest';

async function project(text = 'one two\nthree\n') {
  const cwd = await realpath(await mkdtemp(join(tmpdir(), 'toolgate-tools-text-')));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  await writeFile(join(cwd, 'a.txt'), text);
  return cwd;
}

test('words are counted, inside without asking', async () => {
  const cwd = await project();

  const { outcome, data, prompts } = await runTool(
    countWords,
    { file_path: 'a.txt' },
    { cwd, rules: {} },
  );

  expect(outcome.block.content).toBe('3 words in 2 lines.');
  expect(data).toEqual({ words: 3, lines: 2 });
  expect(prompts).toEqual([]);
});

test('a rule for Read denies it, and outside a person is asked', async () => {
  const cwd = await project();
  const rules = { deny: [`Read(${join(cwd, 'a.txt')})`] };

  const denied = await runTool(countWords, { file_path: 'a.txt' }, { cwd, rules });
  expect(denied.outcome.code).toBe('permission_denied');
  const asked = await runTool(
    countWords,
    { file_path: '/etc/hostname' },
    { cwd, answers: ['deny'] },
  );
  expect(asked.prompts).toHaveLength(1);
  expect(asked.outcome.outcome).toBe('refused');
});

test('progress is told, and an abort ends it', async () => {
  const cwd = await project('word\n'.repeat(25_000));

  const { progress } = await runTool(countWords, { file_path: 'a.txt' }, { cwd });
  expect(progress).toEqual([{ lines: 10_000 }, { lines: 20_000 }]);
  const aborted = await runTool(
    countWords,
    { file_path: 'a.txt' },
    { cwd, signal: AbortSignal.abort() },
  );
  expect(aborted.outcome.outcome).toBe('aborted');
});

test('a note is added when a person says yes, and not otherwise', async () => {
  const cwd = await project();
  const input = { file_path: 'notes.md', note: 'buy milk' };

  const yes = await runTool(addNote, input, { cwd, answers: ['allow'] });
  expect(yes.outcome.block.content).toBe('Noted: buy milk');
  const no = await runTool(addNote, input, { cwd, answers: ['deny'] });
  expect(no.outcome.outcome).toBe('refused');
  expect(await readFile(join(cwd, 'notes.md'), 'utf8')).toBe('- buy milk\n');
});

test('what cannot be noted is refused with a number', async () => {
  const cwd = await project();
  const refused = async (input: object) =>
    (await runTool(addNote, { file_path: 'notes.md', note: 'x', ...input }, { cwd })).outcome
      .errorCode;

  expect(await refused({ file_path: 'notes.txt' })).toBe(1);
  expect(await refused({ note: 'two\nlines' })).toBe(2);
});

test('a link that leads out of the folder is no way out', async () => {
  const cwd = await project();
  const outside = await project('secret');
  await symlink(join(outside, 'a.txt'), join(cwd, 'link.txt'));

  const { outcome } = await runTool(countWords, { file_path: 'link.txt' }, { cwd, rules: {} });

  expect(outcome.code).toBe('permission_denied');
});

test('from a plugin the pack is not trusted: it is asked about', async () => {
  const cwd = await project();
  const plugin = definePlugin({
    name: 'text-plugin',
    setup(gate) {
      for (const tool of textTools) gate.tools.add(tool);
    },
  });
  const gate = createToolgate({ cwd, plugins: [plugin()] });
  onTestFinished(() => gate.close());

  const { code } = await gate.run({
    type: 'tool_use',
    id: 'toolu_1',
    name: 'CountWords',
    input: { file_path: 'a.txt' },
  });

  expect(code).toBe('permission_denied');
});
