import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

// node_modules/.bin/toolgate, which tools/dev.mjs writes.
const root = fileURLToPath(new URL('../..', import.meta.url));
const launcher = join(root, 'node_modules', '.bin', 'toolgate');
const privateNode = join(root, '.toolchain', 'node_modules', '.bin', 'node');
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolgate launcher '));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What `toolgate --no-such-flag` says: the command's own code and text, whichever Node runs it. */
async function start(command: string, path = process.env['PATH'] ?? '') {
  const env = { ...process.env, PATH: path, NODE_OPTIONS: '' };
  return await new Promise<{ code: unknown; stderr: string }>((resolve) => {
    execFile(command, ['--no-such-flag'], { cwd: folder, env }, (error, _stdout, stderr) => {
      resolve({ code: error?.code ?? 0, stderr });
    });
  });
}

test('the launcher is the file of the repository', async () => {
  expect(await readFile(launcher, 'utf8')).toBe(
    await readFile(join(root, 'tools', 'toolgate.sh'), 'utf8'),
  );
});

test('it starts from another folder, and through a link, alike', async () => {
  const link = join(folder, 'tg');
  await symlink(launcher, link);
  const direct = await start(launcher);

  expect(direct.code).toBe(2);
  expect(await start(link)).toEqual(direct);
});

test.runIf(existsSync(privateNode))('it passes over a Node that is too old', async () => {
  const old = join(folder, 'node');
  await writeFile(old, '#!/bin/sh\necho v20.20.2\n');
  await chmod(old, 0o755);
  const path = [folder, '/usr/bin', '/bin'].join(delimiter);

  expect(await start(launcher, path)).toEqual(
    await start(launcher, [dirname(privateNode), '/usr/bin', '/bin'].join(delimiter)),
  );
});
