import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readSettings, type ReadSettingsOptions } from '../src/index.ts';

let base = '';
let cwd = '';
let home = '';
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'toolgate-settings-'));
  cwd = join(base, 'project');
  home = join(base, 'home');
  await mkdir(join(cwd, '.git'), { recursive: true });
  await mkdir(home);
});
afterEach(() => rm(base, { recursive: true, force: true }));

const user = () => join(home, '.claude/settings.json');
const project = () => join(cwd, '.claude/settings.json');
const local = () => join(cwd, '.claude/settings.local.json');
const flag = () => join(base, 'flags/extra.json');

async function put(file: string, content: unknown): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
}
const read = async (options: Partial<ReadSettingsOptions> = {}) =>
  (await readSettings({ cwd, home, ...options })).current();
const texts = (rules: readonly { readonly behavior: string; readonly text: string }[]) =>
  rules.map(({ behavior, text }) => `${behavior} ${text}`);

test('no files: an empty snapshot without a word', async () => {
  expect(await read()).toEqual({
    rules: [],
    mode: 'default',
    directories: [],
    values: [],
    diagnostics: [],
  });
});

test('every entry has its provenance, comments and trailing commas included', async () => {
  const text = `\uFEFF// mine
{
  "permissions": {
    /* reads */ "deny": ["Read(.env)",
      "Read(/secrets/**)",],
    "additionalDirectories": ["~/docs", "../lib"],
  },
  "hooks": { "PreToolUse": [] },
  "a/b~c": [1],
}`;
  await put(user(), text);
  const file = user();
  expect(await read()).toEqual({
    rules: [
      {
        behavior: 'deny',
        text: 'Read(.env)',
        source: 'userSettings',
        file,
        root: join(home, '.claude'),
        line: 4,
        pointer: '/permissions/deny/0',
      },
      {
        behavior: 'deny',
        text: 'Read(/secrets/**)',
        source: 'userSettings',
        file,
        root: join(home, '.claude'),
        line: 5,
        pointer: '/permissions/deny/1',
      },
    ],
    mode: 'default',
    directories: [join(home, 'docs'), join(base, 'lib')],
    values: [
      {
        key: 'hooks',
        value: { PreToolUse: [] },
        source: 'userSettings',
        file,
        line: 8,
        pointer: '/hooks',
      },
      {
        key: 'a/b~c',
        value: [1],
        source: 'userSettings',
        file,
        line: 9,
        pointer: '/a~1b~0c',
      },
    ],
    diagnostics: [],
  });
});

test('rules of all sources are pooled, each with the root of its source', async () => {
  const rules = (name: string) => ({ permissions: { deny: [name] } });
  await put(user(), rules('U'));
  await put(project(), rules('P'));
  await put(local(), rules('L'));
  await put(flag(), rules('F'));
  const { rules: found } = await read({
    settingsFiles: [flag()],
    projectRoot: join(base, 'root'),
  });
  expect(found.map(({ text, source, root }) => [text, source, root])).toEqual([
    ['U', 'userSettings', join(home, '.claude')],
    ['P', 'projectSettings', join(base, 'root')],
    ['L', 'localSettings', cwd],
    ['F', 'flagSettings', join(base, 'flags')],
  ]);
});

test('local settings are read from the git root, project settings from the start folder', async () => {
  const start = join(cwd, 'packages/a');
  await mkdir(start, { recursive: true });
  await put(local(), { permissions: { deny: ['L'] } });
  await put(project(), { permissions: { deny: ['P'] } });
  const { rules } = await read({ cwd: start });
  expect(rules.map(({ text, root }) => [text, root])).toEqual([['L', start]]);
});

test('in the home folder the file is read once, as the user’s', async () => {
  await put(user(), { permissions: { allow: ['Bash(ls)'] } });
  expect(await read({ cwd: home })).toMatchObject({
    rules: [{ source: 'userSettings' }],
    diagnostics: [],
  });
});

test('one bad entry is dropped alone, with file, line and pointer', async () => {
  await put(
    user(),
    '{ "permissions": {\n "deny": ["A", 7,\n null, "", {"x": 1}, "B"],\n "ask": "C",\n "allow": [" "] } }',
  );
  const { rules, diagnostics } = await read();
  expect(texts(rules)).toEqual(['deny A', 'deny B']);
  expect(diagnostics.map(({ code, file, line, pointer }) => [code, file, line, pointer])).toEqual([
    ['rule-invalid', user(), 2, '/permissions/deny/1'],
    ['rule-invalid', user(), 3, '/permissions/deny/2'],
    ['rule-invalid', user(), 3, '/permissions/deny/3'],
    ['rule-invalid', user(), 3, '/permissions/deny/4'],
    ['setting-invalid', user(), 4, '/permissions/ask'],
    ['rule-invalid', user(), 5, '/permissions/allow/0'],
  ]);
  expect(diagnostics[0]?.message).toBe(
    'Entry 2 of "deny" must be text, not a number; this deny rule alone is dropped. Mend or remove it.',
  );
});

test.each([
  [
    'a missing comma',
    '{"permissions":{"allow":["Bash"] "deny":["A" "B"], "ask":["C"]}}',
    ['deny A', 'deny B', 'ask C'],
  ],
  ['an end cut off', '{"permissions":{"allow":["Bash"],"deny":["A","B"', ['deny A', 'deny B']],
  ['a brace too many', '{"permissions":{"allow":["Bash"]}}, "deny":["A"]}', ['deny A']],
  ['a missing bracket', '{"permissions":{"deny":["A","B","allow":["Bash"]}}', ['deny A', 'deny B']],
  ['a commented rule', '{"permissions":{"deny":[ // "X",\n "A" ], oops }}', ['deny A']],
  [
    'an open text',
    '{"permissions":{"deny":["A",\n"B],\n"ask":["C"]}}',
    ['deny A', 'deny B],', 'ask C'],
  ],
  [
    'conflict marks',
    '<<<<<<< HEAD\n{"permissions":{"deny":["A"]}}\n=======\n{"permissions":{"deny":["B"]}}',
    ['deny A', 'deny B'],
  ],
])('broken JSON (%s) keeps its deny and ask rules and nothing else', async (_, text, expected) => {
  await put(user(), text);
  await put(local(), { permissions: { deny: ['L'] } });
  const { rules, diagnostics, values } = await read();
  expect(texts(rules)).toEqual([...expected, 'deny L']);
  expect(values).toEqual([]);
  expect(diagnostics).toMatchObject([{ code: 'settings-syntax', severity: 'error', file: user() }]);
  expect(diagnostics[0]?.message).toMatch(/at line \d+, column \d+/);
});

test('broken JSON says where it is broken', async () => {
  await put(local(), '{\n  "permissions": {\n    "allow": ["A"],,\n  }\n}');
  const { diagnostics } = await read();
  expect(diagnostics).toMatchObject([{ line: 3, file: local() }]);
  expect(diagnostics[0]?.message).toContain('line 3, column 20');
});

test('unknown keys and modes are reported with the nearest name', async () => {
  await put(user(), {
    permissions: { denny: ['A'], defaultMode: 'acceptEdit', '//': 'note' },
    permisions: {},
    hooks: { preToolUse: [], PostToolUses: [], Stop: [] },
  });
  const { diagnostics, mode } = await read();
  expect(mode).toBe('default');
  expect(diagnostics.map(({ code, pointer }) => [code, pointer])).toEqual([
    ['setting-unknown', '/permissions/denny'],
    ['setting-invalid', '/permissions/defaultMode'],
    ['setting-unknown', '/permisions'],
    ['hook-event-unknown', '/hooks/preToolUse'],
    ['hook-event-unknown', '/hooks/PostToolUses'],
  ]);
  expect(diagnostics[0]?.message).toContain('Did you mean "deny"?');
  expect(diagnostics[1]?.message).toContain('Did you mean "acceptEdits"?');
  expect(diagnostics[3]?.message).toContain('"PreToolUse"');
  expect(diagnostics[4]?.message).toContain('Did you mean "PostToolUse"?');
});

test('an untrusted folder can only tighten', async () => {
  const loosening = {
    permissions: {
      allow: ['Bash(*)', 'Write'],
      ask: ['Bash(git push *)'],
      deny: ['Read(.env)'],
      defaultMode: 'acceptEdits',
      additionalDirectories: ['/'],
    },
    hooks: { PreToolUse: [] },
    env: { PATH: '.' },
    disableAllHooks: true,
  };
  await put(project(), loosening);
  await put(local(), loosening);
  const snapshot = await read();
  expect(texts(snapshot.rules)).toEqual([
    'ask Bash(git push *)',
    'deny Read(.env)',
    'ask Bash(git push *)',
    'deny Read(.env)',
  ]);
  expect([snapshot.mode, snapshot.directories, snapshot.values]).toEqual(['default', [], []]);
  for (const file of [project(), local()])
    expect(
      snapshot.diagnostics
        .filter((diagnostic) => diagnostic.file === file)
        .map(({ code, line, pointer }) => [code, line, pointer]),
    ).toEqual([
      ['held-back', 1, '/permissions/allow/0'],
      ['held-back', 1, '/permissions/additionalDirectories/0'],
      ['held-back', 1, '/hooks'],
      ['held-back', 1, '/env'],
      ['held-back', 1, '/disableAllHooks'],
      ['held-back', 1, '/permissions/defaultMode'],
    ]);
  expect(snapshot.diagnostics[0]?.message).toBe(
    '2 allow rules (Bash(*), Write) of this file held back: the folder is not trusted. --trust accepts it.',
  );

  const trusted = await read({ trusted: true });
  expect(trusted.rules).toHaveLength(8);
  expect([trusted.mode, trusted.directories, trusted.diagnostics]).toEqual([
    'acceptEdits',
    ['/'],
    [],
  ]);
  expect(trusted.values).toHaveLength(6);
});

test.each([
  [{ project: 'plan' }, 'plan'],
  [{ project: 'dontAsk' }, 'dontAsk'],
  [{ user: 'acceptEdits', project: 'default' }, 'default'],
  [{ user: 'plan', project: 'default' }, 'plan'],
  [{ user: 'plan', project: 'dontAsk' }, 'plan'],
  [{ user: 'dontAsk', local: 'plan' }, 'dontAsk'],
  [{ project: 'bypassPermissions' }, 'default'],
  [{ user: 'bypassPermissions' }, 'bypassPermissions'],
  [{ user: 'bypassPermissions', project: 'manual' }, 'default'],
  [{ user: 'plan', flag: 'auto' }, 'auto'],
  [{ project: 'plan', flag: 'acceptEdits' }, 'acceptEdits'],
])('untrusted, %j: mode %s', async (said: Record<string, string>, mode) => {
  const places: Record<string, string> = {
    user: user(),
    project: project(),
    local: local(),
    flag: flag(),
  };
  for (const [name, defaultMode] of Object.entries(said))
    await put(places[name] ?? '', { permissions: { defaultMode } });
  expect((await read({ settingsFiles: said.flag ? [flag()] : [] })).mode).toBe(mode);
});

test('a trusted project still cannot choose auto or bypassPermissions', async () => {
  await put(project(), { permissions: { defaultMode: 'bypassPermissions' } });
  await put(local(), { permissions: { defaultMode: 'auto' } });
  expect(await read({ trusted: true })).toMatchObject({
    mode: 'default',
    diagnostics: [{ code: 'setting-ignored' }, { code: 'setting-ignored' }],
  });
});

test('any file can switch bypassPermissions off', async () => {
  await put(user(), { permissions: { defaultMode: 'bypassPermissions' } });
  await put(project(), { permissions: { disableBypassPermissionsMode: 'disable' } });
  expect(await read()).toMatchObject({
    mode: 'default',
    diagnostics: [{ code: 'mode-switched-off', file: project() }],
  });
});

test('a --settings file that is missing or unreadable is an error of one line', async () => {
  const missing = join(base, 'none.json');
  await expect(read({ settingsFiles: [missing] })).rejects.toMatchObject({
    code: 'TG_OPTION_INVALID',
    message: `The settings file ${missing} does not exist.`,
  });
  await expect(read({ settingsFiles: [base] })).rejects.toMatchObject({
    message: `The settings file ${base} cannot be read (it is a folder).`,
  });
});

test('wrong options are refused', async () => {
  await expect(read({ trust: true } as object)).rejects.toMatchObject({
    code: 'TG_OPTION_INVALID',
    message: 'readSettings: readSettings has the unknown key "trust". Did you mean "trusted"?',
  });
  await expect(read({ cwd: '' })).rejects.toMatchObject({ code: 'TG_OPTION_INVALID' });
});

test('a duplicate key loses no deny and is reported', async () => {
  await put(
    user(),
    '{"permissions":{"deny":["A"],"deny":["B"],"allow":["X"],"allow":["Y"]},"permissions":{"ask":["C"]},"env":1,"env":2}',
  );
  const { rules, diagnostics, values } = await read();
  expect(texts(rules)).toEqual(['deny A', 'deny B', 'allow Y', 'ask C']);
  expect(values).toMatchObject([{ key: 'env', value: 2 }]);
  expect(diagnostics.map(({ code, pointer }) => [code, pointer])).toEqual([
    ['duplicate-key', '/permissions/deny'],
    ['duplicate-key', '/permissions/allow'],
    ['duplicate-key', '/permissions'],
    ['duplicate-key', '/env'],
  ]);
});

test('__proto__ keys are left out everywhere', async () => {
  await put(
    user(),
    '{"__proto__":{"polluted":1},"permissions":{"__proto__":{"allow":["X"]}},"hooks":{"__proto__":{"polluted":1},"constructor":{"prototype":1}}}',
  );
  const { values, diagnostics, rules } = await read();
  expect(rules).toEqual([]);
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  expect(Object.getPrototypeOf(values[0]?.value)).toBe(Object.prototype);
  expect(diagnostics.filter(({ message }) => message.includes('__proto__'))).toHaveLength(3);
});

test('deep nesting and huge files are cut with a diagnostic and keep their deny rules', async () => {
  const deep = `{"permissions":{"deny":["A"],"allow":["X"]},"env":${'[{"a":'.repeat(90_000)}`;
  await put(user(), deep);
  await put(local(), `{"permissions":{"deny":["B"]},"env":${'['.repeat(200)}${']'.repeat(200)}}`);
  await put(project(), `{"permissions":{"deny":["C"]}, "x":"${'y'.repeat(1_100_000)}"}`);
  const { rules, diagnostics, values } = await read({ trusted: true });
  expect(texts(rules)).toEqual(['deny A', 'deny C', 'deny B']);
  expect(values).toEqual([]);
  expect(diagnostics.map(({ code }) => code)).toEqual([
    'settings-syntax',
    'settings-too-large',
    'settings-syntax',
  ]);
});

test.each([
  '',
  '  // nothing\n',
  '[]',
  '"text"',
  '7',
  'null',
  'true',
  '\0\0',
  '{',
  '}',
  '{"permissions":[]}',
  '{"permissions":null,"hooks":7}',
])('the content %j gives no rule and no crash', async (text) => {
  for (const file of [user(), project(), local()]) await put(file, text);
  expect((await read()).rules).toEqual([]);
});

test('what a hostile file says is shown as plain text, and not without end', async () => {
  await put(project(), {
    permissions: { allow: ['Bash(\u001b[2J\u202e*)'], ['a\u001b[31m']: 1 },
    ['k\u0007']: 1,
  });
  await put(user(), `{"permissions":{"deny":["A",${'7,'.repeat(100_000)}"B"]}}`);
  const { diagnostics, rules } = await read();
  expect(texts(rules)).toEqual(['deny A', 'deny B']);
  expect(diagnostics.filter(({ file }) => file === user())).toHaveLength(201);
  for (const { message } of diagnostics) expect(message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

test('pipes, folders, loops and links in the place of a file do not hold up the start', async () => {
  await mkdir(dirname(user()), { recursive: true });
  await mkdir(dirname(project()), { recursive: true });
  execFileSync('/bin/sh', ['-c', 'mkfifo "$0"', user()]);
  await mkdir(project());
  await symlink(local(), local());
  const { diagnostics } = await read();
  expect(diagnostics.map(({ code, file }) => [code, file])).toEqual([
    ['settings-unreadable', user()],
    ['settings-unreadable', project()],
    ['settings-unreadable', local()],
  ]);
});

test('a linked project file is hostile like any other', async () => {
  await put(user(), { permissions: { allow: ['X'] } });
  await mkdir(dirname(project()), { recursive: true });
  await symlink(user(), project());
  const { rules, diagnostics } = await read();
  expect(rules).toHaveLength(1);
  expect(diagnostics).toMatchObject([{ code: 'held-back', file: project() }]);
});

test('the snapshot is immutable and no file is touched', async () => {
  const text = '{"permissions":{"deny":["A"]},"env":{"a":{"b":[1]}}}';
  await put(user(), text);
  const snapshot = await read();
  const isDeepFrozen = (value: unknown): boolean =>
    typeof value !== 'object' ||
    value === null ||
    (Object.isFrozen(value) && Object.values(value).every(isDeepFrozen));
  expect(isDeepFrozen(snapshot)).toBe(true);
  expect(await readFile(user(), 'utf8')).toBe(text);
});
