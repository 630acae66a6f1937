import { mkdir, rename, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { distrustFolder, isTrusted, trustedFolders, trustFolder } from '../src/index.ts';
import { places, put, texts } from './helpers.ts';

test('a folder is untrusted until a person trusts it, and again once that is taken back', async () => {
  const { cwd, home, project, open } = await places();
  await put(project, { permissions: { allow: ['Bash'], deny: ['Read'] } });
  const rules = async () => texts((await open()).current().rules);

  expect(await rules()).toEqual(['deny Read']);
  expect(await trustFolder(home, cwd)).toBe(cwd);
  expect([isTrusted(home, cwd), trustedFolders(home)]).toEqual([true, [cwd]]);
  expect(await rules()).toEqual(['allow Bash', 'deny Read']);
  expect(await distrustFolder(home, cwd)).toBe(true);
  expect(await distrustFolder(home, cwd)).toBe(false);
  expect(await rules()).toEqual(['deny Read']);
});

test('a flag is stronger than the record, either way', async () => {
  const { cwd, home, project, open } = await places();
  await put(project, { permissions: { allow: ['Bash'] } });
  expect(texts((await open({ trusted: true })).current().rules)).toEqual(['allow Bash']);
  await trustFolder(home, cwd);
  expect(texts((await open({ trusted: false })).current().rules)).toEqual([]);
});

test('trust is of exactly one real path: not of what is below, above, renamed to it or linked', async () => {
  const { base, cwd, home } = await places();
  const inner = join(cwd, 'inner');
  await mkdir(inner);
  await trustFolder(home, cwd);
  expect([inner, base].map((folder) => isTrusted(home, folder))).toEqual([false, false]);

  const link = join(base, 'link');
  await symlink(cwd, link);
  expect(isTrusted(home, link)).toBe(true); // it leads to the very folder
  await rename(cwd, join(base, 'moved'));
  expect([link, cwd, join(base, 'moved')].map((folder) => isTrusted(home, folder))).toEqual([
    false,
    false,
    false,
  ]);
});

test('the record is the person’s alone, and one that cannot be read trusts nothing', async () => {
  const { cwd, home } = await places();
  await trustFolder(home, cwd);
  const file = join(home, '.toolgate/trust.json');
  expect((await stat(file)).mode & 0o777).toBe(0o600);

  for (const broken of [
    '',
    '{',
    '[]',
    '{"version": 2, "folders": {}}',
    `{"version": 1, "folders": {"${cwd}": 1}}`,
  ]) {
    await put(file, broken);
    expect([broken, isTrusted(home, cwd)]).toEqual([broken, false]);
  }
  await put(file, '{"version": 1, "folders": {}}');
  expect(['__proto__', 'constructor', 'toString'].filter((name) => isTrusted(home, name))).toEqual(
    [],
  );
});

test('a folder that is not there cannot be trusted', async () => {
  const { cwd, home } = await places();
  await expect(trustFolder(home, join(cwd, 'nowhere'))).rejects.toThrow(/there is no folder/);
});
