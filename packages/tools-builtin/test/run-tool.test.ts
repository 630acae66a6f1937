import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runTool } from '@toolgate/core/testing';
import { bash, edit, read } from '@toolgate/tools-builtin';
import { expect, test } from 'vitest';
import { project } from './helpers.ts';

test('reading inside the folder needs nobody, and a rule forbids it', async () => {
  const cwd = await project({ 'a.txt': 'one\n' });
  const free = await runTool(read, { file_path: 'a.txt' }, { cwd, rules: {} });
  expect(free.outcome.block.content).toBe('1\tone');
  expect(free.data).toMatchObject({ type: 'text', file: { totalLines: 1 } });
  const rules = { deny: [`Read(${join(cwd, 'a.txt')})`] };
  const denied = await runTool(read, { file_path: 'a.txt' }, { cwd, rules });
  expect(denied.outcome.code).toBe('permission_denied');
});

test('an edit is asked, and needs the file to be read before', async () => {
  const cwd = await project({ 'a.txt': 'one\n' });
  const input = { file_path: 'a.txt', old_string: 'one', new_string: 'two' };
  const unread = await runTool(edit, input, { cwd, answers: ['allow'] });
  expect(unread.outcome.code).toBe('input_invalid');
  const before = [{ tool: read, input: { file_path: 'a.txt' } }];
  const asked = await runTool(edit, input, { cwd, before, answers: ['allow'] });
  expect(asked.outcome.outcome).toBe('ok');
  expect(asked.prompts[0]?.input).toMatchObject({ old_string: 'one' });
  expect(await readFile(join(cwd, 'a.txt'), 'utf8')).toBe('two\n');
});

test('a command that fails is a result that says so', async () => {
  const cwd = await project();
  const { outcome } = await runTool(bash, { command: 'exit 3' }, { cwd });
  expect(outcome.block).toMatchObject({ content: 'Exit code 3', is_error: true });
});
