import { expect, test } from 'vitest';
import { braceAlternatives } from '../src/brace-alternatives.ts';
import { file, verdict } from './helpers/call.ts';

test.each<[string, readonly string[]]>([
  ['*.{ts,js}', ['*.ts', '*.js']],
  ['{a,b}/{c,d}', ['a/c', 'a/d', 'b/c', 'b/d']],
  ['{a,{b,c}}', ['a', 'b', 'a', 'c']],
  ['a{,.bak}', ['a', 'a.bak']],
  ['{a}', []],
  ['a', []],
  [String.raw`\{a,b}`, []],
  ['{a,b}'.repeat(20), []],
])('%s', (path, alternatives) => {
  expect(braceAlternatives(path)).toEqual(alternatives);
});

test('a deny binds each alternative and the characters themselves, an allow only these', () => {
  const on = (path: string, rules: object) =>
    verdict({ tool: 'Edit', units: [file('Edit', path, { own: true })], rules });
  const rule = ['Edit(*.{ts,js})'];
  expect(
    ['/p/a.ts', '/p/x/a.js', '/p/a.{ts,js}', '/p/a.tsx'].map((path) => on(path, { deny: rule })),
  ).toEqual(['deny', 'deny', 'deny', 'undecided']);
  expect(['/p/a.ts', '/p/a.{ts,js}'].map((path) => on(path, { allow: rule }))).toEqual([
    'undecided',
    'allow',
  ]);
});
