import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bash, createBash } from '@toolgate/tools-builtin/bash';
import { expect, test } from 'vitest';
import { commandEnvironment } from '../src/bash/environment.ts';
import { project, use } from './helpers.ts';

/** A repository whose configuration runs programs that leave a file in `ran`. */
async function hostileRepository() {
  const cwd = await project({ 'a.txt': 'a\n' });
  const ran = await project();
  const trap = async (name: string, folder: string) => {
    const path = join(folder, name);
    await writeFile(path, `#!/bin/sh\n: > ${ran}/${name}\n`);
    await chmod(path, 0o755);
    return path;
  };
  const traps = await project();
  const run = (command: string) => use(bash, { command }, { cwd });
  const signature = ['-----BEGIN PGP SIGNATURE-----', '', 'x', '-----END PGP SIGNATURE-----'];
  await writeFile(join(traps, 'gpgsig'), signature.map((line) => ` ${line}`).join('\n'));
  await run(
    'git init -q . && git add a.txt && git -c user.name=n -c user.email=e commit -qm one && ' +
      `{ git cat-file commit HEAD | sed "/^committer/r ${traps}/gpgsig" | sed "s/^ -----BEGIN/gpgsig -----BEGIN/" > ${traps}/commit; } && ` +
      `git update-ref HEAD $(git hash-object -t commit -w --literally ${traps}/commit)`,
  );
  await run(
    `git config core.fsmonitor ${await trap('fsmonitor', traps)} && git config log.showSignature true && ` +
      `git config gpg.program ${await trap('gpg', traps)} && git config core.pager ${await trap('pager', traps)}`,
  );
  await mkdir(join(cwd, '.git/hooks'), { recursive: true });
  await trap('post-index-change', join(cwd, '.git/hooks'));
  return { cwd, ran: () => readdir(ran).then((names) => names.toSorted()) };
}

const reads = 'touch -d 2001-01-01 a.txt; git status; git diff; git log -1';

test('security 9: a read-only git runs nothing that the repository names', async () => {
  const { cwd, ran } = await hostileRepository();

  const { data } = await use(bash, { command: reads }, { cwd, readOnly: true });

  expect([await ran(), data.stderr, data.exitCode]).toEqual([[], '', 0]);
  await use(bash, { command: reads }, { cwd });
  expect(await ran()).toEqual(['fsmonitor', 'gpg', 'post-index-change']);
});

test('a read-only git leaves its index as it is, however stale', async () => {
  const cwd = await project({ 'a.txt': 'a\n' });
  const commit = 'git add . && git -c user.name=n -c user.email=e commit -qm one';
  await use(bash, { command: `git init -q . && ${commit}` }, { cwd });
  await use(bash, { command: 'touch -d 2001-01-01 a.txt' }, { cwd });
  const index = () => readFile(join(cwd, '.git/index'));
  const before = await index();

  await use(bash, { command: 'git diff; git status' }, { cwd, readOnly: true });
  expect(await index()).toEqual(before);
  await use(bash, { command: 'git diff' }, { cwd });
  expect(await index()).not.toEqual(before);
});

test('security 9: a folder that is laid out like a bare repository is none for a read-only git', async () => {
  const cwd = await project();
  await use(bash, { command: 'git init -q --bare .' }, { cwd });
  const command = 'git rev-parse --git-dir';

  const { text } = await use(bash, { command }, { cwd, readOnly: true });

  expect(text).toMatch(/^Exit code 128\n.*cannot use bare repository/s);
  expect((await use(bash, { command }, { cwd })).text).toBe('.');
});

test('no git asks for a password or opens a pager; what the embedder set for git stays', async () => {
  const cwd = await project();
  const env = {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'user.name',
    GIT_CONFIG_VALUE_0: 'Ada',
    GIT_PAGER: 'less',
  };
  const own = createBash({ env });
  const command = 'git config user.name; git config core.fsmonitor; echo $GIT_PAGER';
  const reading = await use(own, { command }, { cwd, readOnly: true });
  const other = await use(own, { command }, { cwd });

  expect([reading.text, other.text]).toEqual(['Ada\nfalse\ncat', 'Ada\nless']);
  const plain = { from: {}, readOnly: false, programPath: (path: string) => path };
  expect(commandEnvironment(plain)).toEqual({
    GIT_PAGER: 'cat',
    GIT_TERMINAL_PROMPT: '0',
    PATH: '/usr/local/bin:/usr/bin:/bin',
    TOOLGATE: '1',
  });
});
