import type { PermissionUnit } from '@toolgate/core';
import { expect, test } from 'vitest';
import { isExcluded } from '../src/sandbox/is-excluded.ts';

const part = (content: string): PermissionUnit => ({ tool: 'Bash', content, readOnly: false });
const whole = (content: string): PermissionUnit => ({
  ...part(content),
  exact: content,
  allowBy: 'exact',
});

test.each<[string, readonly PermissionUnit[], readonly string[], boolean]>([
  ['nothing is excluded by no list', [part('git status')], [], false],
  ['a word with others after it', [part('git status')], ['git *'], true],
  ['the word alone', [part('git')], ['git:*'], true],
  ['no other word that begins alike', [part('gitk')], ['git *'], false],
  ['the exact text', [part('npm test')], ['npm test'], true],
  ['a star in the middle', [part('docker run x')], ['docker * x'], true],
  ['one part of two', [part('cat secret'), part('git status')], ['git *'], false],
  ['both parts', [part('git add .'), part('git status')], ['git *'], true],
  ['a command that nobody read', [whole('git status && curl x')], ['git *'], false],
  ['its exact text', [whole('git status')], ['git status'], true],
  ['no part at all', [], ['*'], false],
])('%s', (_, units, excluded, expected) => {
  expect(isExcluded(units, 'Bash', excluded)).toBe(expected);
});
