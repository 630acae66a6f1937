import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { emptyFolder, start, ended, toolgate, use } from './helpers/toolgate.ts';

/** A home and a project apart, with settings in both. */
async function places() {
  const home = await emptyFolder();
  const cwd = join(home, 'work/app');
  for (const folder of [home, cwd]) await mkdir(join(folder, '.claude'), { recursive: true });
  const user = join(home, '.claude/settings.json');
  const project = join(cwd, '.claude/settings.json');
  const put = (file: string, settings: unknown) => writeFile(file, JSON.stringify(settings));
  const run = (args: readonly string[], input = '') => {
    const child = start(args, cwd, { HOME: home });
    child.stdin.on('error', () => undefined).end(input);
    return ended(child);
  };
  return { home, cwd, user, project, put, run };
}

test('policy show: mode, rules in order of effect with file and line, and what is held back', async () => {
  const { user, project, put, run } = await places();
  await put(user, {
    permissions: { allow: ['Bash(ls)'], deny: ['Read(.env)'], defaultMode: 'plan' },
  });
  await put(project, { permissions: { allow: ['Bash'], ask: ['Write'] }, hooks: {} });
  const { code, lines, stderr } = await run(['policy', 'show', '--deny', 'WebFetch']);

  expect([code, stderr]).toEqual([0, '']);
  const place = (file: string, pointer: string) => ({ file, line: 1, pointer });
  expect(lines).toEqual([
    {
      kind: 'mode',
      mode: 'plan',
      source: 'userSettings',
      ...place(user, '/permissions/defaultMode'),
    },
    {
      kind: 'rule',
      behavior: 'deny',
      rule: 'Read(.env)',
      source: 'userSettings',
      ...place(user, '/permissions/deny/0'),
    },
    { kind: 'rule', behavior: 'deny', rule: 'WebFetch', source: 'cliArg' },
    {
      kind: 'rule',
      behavior: 'ask',
      rule: 'Write',
      source: 'projectSettings',
      ...place(project, '/permissions/ask/0'),
    },
    {
      kind: 'rule',
      behavior: 'allow',
      rule: 'Bash(ls)',
      source: 'userSettings',
      ...place(user, '/permissions/allow/0'),
    },
    {
      kind: 'held-back',
      code: 'held-back',
      message:
        '1 allow rule (Bash) of this file held back: the folder is not trusted. --trust accepts it.',
      ...place(project, '/permissions/allow/0'),
    },
    {
      kind: 'held-back',
      code: 'held-back',
      message: '"hooks" of this file held back: the folder is not trusted. --trust accepts it.',
      ...place(project, '/hooks'),
    },
  ]);

  const text = await run(['policy', 'show', '--text']);
  expect(text.stdout.split('\n').slice(0, 3)).toEqual([
    `mode plan (userSettings ${user}:1)`,
    `deny Read(.env) (userSettings ${user}:1)`,
    `ask Write (projectSettings ${project}:1)`,
  ]);
}, 60_000);

test('policy show works with a config of one’s own', async () => {
  const { cwd, run } = await places();
  await writeFile(join(cwd, 'gate.mjs'), 'export default { permissions: () => undefined };\n');
  const { code, lines } = await run(['policy', 'show', '--config', 'gate.mjs', '--ask', 'Bash']);
  expect([code, lines]).toEqual([
    0,
    [
      { kind: 'mode', mode: 'default' },
      { kind: 'rule', behavior: 'ask', rule: 'Bash', source: 'cliArg' },
    ],
  ]);
}, 60_000);

test('trust: recorded, it lets the folder’s own rules count; taken back, no longer', async () => {
  const { cwd, project, put, run } = await places();
  await put(project, { permissions: { allow: ['Bash(touch ran)'] } });
  const touch = async () =>
    (await run(['run'], use('Bash', { command: 'touch ran' }))).lines[0].content[0];

  expect((await touch()).is_error).toBe(true);
  expect((await run(['trust'])).lines).toEqual([{ folder: cwd, trusted: true }]);
  expect((await touch()).is_error).toBeUndefined();
  expect((await run(['trust', '--list'])).lines).toEqual([{ folder: cwd, trusted: true }]);
  expect((await run(['trust', '--revoke'])).lines).toEqual([{ folder: cwd, trusted: false }]);
  expect((await touch()).is_error).toBe(true);
}, 60_000);

test('trust: one clear line for what makes no sense', async () => {
  const { run } = await places();
  for (const [args, message] of [
    [['trust', 'nowhere'], /nowhere: there is no such folder/],
    [['trust', '--revoke'], /was not trusted/],
    [['trust', '--list', 'x'], /--list takes no folder/],
    [['policy'], /policy what\? policy show/],
    [['policy', 'show', '--mode', 'fast'], /"fast" is no permission mode/],
  ] as const) {
    const { code, stdout, stderr } = await run(args);
    expect([code, stdout, stderr.trim().split('\n').length]).toEqual([2, '', 1]);
    expect(stderr).toMatch(message);
  }
}, 60_000);

test('--allowedTools and --disallowedTools are lists of rules, apart by commas or blanks', async () => {
  const { run } = await places();
  const calls = ['touch a', 'touch b', 'touch c']
    .map((command, index) => use('Bash', { command }, `toolu_${index}`))
    .join('');
  const { lines } = await run(
    ['run', '--allowedTools', 'Bash(touch a), Bash(touch b)', '--disallowedTools', 'Bash(touch b)'],
    calls,
  );
  expect(lines.map(({ content }) => content[0].is_error === true)).toEqual([false, true, true]);
}, 60_000);

test('security 14: what a tool writes into the settings frees nothing and binds at once', async () => {
  const { user, put, run } = await places();
  await put(user, { permissions: { allow: ['Bash(cp *)', 'Edit(~/**)', 'Bash(touch denied)'] } });
  const home = join(user, '../..');
  await put(join(home, 'new.json'), {
    permissions: { allow: ['Bash'], deny: ['Bash(touch denied)'] },
  });
  const commands = [`cp ${join(home, 'new.json')} ${user}`, 'touch freed', 'touch denied'];
  const input = JSON.stringify({
    role: 'assistant',
    content: commands.map((command, index) => ({
      type: 'tool_use',
      id: `toolu_${index}`,
      name: 'Bash',
      input: { command },
    })),
  });
  const { lines } = await run(
    ['run', '--mode', 'bypassPermissions', '--ask', 'Bash(touch freed)'],
    `${input}\n`,
  );
  const [copied, freed, denied] = lines[0].content;
  expect(copied.is_error).toBeUndefined();
  expect(JSON.parse(await readFile(user, 'utf8'))).toMatchObject({
    permissions: { allow: ['Bash'] },
  });
  expect([freed.is_error, denied.is_error]).toEqual([true, true]);
}, 60_000);

test('help tells of both verbs', async () => {
  const cwd = await emptyFolder();
  expect((await toolgate(['--help'], { cwd })).stdout).toMatch(/policy .*rules[^]*trust .*folder/);
  expect((await toolgate(['policy', 'show', '--help'], { cwd })).stdout).toContain('--text');
}, 60_000);
