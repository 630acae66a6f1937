import type { SettingValue } from '@toolgate/core';
import { expect, test } from 'vitest';
import { lintHooks } from '../src/index.ts';

const linted = (hooks: unknown) => {
  const value: SettingValue = {
    key: 'hooks',
    value: hooks,
    source: 'projectSettings',
    file: '/s.json',
    line: 1,
    pointer: '/hooks',
  };
  return lintHooks([value], { tools: ['Bash', 'Edit', 'Read', 'Agent'] });
};
const group = (matcher: string, command = 'true') => ({
  matcher,
  hooks: [{ type: 'command', command }],
});
const brief = (hooks: unknown) =>
  linted(hooks).map(({ code, pointer, fix }) => [code, pointer, fix.edit]);

test('finds nothing in hooks that run', () => {
  const script = '"$CLAUDE_PROJECT_DIR"/.claude/hooks/check.sh --dir "${CLAUDE_PROJECT_DIR}/src"';
  const matchers = [
    'Bash',
    'Edit|Read',
    '*',
    '',
    'mcp__git__.*',
    'mcp__git__status',
    '^(Edit|Read)$',
  ];
  expect(linted({ PreToolUse: matchers.map((matcher) => group(matcher, script)) })).toEqual([]);
  expect(linted({ SessionStart: [group('startup', 'jq -r .tool_input.file_path')] })).toEqual([]);
});

test.each([
  ['matcher-no-expression', 'Bash(', undefined],
  ['matcher-permission-rule', 'Bash(git commit:*)', undefined],
  ['matcher-retired-tool', 'Edit|Task', { op: 'replace', value: 'Edit|Agent' }],
  ['matcher-retired-tool', 'Edit|MultiEdit', undefined],
  ['matcher-unknown-tool', 'git push', undefined],
  ['matcher-unknown-tool', 'mcp__git', undefined],
  ['matcher-unknown-tool', 'Write && .md file', undefined],
])('reports %s for the matcher %j', (code, matcher, edit) => {
  expect(brief({ PreToolUse: [group(matcher)] })).toEqual([
    [code, '/hooks/PreToolUse/0/matcher', edit],
  ]);
});

test('a matcher of an event without matchers means nothing', () => {
  expect(brief({ Stop: [group('x')] })).toEqual([
    ['matcher-ignored', '/hooks/Stop/0/matcher', { op: 'remove' }],
  ]);
});

test('a flat entry is wrapped, once', () => {
  const flat = { matcher: 'Bash', type: 'command', command: 'true', timeout: 5 };
  expect(brief({ PreToolUse: [flat] })).toEqual([
    [
      'hook-flat-entry',
      '/hooks/PreToolUse/0',
      {
        op: 'replace',
        value: { matcher: 'Bash', hooks: [{ type: 'command', command: 'true', timeout: 5 }] },
      },
    ],
  ]);
  expect(brief({ PreToolUse: [{ command: 'true' }] })).toEqual([
    ['hook-flat-entry', '/hooks/PreToolUse/0', undefined],
  ]);
});

test.each([
  ['$CLAUDE_PROJECT_DIR/a.sh', '"$CLAUDE_PROJECT_DIR"/a.sh'],
  ['bash ${CLAUDE_PLUGIN_ROOT}/a.sh x', 'bash "${CLAUDE_PLUGIN_ROOT}"/a.sh x'],
  [
    'a "b" $CLAUDE_PROJECT_DIR "$CLAUDE_PROJECT_DIR"',
    'a "b" "$CLAUDE_PROJECT_DIR" "$CLAUDE_PROJECT_DIR"',
  ],
  ['x "$(cat $CLAUDE_PROJECT_DIR/a)"', undefined],
])('a folder without quotes is reported: %s', (command, right) => {
  expect(brief({ PreToolUse: [group('Bash', command)] })).toEqual([
    [
      'hook-unquoted-variable',
      '/hooks/PreToolUse/0/hooks/0/command',
      right === undefined ? undefined : { op: 'replace', value: right },
    ],
  ]);
});

test.each([
  `echo '$CLAUDE_PROJECT_DIR'`,
  'x "$(cat "$CLAUDE_PROJECT_DIR"/a)"',
  String.raw`echo \$CLAUDE_PROJECT_DIR`,
  '$CLAUDE_PROJECT_DIRECTORY/x',
])('quotes are read as the shell reads them: %s', (command) => {
  expect(brief({ PreToolUse: [group('Bash', command)] })).toEqual([]);
});

test('variables that no hook is given, and scripts of no certain folder', () => {
  expect(
    brief({ PostToolUse: [group('Edit', 'npx prettier "$CLAUDE_TOOL_INPUT_FILE_PATH"')] }),
  ).toEqual([['hook-unknown-variable', '/hooks/PostToolUse/0/hooks/0/command', undefined]]);
  for (const command of ['./check.sh', 'bash .claude/hooks/a.sh', 'node tools/x.mjs'])
    expect(brief({ PostToolUse: [group('Edit', command)] })).toEqual([
      ['hook-relative-script', '/hooks/PostToolUse/0/hooks/0/command', undefined],
    ]);
});

test('an event in another case is renamed, unless the right one is there too', () => {
  expect(brief({ preToolUse: [] })).toEqual([
    ['hook-event-unknown', '/hooks/preToolUse', { op: 'rename', key: 'PreToolUse' }],
  ]);
  expect(brief({ preToolUse: [], PreToolUse: [] })).toEqual([
    ['hook-event-unknown', '/hooks/preToolUse', undefined],
  ]);
  expect(brief({ Whenever: [] })).toEqual([['hook-event-unknown', '/hooks/Whenever', undefined]]);
});

test('what is no list, no object or no text is reported with a fix', () => {
  for (const hooks of [
    [],
    'x',
    { PreToolUse: 'x' },
    { PreToolUse: ['x'] },
    { PreToolUse: [{ hooks: ['x'] }] },
  ])
    expect(linted(hooks)).toEqual([
      expect.objectContaining({
        code: 'hook-invalid',
        fix: { message: expect.stringMatching(/./) },
      }),
    ]);
});
