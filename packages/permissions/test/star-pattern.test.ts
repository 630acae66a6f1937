import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileStars, matchesStars } from '../src/star-pattern.ts';

const matches = (content: string, text: string, wide = false) =>
  matchesStars(compileStars(content, wide), text);

test.each([
  ['npm test', 'npm test', true],
  ['npm test', 'npm test x', false],
  ['git *', 'git', true],
  ['git *', 'git push', true],
  ['git *', 'github', false],
  ['git:*', 'git push', true],
  ['git:*', 'github', false],
  ['ls*', 'lsof', true],
  ['git * main', 'git push origin main', true],
  ['git * main', 'git push maintenance', false],
  ['* --help *', 'terraform plan --help', true],
  ['* --help *', 'terraform --helpful', false],
  ['* --help *', 'terraform --helpful --help x', true],
  ['git:* push', 'git:x push', false],
  ['*', '', true],
  ['a*a', 'a', false],
])('%s against %j: %s', (content, text, expected) => {
  expect(matches(content, text)).toBe(expected);
});

test('an inner colon star is literal for allow and a star for deny', () => {
  expect([matches('git:* push', 'git:x push'), matches('git:* push', 'git:x push', true)]).toEqual([
    false,
    true,
  ]);
});

test('matching agrees with the obvious regular expression', () => {
  const small = (characters: string) =>
    fc
      .array(fc.constantFrom(...characters.split('')), { maxLength: 8 })
      .map((list) => list.join(''));
  fc.assert(
    fc.property(small('ab *'), small('ab '), (content, text) => {
      const boundary = /. \*$/.test(content);
      const body = boundary ? content.slice(0, -2).trimEnd() : content;
      const source = body.replaceAll('*', '[^]*') + (boundary ? '(?:\\s[^]*)?' : '');
      expect(matches(content, text)).toBe(new RegExp(`^${source}$`).test(text));
    }),
    { numRuns: 3_000 },
  );
});

test('a hostile pattern does not make a long text slow', () => {
  const text = 'a'.repeat(200_000);
  expect(matches(`${'*a'.repeat(2_000)}*b`, text)).toBe(false);
  expect(matches(`${'a*'.repeat(2_000)}b *`, text)).toBe(false);
});
