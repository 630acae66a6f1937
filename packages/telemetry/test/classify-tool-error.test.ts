import { TelemetrySafeError } from '@toolgate/core';
import { readFile } from 'node:fs/promises';
import vm from 'node:vm';
import { expect, test } from 'vitest';
import { classifyToolError } from '../src/index.ts';

const withProperties = (properties: object, message = 'secret /home/me/.env') =>
  Object.assign(new Error(message), properties);

test('a TelemetrySafeError gives its telemetry message, of any copy of core', () => {
  expect(classifyToolError(new TelemetrySafeError('cat /secret failed', 'read failed'))).toBe(
    'read failed',
  );
  const branded = Object.assign(new Error('x'), {
    [Symbol.for('toolgate.telemetry-safe')]: true,
    telemetryMessage: 'other copy',
  });
  expect(classifyToolError(branded)).toBe('other copy');
});

test('a system error gives Error: and its code', async () => {
  const error: unknown = await readFile('/no/such/secret').catch((thrown: unknown) => thrown);
  expect(classifyToolError(error)).toBe('Error:ENOENT');
  expect(classifyToolError(withProperties({ code: 'ENOTFOUND' }))).toBe('Error:ENOTFOUND');
  expect(classifyToolError(withProperties({ errno: -13 }))).toBe('Error:EACCES');
  expect(classifyToolError(withProperties({ name: 'ExecaError', code: 'ENOENT' }))).toBe(
    'Error:ENOENT',
  );
});

test('a code outside the closed list is no errno', () => {
  expect(classifyToolError(withProperties({ code: 'EMY_PASSWORD' }))).toBe('Error');
  expect(
    classifyToolError(Object.assign(new TypeError('x'), { code: 'ERR_INVALID_ARG_TYPE' })),
  ).toBe('TypeError');
});

test('a name longer than three characters counts, if it looks like an identifier', () => {
  expect(classifyToolError(new TypeError('x'))).toBe('TypeError');
  expect(classifyToolError(new DOMException('x', 'AbortError'))).toBe('AbortError');
  expect(classifyToolError(withProperties({ name: 'Abc' }))).toBe('Error');
  expect(classifyToolError(withProperties({ name: 'e' }))).toBe('Error');
  expect(classifyToolError(withProperties({ name: 'rm -rf /home' }))).toBe('Error');
  expect(classifyToolError(withProperties({ name: '/etc/passwd' }))).toBe('Error');
  expect(classifyToolError(withProperties({ name: 'A'.repeat(60) }))).toBe('A'.repeat(60));
  expect(classifyToolError(withProperties({ name: 'A'.repeat(61) }))).toBe('Error');
  expect(classifyToolError(withProperties({ name: 'Good\n' }))).toBe('Error');
  expect(classifyToolError(withProperties({ name: { toString: () => 'Hostile' } }))).toBe('Error');
});

test('other errors are Error, non-errors UnknownError', () => {
  expect(classifyToolError(new Error('secret'))).toBe('Error');
  for (const thrown of ['text', 42, undefined, null, {}, [], Symbol('x'), { name: 'TypeError' }])
    expect(classifyToolError(thrown)).toBe('UnknownError');
});

test('causes and members are looked at only where the answer would be Error', () => {
  const cause = new RangeError('x');
  expect(classifyToolError(new Error('x', { cause }))).toBe('RangeError');
  expect(classifyToolError(new TypeError('x', { cause }))).toBe('TypeError');
  expect(classifyToolError(new AggregateError([cause]))).toBe('AggregateError');
  const plain = withProperties({ errors: [new Error('x'), withProperties({ code: 'EPERM' })] });
  expect(classifyToolError(plain)).toBe('Error:EPERM');
  expect(
    classifyToolError(
      new Error('x', { cause: new Error('y', { cause: withProperties({ code: 'EIO' }) }) }),
    ),
  ).toBe('Error:EIO');
  expect(classifyToolError(new Error('x', { cause: 'a secret string' }))).toBe('Error');
  expect(classifyToolError(new Error('x', { cause: new TelemetrySafeError('m', 'safe') }))).toBe(
    'safe',
  );
});

test('cycles and endless chains end', () => {
  const ring: Error & { errors?: unknown[] } = new Error('x');
  ring.cause = ring;
  ring.errors = [ring, ring];
  expect(classifyToolError(ring)).toBe('Error');
  const chain = (left: number): Error =>
    left === 0 ? new TypeError('x') : new Error('x', { cause: chain(left - 1) });
  expect(classifyToolError(chain(8))).toBe('TypeError');
  expect(classifyToolError(chain(5000))).toBe('Error');
  const broad = withProperties({ errors: Array.from({ length: 10_000 }, () => new Error('y')) });
  expect(classifyToolError(broad)).toBe('Error');
});

test('hostile getters and proxies never throw out', () => {
  const hostile = new Proxy(new Error('x'), {
    get() {
      throw new Error('trap');
    },
    getPrototypeOf() {
      throw new Error('trap');
    },
  });
  expect(classifyToolError(hostile)).toBe('UnknownError');
  const { proxy, revoke } = Proxy.revocable(new Error('x'), {});
  revoke();
  expect(classifyToolError(proxy)).toBe('UnknownError');
  const getters = new Error('x');
  for (const key of ['name', 'code', 'errno', 'cause', 'errors'])
    Object.defineProperty(getters, key, {
      get() {
        throw new Error('trap');
      },
    });
  expect(classifyToolError(getters)).toBe('Error');
  expect(classifyToolError(withProperties({ errors: proxy, cause: proxy }))).toBe('Error');
});

test('an error of another realm is an error', () => {
  expect(classifyToolError(vm.runInNewContext('new TypeError("x")'))).toBe('TypeError');
});
