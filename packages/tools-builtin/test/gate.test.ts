import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { allow, createToolgate, deny, isCallOf, type ToolUse } from '@toolgate/core';
import { bash, builtinTools } from '@toolgate/tools-builtin';
import { expect, onTestFinished, test } from 'vitest';
import { project } from './helpers.ts';

let ids = 0;
const toolUse = (name: string, input: object): ToolUse => ({
  type: 'tool_use',
  id: `toolu_${(ids += 1)}`,
  name,
  input,
});

function gateIn(cwd: string, allows = true) {
  const gate = createToolgate({
    tools: builtinTools,
    cwd,
    permissions: (call) => {
      if (isCallOf(bash, call) && call.input.command.includes('push')) return deny('No push.');
      return allows && !call.effects.readOnly ? allow('test', 'all') : undefined;
    },
  });
  onTestFinished(() => gate.close());
  return gate;
}

test('an agent reads, edits and runs in a project', async () => {
  const cwd = await project({ 'a.txt': 'one\n' });
  const gate = gateIn(cwd);
  const text = async (name: string, input: object) => (await gate.run(toolUse(name, input))).block;

  expect(await text('Read', { file_path: 'a.txt' })).toMatchObject({ content: '1\tone' });
  expect(await text('Edit', { file_path: 'a.txt', old_string: 'one', new_string: 'two' })).toEqual(
    expect.objectContaining({ content: `Changed ${join(cwd, 'a.txt')}.\n1\ttwo` }),
  );
  expect(await text('Write', { file_path: 'src/b.txt', content: 'b' })).not.toHaveProperty(
    'is_error',
    true,
  );
  expect(await text('Glob', { pattern: 'src/*' })).toMatchObject({ content: 'src/b.txt' });
  expect(await text('Grep', { pattern: 'two' })).toMatchObject({ content: 'a.txt' });
  expect(await text('Bash', { command: 'cd src && cat b.txt' })).toMatchObject({ content: 'b' });
  expect(await text('Bash', { command: 'pwd' })).toMatchObject({ content: join(cwd, 'src') });
  expect(await text('Bash', { command: 'exit 3' })).toMatchObject({
    content: 'Exit code 3',
    is_error: true,
  });
});

test('without rules reads inside run, everything else is refused', async () => {
  const cwd = await project({ 'a.txt': 'one\n' });
  const gate = gateIn(cwd, false);
  const outcome = async (name: string, input: object) =>
    (await gate.run(toolUse(name, input))).outcome;

  expect(await outcome('Read', { file_path: 'a.txt' })).toBe('ok');
  expect(await outcome('Grep', { pattern: 'one' })).toBe('ok');
  expect(await outcome('Glob', { pattern: '*' })).toBe('ok');
  expect(await outcome('Read', { file_path: '/etc/passwd' })).toBe('refused');
  expect(await outcome('Glob', { pattern: '*', path: '..' })).toBe('refused');
  expect(await outcome('Write', { file_path: 'b.txt', content: '' })).toBe('refused');
  expect(await outcome('Bash', { command: 'true' })).toBe('refused');
});

test('a critical removal asks a person whatever the permissions say', async () => {
  const cwd = await project();
  const gate = gateIn(cwd);

  const { outcome, code } = await gate.run(toolUse('Bash', { command: 'rm -rf /usr' }));

  expect({ outcome, code }).toEqual({ outcome: 'refused', code: 'permission_denied' });
});

test('several edits of one file in one turn are all made', async () => {
  const cwd = await project({ 'a.txt': 'one two' });
  const gate = gateIn(cwd);
  await gate.run(toolUse('Read', { file_path: 'a.txt' }));

  const turn = gate.runTurn({
    role: 'assistant',
    content: [
      toolUse('Edit', { file_path: 'a.txt', old_string: 'one', new_string: '1' }),
      toolUse('Edit', { file_path: 'a.txt', old_string: 'two', new_string: '2' }),
    ],
  });

  await turn.message;
  expect(await readFile(join(cwd, 'a.txt'), 'utf8')).toBe('1 2');
});

test('an aborted command leaves its result and no process', async () => {
  const cwd = await project();
  const gate = gateIn(cwd);
  const controller = new AbortController();
  const call = toolUse('Bash', { command: 'echo $$ > pid; sleep 60' });
  const running = gate.run(call, { signal: controller.signal });
  const pid = await readSoon(join(cwd, 'pid'));
  controller.abort();

  const { block } = await running;

  expect(block).toMatchObject({ tool_use_id: call.id, is_error: true });
  expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
});

async function readSoon(path: string): Promise<string> {
  for (;;) {
    const text = await readFile(path, 'utf8').catch(() => '');
    if (text.endsWith('\n')) return text;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('every tool can be shown to a model', async () => {
  const gate = gateIn(await project());

  const definitions = await gate.toolDefinitions();

  expect(definitions.map(({ name }) => name)).toEqual(
    builtinTools.filter((tool) => tool.isEnabled()).map(({ name }) => name),
  );
});
