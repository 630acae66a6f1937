import { afterEach, expect, test } from 'vitest';
import { analyse } from '../src/analyse.ts';
import { remembering } from '../src/remembering.ts';

const name = 'TOOLGATE_TEST_SHARED';
afterEach(() => {
  Reflect.deleteProperty(process.env, name);
});

test('a text is read once for one surrounding, and anew for another', () => {
  const read = remembering();
  const here = { cwd: '/a', home: '/h' };

  expect(read('cat x', here)).toBe(read('cat x', here));
  expect(read('cat x', here)).toEqual(analyse('cat x', here));
  expect(read('cat x', { ...here, cwd: '/b' })).not.toBe(read('cat x', here));
  expect(read('cat y', here)).not.toBe(read('cat x', here));
});

test('a name that came into the environment since is seen', () => {
  const read = remembering();
  const command = `${name}=src; ls $${name}`;
  const isProved = () =>
    read(command).commands.every(({ verdict }) => verdict.answer === 'read-only');

  expect(isProved()).toBe(true);
  process.env[name] = '';
  expect(isProved()).toBe(false);
});

test('what is remembered stays bounded: old texts are read again, long ones always', () => {
  const read = remembering();
  const first = read('cat 0');
  for (let count = 1; count < 100; count += 1) read(`cat ${count}`);
  expect(read('cat 0')).not.toBe(first);
  expect(read('cat 99')).toBe(read('cat 99'));
  const long = `cat ${'x'.repeat(5_000)}`;
  expect(read(long)).not.toBe(read(long));
});
