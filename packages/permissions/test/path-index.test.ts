import { describe, expect, test } from 'vitest';
import { file, verdict } from './helpers/call.ts';

const read = (rule: string, path: string, links: Readonly<Record<string, string>> = {}) =>
  verdict({ units: [file('Read', path)], rules: { deny: [`Read(${rule})`] } }, links);

describe('a deny that names a link', () => {
  const links = { '/lnk': '/real', '/p/secrets': '/vault', '/h/keys': '/vault/keys' };
  test.each([
    ['//lnk/**', '/real/x'],
    ['//lnk', '/real'],
    ['//lnk/*.pem', '/real/a.pem'],
    ['secrets/**', '/vault/x'],
    ['secrets', '/vault/x'],
    ['/secrets/a', '/vault/a'],
    ['~/keys/**', '/vault/keys/x'],
  ])('%s binds %s, where the link leads', (rule, path) => {
    expect(read(rule, path, links)).toBe('deny');
  });

  test('binds nothing beside it', () => {
    expect(read('//lnk/a', '/real/b', links)).toBe('undecided');
    expect(read('secrets/**', '/vaults/x', links)).toBe('undecided');
  });

  test('asks before a whole folder is read that the link leads into', () => {
    const units = [file('Read', '/vault', { open: true })];
    expect(verdict({ units, rules: { deny: ['Read(//h/keys/a)'] } }, links)).toBe('ask');
  });

  test('an allow that names a link covers only the link', () => {
    const units = [file('Edit', '/real/x', { own: true })];
    expect(verdict({ tool: 'Edit', units, rules: { allow: ['Edit(//lnk/**)'] } }, links)).toBe(
      'undecided',
    );
  });
});

describe('Unicode', () => {
  test('a deny binds a name in every spelling', () => {
    expect(read('caf\u00e9', '/p/cafe\u0301')).toBe('deny');
    expect(read('cafe\u0301/**', '/p/caf\u00e9/x')).toBe('deny');
  });

  test('an allow covers the spelling it has', () => {
    const units = [file('Edit', '/p/cafe\u0301', { own: true })];
    expect(verdict({ tool: 'Edit', units, rules: { allow: ['Edit(caf\u00e9)'] } })).toBe(
      'undecided',
    );
  });
});
