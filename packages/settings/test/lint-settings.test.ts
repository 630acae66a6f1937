import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fixSettings, openSettings } from '../src/index.ts';

async function opened(text: string) {
  const folder = await mkdtemp(join(tmpdir(), 'toolgate-lint-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'settings.json');
  await writeFile(file, text);
  const settings = openSettings({ source: 'userSettings', file, root: folder });
  if (typeof settings === 'string') throw new Error(settings);
  return settings;
}
const codesOf = async (text: string) =>
  (await opened(text)).findings.map(({ code, severity, pointer }) => [code, severity, pointer]);

test('finds nothing in a file that is right', async () => {
  const text =
    '{"$schema":"x","_note":1,"model":"m","env":{},"permissions":{"defaultMode":"plan"}}';
  expect(await codesOf(text)).toEqual([]);
});

test.each([
  [
    '{"permissions":{"defaultMode":"yolo"}}',
    'setting-invalid',
    'error',
    '/permissions/defaultMode',
  ],
  ['{"permissions":{"alow":[]}}', 'setting-unknown', 'warning', '/permissions/alow'],
  ['{"permissions":{"allow":"Bash"}}', 'setting-invalid', 'error', '/permissions/allow'],
  ['{"allow":["Bash"]}', 'setting-misplaced', 'warning', '/allow'],
  ['{"defaultMode":"plan"}', 'setting-misplaced', 'warning', '/defaultMode'],
  ['{"PreToolUse":[]}', 'setting-misplaced', 'warning', '/PreToolUse'],
  ['{"permisions":{}}', 'setting-unknown', 'warning', '/permisions'],
  ['{"statusline":{}}', 'setting-unknown', 'warning', '/statusline'],
  ['{"somethingOfMine":{}}', 'setting-unknown', 'info', '/somethingOfMine'],
  ['{"env":{},}', 'settings-not-strict', 'info', ''],
  ['{"env":{} "x":1}', 'settings-syntax', 'error', undefined],
])('%s is reported as %s', async (text, ...finding) => {
  expect(await codesOf(text)).toEqual([finding]);
});

test('lines of pointers', async () => {
  const { lineOf } = await opened('{\n"hooks": {\n"Stop": [\n{ "hooks": [] }\n]\n}\n}');
  expect([lineOf('/hooks/Stop'), lineOf('/hooks/Stop/0/none/5'), lineOf('/none')]).toEqual([
    3, 4, 1,
  ]);
});

test('a fix keeps comments, order and form', () => {
  const text = `{
  // rules
  "permissions": {
    "allow": [
      "Bash(a)", // first
      "Task", // second
      "Bash(b)", // third
    ],
  },
}
`;
  const fixed = fixSettings(text, [
    { pointer: '/permissions/allow/0', edit: { op: 'remove' } },
    { pointer: '/permissions/allow/1', edit: { op: 'replace', value: 'Agent' } },
    { pointer: '/permissions/allow/2', edit: { op: 'remove' } },
    { pointer: '/permissions/none', edit: { op: 'remove' } },
  ]);
  expect(fixed.made).toHaveLength(3);
  expect(fixed.text).toContain('      "Agent", // second\n');
  expect(fixed.text).toContain('  // rules\n');
  expect(fixed.text).not.toContain('Bash');
});

test('a key is renamed in its place', () => {
  const edit = { op: 'rename', key: 'PreToolUse' } as const;
  expect(
    fixSettings('{"hooks":{"pretooluse":[] /* c */}}', [{ pointer: '/hooks/pretooluse', edit }])
      .text,
  ).toBe('{"hooks":{"PreToolUse":[] /* c */}}');
});

test('nothing is rewritten that would cost a comment, nor in a broken file', () => {
  const edit = { op: 'replace', value: {} } as const;
  for (const text of ['{"a": { /* why */ "b": 1 }}', '{"a": {}'])
    expect(fixSettings(text, [{ pointer: '/a', edit }])).toEqual({ text, made: [] });
});
