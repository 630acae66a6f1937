import { expect, test } from 'vitest';
import { Pairs, readEvery } from '../src/read-every.ts';

test.each([
  '{}',
  '[]',
  '"a"',
  ' {"a" : [1, -2.5e+3, true, false, null, {"b":{}}, []], "":"x", "__proto__": {"c": 1}} ',
  '{"a":"{\\"a\\":1,\\"a\\":2}","b":"\\\\","c":"\\\\\\"","d":":,[]{}"}',
  '[{"a":1},{"a":1}]',
])('without a doubled key it reads what JSON.parse reads: %s', (text) => {
  expect(readEvery(text)).toEqual({ value: JSON.parse(text) as unknown });
});

test('a doubled key keeps every pair', () => {
  expect(readEvery('{"x":{"a":1,"\\u0061":[2],"b":{}}}')).toEqual({
    value: {
      x: new Pairs([
        ['a', 1],
        ['a', [2]],
        ['b', {}],
      ]),
    },
    doubled: 'a',
  });
});

test('a large and a deep text are read', () => {
  const long = JSON.stringify({ a: '\n'.repeat(500_000), b: 'x'.repeat(500_000) });
  const deep = `${'{"a":['.repeat(100_000)}${']}'.repeat(100_000)}`;

  expect(readEvery(long)).toEqual({ value: JSON.parse(long) as unknown });
  expect(readEvery(deep).doubled).toBeUndefined();
});
