import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { emptyFolder, root, toolgate } from './helpers/toolgate.ts';

async function project(settings: string) {
  const cwd = await emptyFolder();
  const file = join(cwd, 'app/.claude/settings.json');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, settings);
  const lint = (...args: readonly string[]) => toolgate(['lint', ...args, file], { cwd });
  return { cwd, file, lint };
}

const faulty = `{
  // ours
  "permissions": {
    "allow": [
      "Task", // old
      "Bash(npm :*)",
      "Bash(npm test *)",
      "Bash(sudo *)"
    ],
    "deny": ["Write(secrets/**)"]
  },
  "hooks": {
    "preToolUse": [
      { "matcher": "Bash", "type": "command", "command": "$CLAUDE_PROJECT_DIR/a.sh" }
    ]
  }
}
`;

test('jsonl: each finding with file, pointer, line, code, severity, message and fix', async () => {
  const { file, lint } = await project('{"permissions":{\n"allow":["Bash(sudo *)"]}}');
  const { code, lines, stderr } = await lint('--format', 'jsonl');
  expect([code, stderr]).toEqual([1, 'toolgate: 0 errors, 1 warnings, 0 infos\n']);
  expect(lines).toEqual([
    {
      file,
      pointer: '/permissions/allow/0',
      line: 2,
      code: 'rule-dangerous-allow',
      severity: 'warning',
      message: 'allow rule "Bash(sudo *)": it would allow whatever sudo runs.',
      fix: { message: 'Name the commands that may run, with their first arguments.' },
    },
  ]);
});

test('text: a line for the finding and one for the fix', async () => {
  const { lint } = await project('{"permissions":{"allow":["Task"]}}');
  const { code, stdout } = await lint();
  expect(code).toBe(0);
  expect(stdout).toBe(
    'app/.claude/settings.json:1: info rule-retired-tool: allow rule "Task": Task is the old name of Agent; it still works.\n    fix (--fix): Write Agent.\n',
  );
});

test('sarif: one run, with rules, levels and places', async () => {
  const { lint } = await project('{"permissions":{"allow":["Bash(sudo *)","Task","Bash("]}}');
  const { code, stdout } = await lint('--format', 'sarif');
  expect(code).toBe(1);
  const log: unknown = JSON.parse(stdout);
  expect(log).toMatchObject({
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'toolgate' } },
        results: expect.arrayContaining([
          expect.objectContaining({ ruleId: 'rule-dangerous-allow', level: 'warning' }),
          expect.objectContaining({ ruleId: 'rule-retired-tool', level: 'note' }),
          expect.objectContaining({ ruleId: 'rule-unbalanced', level: 'error' }),
        ]),
      },
    ],
  });
  expect(stdout).toContain('"uri": "app/.claude/settings.json"');
});

test('github: a rule cannot write an annotation of its own', async () => {
  const rule = 'Bash(x\n::error file=a::b%0A)';
  const { lint } = await project(
    JSON.stringify({ permissions: { allow: [rule, 'Bash(sudo *)'] } }),
  );
  const { code, stdout } = await lint('--format', 'github');
  expect(code).toBe(1);
  for (const line of stdout.trimEnd().split('\n'))
    expect(line).toMatch(
      /^::(?:warning|notice) file=app\/\.claude\/settings\.json,line=1,title=[\w-]+::allow rule /,
    );
});

test('--fix mends what is certain, keeps comments, and has nothing to do a second time', async () => {
  const { file, lint } = await project(faulty);
  const first = await lint('--fix', '--format', 'jsonl');
  expect(first.code).toBe(1);
  const mended = await readFile(file, 'utf8');
  expect(mended).toBe(`{
  // ours
  "permissions": {
    "allow": [
      "Agent", // old
      "Bash(npm *)",
      "Bash(sudo *)"
    ],
    "deny": ["Edit(secrets/**)"]
  },
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Bash",
        "hooks": [
          {
            "type": "command",
            "command": "\\"$CLAUDE_PROJECT_DIR\\"/a.sh"
          }
        ]
      }
    ]
  }
}
`);
  const second = await lint('--fix', '--format', 'jsonl');
  expect(second.lines).toEqual(first.lines);
  expect(await readFile(file, 'utf8')).toBe(mended);
  expect(await readdir(dirname(file))).toEqual(['settings.json']);
  expect(first.lines.map(({ code }) => String(code)).toSorted()).toEqual([
    'rule-dangerous-allow',
    'settings-not-strict',
  ]);
});

test('--fix writes to no broken file, and through no link out of the project', async () => {
  const broken = await project('{"permissions":{"deny":["Write(a)"]');
  expect((await broken.lint('--fix')).code).toBe(1);
  expect(await readFile(broken.file, 'utf8')).toBe('{"permissions":{"deny":["Write(a)"]');

  const cwd = await emptyFolder();
  const elsewhere = join(cwd, 'elsewhere.json');
  await writeFile(elsewhere, '{"permissions":{"allow":["Task"]}}');
  await mkdir(join(cwd, 'app/.claude'), { recursive: true });
  const link = join(cwd, 'app/.claude/settings.json');
  await symlink(elsewhere, link);
  const { code, stderr } = await toolgate(['lint', '--fix', link], { cwd });
  expect(code).toBe(2);
  expect(stderr).toMatch(/^toolgate: .*leads out of its folder, so nothing is written there\n$/);
  expect(await readFile(elsewhere, 'utf8')).toContain('Task');
});

test('without files those of the user and the folder are looked at, together', async () => {
  const cwd = await emptyFolder();
  expect(await toolgate(['lint'], { cwd })).toMatchObject({ code: 0, stdout: '' });
  const app = join(cwd, 'app');
  for (const folder of [cwd, app]) await mkdir(join(folder, '.claude'), { recursive: true });
  await writeFile(join(cwd, '.claude/settings.json'), '{"permissions":{"deny":["Bash(git *)"]}}');
  const local = join(app, '.claude/settings.local.json');
  await writeFile(local, '{"permissions":{"allow":["Bash(git push *)"]}}');
  const { code, lines } = await toolgate(['lint', '--cwd', app, '--format', 'jsonl'], { cwd });
  expect(code).toBe(1);
  expect(lines).toMatchObject([{ file: local, code: 'rule-shadowed' }]);
});

test('bad usage is one clear line', async () => {
  const cwd = await emptyFolder();
  const missing = await toolgate(['lint', 'none.json'], { cwd });
  expect([missing.code, missing.stdout]).toEqual([2, '']);
  expect(missing.stderr).toMatch(/^toolgate: settings file .*none\.json: there is no such file\n$/);
  const format = await toolgate(['lint', '--format', 'xml'], { cwd });
  expect(format.code).toBe(2);
  expect(format.stderr).toMatch(/^toolgate: .*text, jsonl, sarif, github.*\n$/);
});

test('the table of codes is that of the code', async () => {
  const sources = ['permissions', 'hooks', 'settings'].map((name) => `packages/${name}/src/lint`);
  const files = [
    ...(await Promise.all(
      sources.map(async (folder) =>
        (await readdir(join(root, folder))).map((name) => `${folder}/${name}`),
      ),
    )),
    ['add-content', 'compile-rules', 'parse-rule'].map(
      (name) => `packages/permissions/src/${name}.ts`,
    ),
    ['configured-handlers', 'read-handler'].map((name) => `packages/hooks/src/${name}.ts`),
    ['file-entries', 'read-permissions', 'reading'].map(
      (name) => `packages/settings/src/${name}.ts`,
    ),
  ].flat();
  const texts = await Promise.all(files.map((file) => readFile(join(root, file), 'utf8')));
  const inCode = texts.flatMap((text) => [
    ...text.matchAll(/'((?:rule|hooks?|matcher|settings?|duplicate)-[a-z-]+)'/g),
  ]);
  const page = await readFile(join(root, 'docs/lint.md'), 'utf8');
  const inPage = [...page.matchAll(/^\| `([a-z-]+)`/gm)];
  const names = (found: readonly RegExpExecArray[]) =>
    [...new Set(found.map(([, name = '']) => name))].toSorted();
  expect(names(inPage)).toEqual(names(inCode));
});
