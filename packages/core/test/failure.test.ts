import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import {
  failureCodes,
  isTelemetrySafeError,
  isToolgateError,
  messageOf,
  refusalCodes,
  TelemetrySafeError,
  toFailure,
  ToolgateError,
} from '../src/index.ts';

test('each code has its entry in docs/reference/failures.md, and no other has', async () => {
  const page = await readFile(
    new URL('../../../docs/reference/failures.md', import.meta.url),
    'utf8',
  );
  const entries = Array.from(page.matchAll(/^### `(\w+)`$/gm), ([, code]) => code);
  expect(entries).toEqual([...refusalCodes, ...failureCodes]);
});

const hostile = Object.defineProperty(new Error('x'), 'message', {
  get: () => {
    throw new Error('no');
  },
});

describe('anything thrown has a message', () => {
  test.for([
    [new Error('broken'), 'broken'],
    [new TypeError(''), 'TypeError'],
    ['text', 'text'],
    [5, 'a value of type number was thrown'],
    [undefined, 'a value of type undefined was thrown'],
  ] as const)('%s', ([thrown, message]) => {
    expect(messageOf(thrown)).toBe(message);
    expect(toFailure('tool_failed', thrown)).toEqual({
      code: 'tool_failed',
      message,
      cause: thrown,
    });
  });
});

test('a message that cannot be read is none, and does not throw', () => {
  expect(messageOf(hostile)).toBe('something unreadable was thrown');
});

test('errors are known by their brand, so that two copies of core get on', () => {
  const copyOf = (error: object) =>
    Object.fromEntries(
      Object.getOwnPropertySymbols(error).map((key) => [key, Reflect.get(error, key)]),
    );
  const mistake = new ToolgateError('TG_CLOSED', 'closed');
  const safe = new TelemetrySafeError('reading /secret failed', 'reading failed');
  expect([mistake, copyOf(mistake), new Error('x'), null].map(isToolgateError)).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect([safe, copyOf(safe), mistake, undefined].map(isTelemetrySafeError)).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect([safe.message, safe.telemetryMessage]).toEqual([
    'reading /secret failed',
    'reading failed',
  ]);
});
