import type { PermissionPrompt } from '@toolgate/core';
import { expect, test } from 'vitest';
import { readTypedAnswer } from '../src/cli/terminal-answer.ts';

const prompt: PermissionPrompt = {
  id: 'p',
  toolUseId: 't',
  tool: 'Bash',
  input: { command: 'npm test' },
  reason: 'No rule allows this call.',
  strength: 'ask',
  units: [],
  warnings: [],
  destructive: false,
  suggestedRules: [{ rule: 'Bash(npm test *)', destination: 'localSettings' }],
  digest: 'd',
};
const allow = { behavior: 'allow' };

test.each<readonly [string, object]>([
  ['y', { answer: allow }],
  ['Yes ', { answer: allow }],
  ['n', { answer: { behavior: 'deny' } }],
  ['use pnpm instead', { answer: { behavior: 'deny', message: 'use pnpm instead' } }],
  ['a bad idea', { answer: { behavior: 'deny', message: 'a bad idea' } }],
  ['a', { answer: { ...allow, rules: ['Bash(npm test *)'], destination: 'localSettings' } }],
  ['a user', { answer: { ...allow, rules: ['Bash(npm test *)'], destination: 'userSettings' } }],
  [
    'a Bash(npm test --watch *)',
    { answer: { ...allow, rules: ['Bash(npm test --watch *)'], destination: 'localSettings' } },
  ],
  [
    'always session Bash(npm *)',
    { answer: { ...allow, rules: ['Bash(npm *)'], destination: 'session' } },
  ],
  ['a Bash()', { unclear: expect.stringContaining('empty parentheses') }],
  ['e {"command":"npm run x"}', { answer: { ...allow, updatedInput: { command: 'npm run x' } } }],
  ['e {"command"', { unclear: 'That input is no JSON object.' }],
])('%j', (line, expected) => {
  expect(readTypedAnswer(line, prompt)).toEqual(expected);
});

test('a without a rule to keep is asked about again', () => {
  expect(readTypedAnswer('a', { ...prompt, suggestedRules: [] })).toMatchObject({
    unclear: expect.stringContaining('No rule is suggested'),
  });
});
