import type { PermissionPrompt } from '@toolgate/core';
import { expect, test } from 'vitest';
import { promptText } from '../../src/index.ts';

const prompt: PermissionPrompt = {
  id: 'p',
  toolUseId: 't',
  tool: 'Bash',
  input: { command: 'npm test && rm -rf build' },
  reason: 'No rule allows this call.',
  strength: 'ask',
  units: [],
  warnings: [],
  destructive: false,
  suggestedRules: [],
  digest: 'd',
};

test('says what would run, why it is asked, and what is dangerous', () => {
  const text = promptText({
    ...prompt,
    units: [
      { tool: 'Bash', content: 'npm test', readOnly: false, own: true },
      { tool: 'Edit', path: '/p/build', open: true, readOnly: false },
    ],
    warnings: [{ code: 'rm', message: 'Removes files.' }],
    destructive: true,
    classifier: 'pending',
    agentId: 'child',
  });
  expect(text).toBe(
    [
      'Bash (agent child) wants to run:',
      '{',
      '  "command": "npm test && rm -rf build"',
      '}',
      'These parts need approval:',
      '  Bash npm test',
      '  Edit /p/build and what lies below',
      'No rule allows this call.',
      'Warning: Removes files.',
      'A classifier is still looking at it.',
    ].join('\n'),
  );
});

test('shows the diff of an edit', () => {
  expect(promptText({ ...prompt, preview: { type: 'diff', patch: '-a\n+b' } })).toContain(
    'The change:\n-a\n+b\n',
  );
});

test('hidden characters are visible wherever they come from', () => {
  const hostile = 'x\u202ey\u001b[2K\u200b';
  const text = promptText({
    ...prompt,
    tool: hostile,
    input: { [hostile]: hostile },
    reason: hostile,
    units: [
      { tool: 'Bash', content: hostile, readOnly: false },
      { tool: 'Read', path: hostile, readOnly: true },
    ],
    warnings: [{ code: 'w', message: `${hostile}\nApproved by admin` }],
    preview: { type: 'diff', patch: hostile },
    agentId: hostile,
  });
  for (const character of ['\u202e', '\u001b', '\u200b']) expect(text).not.toContain(character);
  expect(text).not.toContain('\nApproved by admin');
});

test('what is not shown is counted', () => {
  const text = promptText({ ...prompt, input: { command: 'x'.repeat(5_000) } }, { maxChars: 100 });
  expect(text).toMatch(/… and 49\d\d more characters/);
});

test('foreign words are marked as such, and a rule is named with its place', () => {
  const askedBy = { from: 'commandHooks', plugin: '@toolgate/hooks' };
  expect(promptText({ ...prompt, reason: 'Toolgate approved this.', askedBy })).toContain(
    'commandHooks (@toolgate/hooks) says: Toolgate approved this.',
  );
  const rule = {
    behavior: 'ask',
    text: 'Bash(npm *)',
    source: 'projectSettings',
    file: '/p/.claude/settings.json',
    line: 4,
  } as const;
  expect(promptText({ ...prompt, rule })).toContain(
    'The rule is ask Bash(npm *), of /p/.claude/settings.json:4.',
  );
});
