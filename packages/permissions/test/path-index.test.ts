import fc from 'fast-check';
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

test('a whole folder is never free while a rule binds something in it', () => {
  const segment = fc.constantFrom('a', 'b', '*', '**', '.env', 'a*');
  const pattern = fc
    .tuple(
      fc.constantFrom('', '/', '//p/', '~/', './'),
      fc.array(segment, { minLength: 1, maxLength: 3 }),
    )
    .map(([anchor, segments]) => anchor + segments.join('/'));
  const names = ['a', 'b', '.env'];
  const paths = [
    '',
    ...names,
    ...names.flatMap((x) => names.flatMap((y) => [`${x}/${y}`, `${x}/${y}/a`])),
  ];
  fc.assert(
    fc.property(
      fc.array(pattern, { maxLength: 5 }),
      fc.constantFrom('', '/a', '/a/b', '/b'),
      (texts, folder) => {
        const rules = { deny: texts.map((text) => `Read(${text})`) };
        const bound = paths.filter(
          (path) =>
            path !== '' &&
            verdict({ units: [file('Read', `/p${folder}/${path}`)], rules }) !== 'undecided',
        );
        const whole = verdict({ units: [file('Read', `/p${folder}`, { open: true })], rules });
        expect(whole === 'undecided' ? bound : []).toEqual([]);
      },
    ),
    { numRuns: 500 },
  );
});
