import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { diskFacts, effectsFacts } from '../src/index.ts';

function folder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'toolgate-facts-')));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
const disk = diskFacts();
const realPath = (path: string) => disk.realPath(path);

test('a path that does not exist is real as far as it exists', () => {
  const root = folder();
  mkdirSync(join(root, 'real'));
  symlinkSync('real', join(root, 'link'));

  expect(realPath(join(root, 'link', 'new', 'file'))).toBe(join(root, 'real', 'new', 'file'));
});

test('a link that leads nowhere is followed: writing to it makes the file it names', () => {
  const root = folder();
  mkdirSync(join(root, 'deep', 'er'), { recursive: true });
  symlinkSync('../.git/hooks/pre-commit', join(root, 'deep', 'notes'));
  symlinkSync(join(root, 'deep', 'notes'), join(root, 'twice'));
  symlinkSync('nowhere', join(root, 'folder'));
  symlinkSync('deep/er', join(root, 'up'));
  symlinkSync('../x', join(root, 'deep', 'er', 'beside'));

  expect(realPath(join(root, 'deep', 'notes'))).toBe(join(root, '.git/hooks/pre-commit'));
  expect(realPath(join(root, 'twice'))).toBe(join(root, '.git/hooks/pre-commit'));
  expect(realPath(join(root, 'folder', 'a'))).toBe(join(root, 'nowhere', 'a'));
  // What is relative in a link is relative to where the link really is.
  expect(realPath(join(root, 'up', 'beside'))).toBe(join(root, 'deep', 'x'));
});

test('a link that leads nowhere and out of the folder does not lie inside', () => {
  const [root, outside] = [folder(), folder()];
  symlinkSync(join(outside, 'authorized_keys'), join(root, 'n'));
  const facts = effectsFacts({ cwd: root, directories: [root], facts: diskFacts() });

  expect(facts.isInside(join(root, 'n'))).toBe(false);
  expect(facts.pathUnit('Edit', 'n')).toMatchObject({ realPath: join(outside, 'authorized_keys') });
});

test('links in a circle end', () => {
  const root = folder();
  symlinkSync('b', join(root, 'a'));
  symlinkSync('a', join(root, 'b'));
  writeFileSync(join(root, 'file'), '');

  expect(realPath(join(root, 'a'))).toBe(join(root, 'a'));
  expect(realPath(join(root, 'file', 'below'))).toBe(join(root, 'file', 'below'));
});

test.for([2100, 4000])(
  'of a path of %i folders, too long to be looked up, links are followed',
  (deep) => {
    const root = folder();
    const [inside, outside] = [join(root, 'in'), join(root, 'out')];
    mkdirSync(inside);
    mkdirSync(outside);
    symlinkSync(outside, join(inside, 'link'));
    const rest = 'x/'.repeat(deep) + 'f';
    const facts = diskFacts();

    expect(facts.realPath(join(inside, 'link', rest))).toBe(join(outside, rest));
    expect(facts.folderIdentity(join(inside, 'link', rest))).toEqual(
      facts.folderIdentity(join(outside, 'f')),
    );
  },
);
