import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { emptyFolder, toolgate } from './helpers/toolgate.ts';

const policy = `{
  // what the team shares
  "permissions": {
    "allow": ["Bash(npm test *)", "Edit(/src/**)", "Bash(never used)"],
    "ask": ["Bash(git push *)"],
    "deny": ["Read(.env)"],
    "defaultMode": "bypassPermissions"
  }
}`;
const config = `export default {
  permissions: (call) => ({ behavior: call.input.command === 'ls' ? 'allow' : 'deny', reason: 'Mine.' }),
};`;

async function project(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const cwd = await emptyFolder();
  for (const [name, text] of Object.entries({ '.claude/settings.json': policy, ...files })) {
    await mkdir(dirname(join(cwd, name)), { recursive: true });
    await writeFile(join(cwd, name), text);
  }
  return cwd;
}

describe('test', () => {
  const yaml = `
- name: tests run
  tool: Bash
  input: { command: npm test --watch }
  expect: allow
  rule: Bash(npm test *)
- name: pushing asks, whatever stands before it
  tool: Bash
  input: { command: npm test && git push }
  expect: ask
- name: rules of the project begin at the project
  tool: Edit
  cwd: packages/a
  input: { file_path: ../../src/a.ts, old_string: a, new_string: b }
  expect: allow
- name: a mode of its own
  tool: Bash
  input: { command: make }
  mode: dontAsk
  expect: deny
`;

  test('exits 0 when all tests hold, with one line for each', async () => {
    const cwd = await project({ 'policy.yaml': yaml });
    const { code, lines, stderr } = await toolgate(['test', 'policy.yaml'], { cwd });
    expect(code).toBe(0);
    expect(lines.map(({ name, ok, behavior }) => [name, ok, behavior])).toEqual([
      ['tests run', true, 'allow'],
      ['pushing asks, whatever stands before it', true, 'ask'],
      ['rules of the project begin at the project', true, 'allow'],
      ['a mode of its own', true, 'deny'],
    ]);
    expect(stderr).toContain('all 4 policy tests hold');
  });

  test('exits 1 and names each mismatch, and the rule that decided with file and line', async () => {
    const tests = [
      { name: 'env', tool: 'Read', input: { file_path: '.env' }, expect: 'allow' },
      {
        name: 'by another',
        tool: 'Bash',
        input: { command: 'npm test' },
        expect: 'allow',
        rule: 'Bash',
      },
      { name: 'make', tool: 'Bash', input: { command: 'make' }, expect: 'deny' },
    ];
    const cwd = await project({ 'policy.json': JSON.stringify(tests, undefined, 2) });
    const { code, lines, stderr } = await toolgate(['test', 'policy.json'], { cwd });
    expect(code).toBe(1);
    expect(lines).toMatchObject([
      { ok: false, behavior: 'deny', rule: { text: 'Read(.env)', line: 6 } },
      { ok: false, behavior: 'allow', rule: { text: 'Bash(npm test *)', line: 4 } },
      { ok: false, behavior: 'ask' },
    ]);
    const place = `${cwd}/.claude/settings.json`;
    expect(stderr.trim().split('\n').slice(-4)).toEqual([
      `toolgate: policy.json:2: "env" should run and is refused. Read \`.env\` is refused, because the deny rule Read(.env) of the project’s settings (${place}:6) forbids reading ${cwd}/.env.`,
      `toolgate: policy.json:10: "by another" should be decided by the rule Bash and is by Bash(npm test *) of the project’s settings (${place}:4). Bash \`npm test\` runs without asking, because the allow rule Bash(npm test *) of the project’s settings (${place}:4) allows it.`,
      'toolgate: policy.json:19: "make" should be refused and asks. Bash `make` asks a person, because no rule allows this call.',
      'toolgate: 3 of 3 policy tests do not hold',
    ]);
  });

  test('the files of --settings are the whole policy; rule flags come on top', async () => {
    const tests = '[{ name: n, tool: Bash, input: { command: git push }, expect: deny }]';
    const cwd = await project({ 't.yaml': tests, 'other.json': '{}' });
    const run = async (...flags: readonly string[]) =>
      (await toolgate(['test', 't.yaml', ...flags], { cwd })).lines[0].behavior;
    expect(await run('--settings', 'other.json', '--deny', 'Bash(git *)')).toBe('deny');
    expect(await run('--settings', 'other.json')).toBe('ask');
  });

  test('a mode that the policy switches off is default', async () => {
    const off = '{"permissions":{"disableBypassPermissionsMode":"disable"}}';
    const tests =
      '[{ name: n, tool: Bash, input: { command: make }, mode: bypassPermissions, expect: ask }]';
    const cwd = await project({ 't.yaml': tests, 'off.json': off });
    const { code } = await toolgate(['test', 't.yaml', '--settings', 'off.json'], { cwd });
    expect(code).toBe(0);
  });

  test('a backend of one’s own decides through --config', async () => {
    const tests = `
- { name: ls, tool: Bash, input: { command: ls }, expect: allow }
- { name: cat, tool: Bash, input: { command: cat x }, expect: deny }`;
    const cwd = await project({ 't.yaml': tests, 'c.mjs': config });
    const { code, lines } = await toolgate(['test', 't.yaml', '--config', 'c.mjs'], { cwd });
    expect(lines.map(({ behavior, reason }) => [behavior, reason])).toEqual([
      ['allow', 'Mine.'],
      ['deny', 'Mine.'],
    ]);
    expect(code).toBe(0);
  });

  const test1 = (more: string) => `- name: x\n  tool: Bash\n${more}`;
  test.for([
    ['no file', undefined, /^toolgate: test needs a file of policy tests/],
    [
      'a misspelled key',
      test1('  expcet: ask'),
      /^toolgate: t\.yaml:1: test 1 \("x"\): unknown key "expcet"\. Did you mean "expect"\? \(and 1 more mistake\)$/,
    ],
    [
      'an unknown word',
      test1('  expect: maybe'),
      /^toolgate: t\.yaml:3: test 1 \("x"\): "expect" .*allow/,
    ],
    ['no list', 'tests: []', /^toolgate: t\.yaml:1: policy tests are a list/],
    ['broken YAML', '- name: [x', /^toolgate: t\.yaml:1:\d+: /],
    ['an unknown mode', test1('  expect: ask\n  mode: paln'), /^toolgate: t\.yaml:4: .*"mode"/],
  ] as const)('%s is one line and exit 2', async ([, text, line]) => {
    const cwd = await project(text === undefined ? {} : { 't.yaml': text });
    const args = text === undefined ? ['test'] : ['test', 't.yaml'];
    const { code, stdout, stderr } = await toolgate(args, { cwd });
    expect({ code, stdout, lines: stderr.trim().split('\n') }).toEqual({
      code: 2,
      stdout: '',
      lines: [expect.stringMatching(line)],
    });
  });

  test('without a policy it says how to name one', async () => {
    const cwd = await emptyFolder();
    await writeFile(join(cwd, 't.yaml'), '[]');
    const { code, stderr } = await toolgate(['test', 't.yaml'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toMatch(/there is no policy to test.*--settings/);
  });
});

describe('replay', () => {
  const use = (id: string, command: string) => ({
    type: 'tool_use',
    id,
    name: 'Bash',
    input: { command },
  });
  const transcript = [
    { type: 'user', message: { role: 'user', content: 'Go.' } },
    {
      type: 'assistant',
      cwd: '/recorded',
      message: { role: 'assistant', content: [use('a', 'npm test'), use('b', 'git push')] },
    },
    {
      type: 'assistant',
      cwd: '/recorded',
      message: {
        role: 'assistant',
        content: [
          use('c', 'ls'),
          {
            type: 'tool_use',
            id: 'd',
            name: 'Edit',
            input: { file_path: '/recorded/src/a.ts', old_string: 'a', new_string: 'b' },
          },
        ],
      },
    },
  ];
  const files = {
    'calls.jsonl': transcript.map((line) => JSON.stringify(line)).join('\n'),
    'new.json':
      '{"permissions":{"allow":["Bash(git *)","Edit(//recorded/src/**)"],"deny":["Bash(npm *)"]}}',
  };

  test('says which calls are decided differently and why, what each rule did, and which never fired', async () => {
    const cwd = await project(files);
    const { code, lines, stderr } = await toolgate(['replay', 'calls.jsonl', '--new', 'new.json'], {
      cwd,
    });
    expect(code).toBe(1);
    const of = (type: string) => lines.filter((line) => line.type === type);
    expect(of('difference')).toMatchObject([
      {
        line: 2,
        id: 'a',
        old: { behavior: 'allow', rule: { text: 'Bash(npm test *)' } },
        new: { behavior: 'deny', rule: { text: 'Bash(npm *)' } },
        why: expect.stringContaining('allow becomes deny'),
      },
      { line: 2, id: 'b', old: { behavior: 'ask' }, new: { behavior: 'allow' } },
    ]);
    expect(
      of('rule').map(({ policy: side, rule, matched, decided }) => [
        side,
        rule.text,
        matched,
        decided,
      ]),
    ).toEqual([
      ['old', 'Bash(npm test *)', 1, 1],
      ['old', 'Edit(/src/**)', 1, 1],
      ['old', 'Bash(git push *)', 1, 1],
      ['old', 'Bash(never used)', 0, 0],
      ['old', 'Read(.env)', 0, 0],
      ['new', 'Bash(git *)', 1, 1],
      ['new', 'Edit(//recorded/src/**)', 1, 1],
      ['new', 'Bash(npm *)', 1, 1],
    ]);
    expect(of('summary')).toEqual([{ type: 'summary', calls: 4, differences: 2, skipped: 1 }]);
    expect(stderr).toMatch(
      /never fired in the old policy: allow Bash\(never used\) of .*settings\.json:4/,
    );
    expect(stderr).toContain('2 of 4 calls are decided differently');
  });

  test('the same policy twice is no difference, and exit 0', async () => {
    const cwd = await project(files);
    const args = ['replay', 'calls.jsonl', '--old', 'new.json', '--new', 'new.json'];
    expect(await toolgate(args, { cwd })).toMatchObject({ code: 0 });
  });

  test('a backend of one’s own is one of the policies', async () => {
    const cwd = await project({ ...files, 'c.mjs': config });
    const { code, lines } = await toolgate(['replay', 'calls.jsonl', '--new-config', 'c.mjs'], {
      cwd,
    });
    expect(code).toBe(1);
    expect(
      lines.filter(({ type }) => type === 'difference').map(({ id, new: now }) => [id, now.reason]),
    ).toEqual([
      ['a', 'Mine.'],
      ['b', 'Mine.'],
      ['d', 'Mine.'],
    ]);
  });

  test('only one policy, a missing file or a broken line is one clear line and exit 2', async () => {
    const cwd = await project({ ...files, 'bad.jsonl': '{' });
    const run = async (...args: readonly string[]) => toolgate(['replay', ...args], { cwd });
    expect(await run('calls.jsonl')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^toolgate: replay compares two policies: .*\n$/),
    });
    expect(await run('calls.jsonl', '--new', 'nowhere.json')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^toolgate: settings file nowhere\.json: there is no such file\n$/,
      ),
    });
    expect(await run('bad.jsonl', '--new', 'new.json')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('bad.jsonl:1: not JSON'),
    });
  });
});

describe('explain --text', () => {
  test('reads like a sentence, with what decided first', async () => {
    const rules = { allow: ['Bash(npm *)'], deny: ['Bash(git push *)'] };
    const call = (command: string) => ({ tool: 'Bash', input: { command }, rules, cwd: '/app' });
    const input = [call('npm test && make all'), call('git push; npm test'), call('ls\u202e')]
      .map((line) => JSON.stringify(line))
      .join('\n');
    const { stdout } = await toolgate(['explain', '--text'], { cwd: await emptyFolder(), input });
    expect(stdout.split('\n').filter((line) => !line.startsWith('  '))).toEqual([
      'Bash `npm test && make all` asks a person, because nothing allows `make all`.',
      'Bash `git push; npm test` is refused, because the deny rule Bash(git push *) of the project’s settings (/rules/deny/0) forbids `git push`.',
      expect.stringMatching(/^Bash `ls\\u\{202e\}` asks a person/),
      '',
    ]);
  });

  test('the rules of a settings file count with --settings, and are named by file and line', async () => {
    const cwd = await project();
    const lines = [
      { tool: 'Read', input: { file_path: '.env' } },
      { tool: 'Bash', input: { command: 'npm test' }, rules: { deny: ['Bash(npm *)'] } },
      { tool: 'Edit', input: { file_path: 'src/a.ts', old_string: 'a', new_string: 'b' } },
    ];
    const input = lines.map((line) => JSON.stringify(line)).join('\n');
    const settings = ['--settings', '.claude/settings.json'];
    const { lines: answers } = await toolgate(['explain', ...settings], { cwd, input });
    expect(answers.map(({ behavior }) => behavior)).toEqual(['deny', 'deny', 'allow']);
    expect(answers[0].trail[0].rule).toMatchObject({
      text: 'Read(.env)',
      source: 'projectSettings',
      file: join(cwd, '.claude/settings.json'),
      line: 6,
    });
    const { stdout } = await toolgate(['explain', '--text', ...settings], { cwd, input });
    expect(stdout).toContain(
      `because the deny rule Read(.env) of the project’s settings (${cwd}/.claude/settings.json:6) forbids reading ${cwd}/.env.`,
    );
  });
});
