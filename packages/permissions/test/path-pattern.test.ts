import fc from 'fast-check';
import ignore from 'ignore';
import { expect, test } from 'vitest';
import {
  compilePath,
  matchesAllBelow,
  matchesPath,
  mayMatchBelow,
  type Reading,
} from '../src/path-pattern.ts';
import { compileSegment } from '../src/segment-glob.ts';

const compile = (content: string, reading: Reading) => {
  const pattern = compilePath(content, reading, false);
  if (typeof pattern === 'string') throw new Error(pattern);
  return pattern.segments;
};
const matches = (content: string, path: string, reading: Reading) =>
  matchesPath(compile(content, reading), path.split('/').filter(Boolean));

test.each<[string, string, Reading, boolean]>([
  ['.env', 'a/b/.env', 'narrow', true],
  ['.env', 'a/.env.local', 'wide', false],
  ['./.env', 'a/.env', 'wide', true],
  ['./.env', 'a/.env', 'narrow', false],
  ['*.env', 'a/x.env', 'wide', true],
  ['*.env', 'a/x.env', 'narrow', false],
  ['src/**', 'a/src/b', 'wide', true],
  ['src/**', 'a/src/b', 'narrow', false],
  ['src/**', 'a/src/b', 'condition', false],
  ['src/**', 'src/b/c', 'narrow', true],
  ['src/**', 'src', 'narrow', false],
  ['src/**', 'src', 'wide', true],
  ['src/lib/**', 'a/src/lib/x', 'wide', false],
  ['**/src/**', 'a/src/x', 'narrow', true],
  ['/docs/*', 'docs/a/b', 'narrow', false],
  ['/docs/*', 'docs/a/b', 'wide', true],
  ['secrets', 'a/secrets/b', 'wide', true],
  ['secrets', 'a/secrets/b', 'narrow', false],
  ['a/**/z', 'a/z', 'narrow', true],
  ['a/**/z', 'a/b/c/z', 'narrow', true],
  ['/a/[b-d]?', 'a/cx', 'narrow', true],
  ['/a/[!b-d]x', 'a/cx', 'narrow', false],
  ['/a/\\*', 'a/x', 'narrow', false],
  ['/a/\\*', 'a/*', 'narrow', true],
])('%s against %s, %s: %s', (content, path, reading, expected) => {
  expect(matches(content, path, reading)).toBe(expected);
});

test('deny and ask rules mean what gitignore means', () => {
  const part = fc.constantFrom('a', 'b', 'ab', '*', 'a*', '*b', '**', '?', '[ab]', '[!a]b');
  const name = fc.constantFrom('a', 'b', 'ab', 'bb', 'c');
  const pattern = fc
    .tuple(fc.boolean(), fc.array(part, { minLength: 1, maxLength: 4 }))
    .map(([rooted, parts]) => (rooted ? '/' : '') + parts.join('/'))
    // A final ** also binds the folder itself here, and dir/** any depth: the two documented differences.
    .filter((text) => !text.endsWith('**') && !text.includes('**/**'));
  fc.assert(
    fc.property(pattern, fc.array(name, { minLength: 1, maxLength: 4 }), (content, segments) => {
      const path = segments.join('/');
      const oracle = ignore({ ignorecase: false }).add(content).ignores(path);
      expect(matchesPath(compile(content, 'wide'), segments)).toBe(oracle);
    }),
    { numRuns: 5_000 },
  );
});

test('what may match below and what covers all below bound the matches', () => {
  const part = fc.constantFrom('a', 'b', '*', '**', 'a*');
  const name = fc.constantFrom('a', 'b', 'ab');
  const names = fc.array(name, { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(
      fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/')),
      fc.constantFrom<Reading>('wide', 'narrow'),
      fc.array(name, { maxLength: 3 }),
      names,
      (content, reading, folder, rest) => {
        const pattern = compile(content, reading);
        const isMatch = matchesPath(pattern, [...folder, ...rest]);
        const bounds = [matchesAllBelow(pattern, folder), isMatch, mayMatchBelow(pattern, folder)];
        // Each implies the next.
        expect(bounds).toEqual(bounds.toSorted((a, b) => Number(a) - Number(b)));
      },
    ),
    { numRuns: 5_000 },
  );
});

test('hostile patterns do not blow up', () => {
  const segment = 'a'.repeat(5_000);
  expect(compileSegment(`${'*a'.repeat(500)}*b`, false).matches(segment)).toBe(false);
  expect(compileSegment(`${'*?[a]'.repeat(200)}b`, false).matches(segment)).toBe(false);
  const deep = Array.from({ length: 2_000 }, () => 'a');
  expect(matchesPath(compile(`/${'**/a/'.repeat(300)}b`, 'wide'), deep)).toBe(false);
});

test('a pattern that can never match as an allow is refused', () => {
  expect(compilePath('../x', 'narrow', false)).toContain('above');
  expect(compilePath('!x', 'wide', false)).toContain('Negated');
});
