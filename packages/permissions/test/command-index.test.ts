import type { RuleEntry } from '@toolgate/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CommandIndex } from '../src/command-index.ts';
import { compileStars, matchesStars } from '../src/star-pattern.ts';

const entry = (text: string): RuleEntry => ({ behavior: 'deny', text, source: 'session' });
const indexOf = (wide: boolean, ...contents: readonly string[]) => {
  const index = new CommandIndex(wide);
  for (const content of contents) index.add(content, entry(content));
  return index;
};

test('the index finds a rule exactly when one of the rules matches', () => {
  const text = fc
    .array(fc.constantFrom('git', 'npm', ' ', ' ', '*', ':*', 'x', 'push'), {
      minLength: 1,
      maxLength: 6,
    })
    .map((parts) => parts.join('').trim().replace(/ +/g, ' '))
    .filter((content) => content !== '');
  fc.assert(
    fc.property(fc.array(text, { maxLength: 6 }), text, (rules, command) => {
      const linear = rules.some((rule) => matchesStars(compileStars(rule, false), command));
      expect(indexOf(false, ...rules).find(command) !== undefined).toBe(linear);
    }),
    { numRuns: 3_000 },
  );
});

test('rules named like prototype properties are ordinary', () => {
  const index = indexOf(false, 'toString', '__proto__ *');
  expect(index.find('toString')?.text).toBe('toString');
  expect(index.find('__proto__ x')?.text).toBe('__proto__ *');
  expect(index.find('constructor')).toBeUndefined();
});

test('a written rule covers its own text, stars and quotes included', () => {
  const index = indexOf(false, 'find . -name "*.tmp" -delete');
  expect(index.findWritten('find  . -name "*.tmp"  -delete')).toBeDefined();
  expect(index.findWritten('find . -name "a.tmp" -delete')).toBeUndefined();
});

test.each([
  ['rm -rf *', 'eval "rm -rf $x', true],
  ['rm *', 'r\\m x; if', true],
  ['rm *', '/bin/rm x (', true],
  ['rm *', 'format x (', false],
  ['git push*', 'if git pushx', true],
  ['*appsettings*', 'cat src/appsettings.json (', true],
  ['npm publish', 'npm test (', false],
])('words of %s in unparsed %j: %s', (rule, text, expected) => {
  expect(indexOf(true, rule).findByWords(text) !== undefined).toBe(expected);
});

test('a deny written with quotes matches word values', () => {
  expect(indexOf(true, 'git commit -m "x y"').find('git commit -m x y')).toBeDefined();
});

test('a look-up among many rules tries few of them', () => {
  const index = indexOf(
    false,
    ...Array.from({ length: 20_000 }, (_, at) => `tool${at} run task${at} *`),
  );
  expect(index.find('tool19999 run task19999 --now')?.text).toBe('tool19999 run task19999 *');
  const before = performance.now();
  for (let round = 0; round < 10_000; round++) index.find('other run task');
  // Ten thousand misses took minutes if each tried every rule; they take milliseconds.
  expect(performance.now() - before).toBeLessThan(5_000);
});
