import { expect, test } from 'vitest';
import { visibleText } from '../src/index.ts';

test.for([
  ['plain text, ünïcode and 漢字 stay', 'plain text, ünïcode and 漢字 stay'],
  ['a\u001b[2Jb', 'a\\u{1b}[2Jb'],
  ['a\nb', 'a\\u{a}b'],
  ['a\u202egnp.exe', 'a\\u{202e}gnp.exe'],
  ['a\u200bb\ufeff', 'a\\u{200b}b\\u{feff}'],
  ['a\u00a0b\u3164', 'a\\u{a0}b\\u{3164}'],
  ['tag \u{e0041}', 'tag \\u{e0041}'],
] as const)('%j is shown as %j (security rule 23)', ([text, shown]) => {
  expect(visibleText(text)).toBe(shown);
});

test('what may stay stays', () => {
  expect(visibleText('a\nb\tc', '\n')).toBe('a\nb\\u{9}c');
});
