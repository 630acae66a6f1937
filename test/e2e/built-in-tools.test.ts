import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { emptyFolder, toolgate, use } from './helpers/toolgate.ts';

interface Answer {
  readonly content: readonly { readonly content: unknown; readonly is_error?: boolean }[];
}

/** Plays calls as the lines of a recorded session would be. */
async function play(
  cwd: string,
  calls: readonly (readonly [string, object])[],
  args: readonly string[] = ['--mode', 'acceptEdits'],
) {
  const input = calls.map(([name, value], index) => use(name, value, `toolu_${index}`)).join('');
  const { lines, code } = await toolgate(['run', ...args], { cwd, input });
  expect(code).toBe(0);
  return (lines as readonly Answer[]).flatMap(({ content }) =>
    content.flatMap(({ content: text, is_error: isError = false }) =>
      text === undefined
        ? []
        : [{ text: typeof text === 'string' ? text : JSON.stringify(text), isError }],
    ),
  );
}

test('a recorded session plays: each file tool answers as it should', async () => {
  const cwd = await emptyFolder();
  await mkdir(join(cwd, 'src'));
  const notebook = {
    cells: [{ cell_type: 'code', id: 'a', metadata: {}, source: 'x' }],
    nbformat: 4,
    nbformat_minor: 5,
  };
  await writeFile(join(cwd, 'n.ipynb'), JSON.stringify(notebook));

  const answers = await play(cwd, [
    ['Write', { file_path: 'src/a.ts', content: 'const one = 1;\n' }],
    ['Read', { file_path: 'src/a.ts' }],
    ['Edit', { file_path: 'src/a.ts', old_string: 'one = 1', new_string: 'two = 2' }],
    ['Edit', { file_path: 'src/a.ts', old_string: 'three', new_string: 'four' }],
    ['Glob', { pattern: '**/*.ts' }],
    ['Grep', { pattern: 'two', output_mode: 'content' }],
    ['Read', { file_path: 'n.ipynb' }],
    ['NotebookEdit', { notebook_path: 'n.ipynb', cell_id: 'a', new_source: 'y' }],
    ['Bash', { command: 'ls src', description: 'List the folder' }],
    ['TodoWrite', { todos: [{ content: 'Do it', status: 'in_progress', activeForm: 'Doing it' }] }],
    ['BashOutput', { bash_id: 'bash_1' }],
    ['Bash', { command: 'node build.js' }],
    ['REPL', { code: '1' }],
    ['Task', { description: 'x', prompt: 'y', subagent_type: 'general-purpose' }],
    ['AskUserQuestion', { questions: [] }],
  ]);

  const expected: readonly (readonly [boolean, RegExp])[] = [
    [false, /^Made \S+src\/a\.ts\.$/],
    [false, /^1\tconst one = 1;$/],
    [false, /^Changed \S+src\/a\.ts\.\n1\tconst two = 2;$/],
    [true, /old_string was not found/],
    [false, /^src\/a\.ts$/],
    [false, /^src\/a\.ts:1:const two = 2;$/],
    [false, /<cell id=\\*"a\\*"/],
    [false, /^Changed cell a of \S+n\.ipynb\.$/],
    [false, /^a\.ts$/],
    [false, /^The list is kept: 0 done, 1 in progress, 0 to do\./],
    [true, /There is no background task "bash_1"\./],
    [true, /nobody can be asked/],
    [true, /nobody can be asked/],
    [true, /No language model is connected here/],
    [true, /InputValidationError/],
  ];
  expect(answers).toHaveLength(expected.length);
  for (const [index, [isError, text]] of expected.entries()) {
    expect(answers[index]?.text).toMatch(text);
    expect([index, answers[index]?.isError]).toEqual([index, isError]);
  }
  expect(await readFile(join(cwd, 'src/a.ts'), 'utf8')).toBe('const two = 2;\n');
});

test('a command in the background does not outlive the run', async () => {
  const cwd = await emptyFolder();

  const [started] = await play(
    cwd,
    [['Bash', { command: 'echo $$ > pid; sleep 60', run_in_background: true }]],
    ['--mode', 'bypassPermissions'],
  );

  expect(started?.text).toMatch(/^The command runs in the background, as task task_/);
  const pid = Number(await readFile(join(cwd, 'pid'), 'utf8').catch(() => '0'));
  expect(() => process.kill(pid || 2 ** 30, 0)).toThrow('ESRCH');
});

test('where settings require a sandbox that is not there, no command runs', async () => {
  const cwd = await emptyFolder();
  const settings = join(cwd, 'settings.json');
  const sandbox = { enabled: true, failIfUnavailable: true };
  await writeFile(settings, JSON.stringify({ sandbox }));

  const [answer] = await play(
    cwd,
    [['Bash', { command: 'echo ran' }]],
    ['--settings', settings, '--allow', 'Bash(echo *)'],
  );

  expect(answer?.text).toMatch(/^ran$|Commands must run in a sandbox here, and none can be had\./);
});
