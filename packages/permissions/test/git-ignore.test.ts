import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { file, verdict } from './helpers/call.ts';

const isDeep = process.env['TOOLGATE_DEEP'] === '1';

/** A repository without any configuration but its own. */
const repository = mkdtempSync(join(tmpdir(), 'git-ignore-'));
const env = {
  PATH: process.env['PATH'],
  HOME: repository,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
};
const git = (args: readonly string[], input = '') =>
  spawnSync('git', args, { cwd: repository, env, input, encoding: 'utf8' });
git(['init', '-q']);

/** The paths that git itself ignores under one pattern. */
function ignored(pattern: string, paths: readonly string[]): readonly string[] {
  writeFileSync(join(repository, '.gitignore'), `${pattern}\n`);
  const { stdout, status, stderr } = git(
    ['-c', 'core.ignoreCase=false', 'check-ignore', '--no-index', '-z', '--stdin'],
    paths.join('\0'),
  );
  if (status !== 0 && status !== 1) throw new Error(`git: ${stderr}`);
  return stdout.split('\0').filter(Boolean);
}

/** A deny of all that lies in a folder is one of the folder itself, too: listing it would tell what is in it. */
function expected(pattern: string, paths: readonly string[]): readonly string[] {
  if (!pattern.endsWith('/**')) return ignored(pattern, paths);
  const all = new Set(ignored(pattern, [...paths, ...paths.map((path) => `${path}/x`)]));
  return paths.filter((path) => all.has(path) || all.has(`${path}/x`));
}

const denied = (rule: string, path: string): boolean =>
  verdict({ units: [file('Read', `/p/${path}`)], rules: { deny: [`Read(${rule})`] } }) === 'deny';

const allowed = (rule: string, path: string): boolean =>
  verdict({
    tool: 'Edit',
    units: [file('Edit', `/p/${path}`, { own: true })],
    rules: { allow: [`Edit(${rule})`] },
  }) === 'allow';

const name = fc.constantFrom('a', 'b', 'ab', 'a.b', 'A', 'x-y', 'a b', '.c');
const glob = fc.constantFrom(
  '*',
  'a*',
  '*b',
  '?',
  'a?',
  '[ab]',
  '[!a]',
  '[a-c]*',
  'a**b',
  '\\*',
  '\\a',
  '*.b',
  '[^b]',
);
const segment = fc.oneof(name, glob, fc.constant('**'));
// Git matches bytes and rules match characters, so names are ASCII. A final / is for folders, which paths do not tell.
const pattern = fc
  .tuple(fc.constantFrom('', '', '/'), fc.array(segment, { minLength: 1, maxLength: 4 }))
  .map(([head, segments]) => head + segments.join('/'))
  // Where the grammar says more than gitignore: `dir/**` alone holds at any depth as a deny, and content of stars alone is every file.
  .filter((text) => !/^[^/]+\/\*\*\/?$/.test(text) && !/^[/*]+$/.test(text) && !/^ | $/.test(text));
const path = fc
  .array(fc.constantFrom('a', 'b', 'ab', 'a.b', 'A', 'x-y', 'a b', '.c', '*', 'abb'), {
    minLength: 1,
    maxLength: 4,
  })
  .map((segments) => segments.join('/'));

test('a deny rule means what its pattern means to git', { timeout: 120_000 }, () => {
  fc.assert(
    fc.property(pattern, fc.uniqueArray(path, { minLength: 20, maxLength: 40 }), (rule, paths) => {
      const theirs = expected(rule, paths);
      expect(paths.filter((each) => denied(rule, each))).toEqual(theirs);
      // An allow never reaches further than the pattern does.
      expect(paths.filter((each) => allowed(rule, each) && !theirs.includes(each))).toEqual([]);
    }),
    { numRuns: isDeep ? 5_000 : 150 },
  );
});

test.each([
  ['.env', ['.env', 'a/.env', 'a/b/.env', '.envx', '.env/x']],
  ['/a', ['a', 'a/b', 'b/a']],
  ['a/b', ['a/b', 'x/a/b', 'a/b/c']],
  ['a/*/b', ['a/x/b', 'a/b', 'a/x/y/b']],
  ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b', 'x/a/b']],
  ['**/a', ['a', 'x/a', 'x/y/a/b']],
  ['*.pem', ['k.pem', 'a/k.pem', 'k.pem/x', 'kpem']],
  ['a/', ['a/b', 'x/a/b']],
])('%s', (rule, paths) => {
  expect(paths.filter((each) => denied(rule, each))).toEqual(expected(rule, paths));
});
