import { spawnSync } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReadFileEntry } from '@toolgate/core';
import { bash } from '@toolgate/tools-builtin/bash';
import { edit } from '@toolgate/tools-builtin/edit';
import { read } from '@toolgate/tools-builtin/read';
import { write } from '@toolgate/tools-builtin/write';
import { expect, onTestFinished, test } from 'vitest';
import { contextFor, project, use } from './helpers.ts';

/** A project on a disk of one megabyte; undefined where none can be mounted. */
async function smallDisk(): Promise<string | undefined> {
  const cwd = await project();
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'toolgate-test', cwd]);
  if (mounted.status !== 0) return undefined;
  onTestFinished(() => void spawnSync('umount', ['-l', cwd]));
  return cwd;
}

test('a full disk leaves files as they were, nothing half written, and says what to do', async (context) => {
  const cwd = await smallDisk();
  if (cwd === undefined) return context.skip('no small disk can be mounted here');
  await writeFile(join(cwd, 'a.txt'), 'old\n');
  const session = { cwd, readFileState: new Map<string, ReadFileEntry>() };
  await use(read, { file_path: 'a.txt' }, session);
  const content = 'x'.repeat(2_000_000);

  const message = /There is no room on the disk; \S+ is as it was\. Free some space/;
  await expect(use(write, { file_path: 'new.txt', content }, session)).rejects.toThrow(message);
  await expect(use(write, { file_path: 'a.txt', content }, session)).rejects.toThrow(message);
  await expect(
    use(edit, { file_path: 'a.txt', old_string: 'old', new_string: content }, session),
  ).rejects.toThrow(message);

  expect(await readFile(join(cwd, 'a.txt'), 'utf8')).toBe('old\n');
  expect(await readdir(cwd)).toEqual(['a.txt']);
  const command = await use(bash, { command: 'yes > full; echo ended' }, { cwd });
  expect(command.text).toMatch(/No space left on device[^]*|ended/);
});

test('a folder that vanished between the decision and the use is a refusal', async () => {
  const cwd = await project({ 'in/a.txt': 'text' });
  const session = { cwd, readFileState: new Map<string, ReadFileEntry>() };
  await use(read, { file_path: 'in/a.txt' }, session);
  const input = { file_path: 'in/a.txt', content: 'new' };
  const context = contextFor(write, input, session);
  await rm(join(cwd, 'in'), { recursive: true });

  await expect(write.call(input, context, () => undefined)).rejects.toThrow(
    'changed since it was approved',
  );
});
