import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { emptyFolder, toolgate, use } from './helpers/toolgate.ts';

test('git that only reads runs in an ordinary repository without a rule, and beside an allowed command', async () => {
  const cwd = await emptyFolder();
  execFileSync('git', ['init', '-q'], { cwd });
  await writeFile(join(cwd, 'new.txt'), 'x');

  const { lines } = await toolgate(['run', '--allow', 'Bash(touch *)'], {
    cwd,
    input:
      use('Bash', { command: 'git status --short' }) +
      use('Bash', { command: 'touch made && git status --short' }) +
      use('Bash', { command: 'git add new.txt' }),
  });

  expect(lines.map((line) => line.content[0])).toMatchObject([
    { content: expect.stringContaining('?? new.txt') },
    { content: expect.stringContaining('?? made') },
    { is_error: true },
  ]);
});

test('git in a repository that names a program asks, and the program does not run', async () => {
  const cwd = await emptyFolder();
  execFileSync('git', ['init', '-q'], { cwd });
  await writeFile(join(cwd, 'spy'), `#!/bin/sh\ntouch '${join(cwd, 'pwned')}'\n`, { mode: 0o755 });
  execFileSync('git', ['config', 'diff.external', './spy'], { cwd });

  const { lines } = await toolgate(['run'], {
    cwd,
    input: use('Bash', { command: 'git diff' }) + use('Bash', { command: 'git status' }),
  });

  expect(lines.map((line) => line.content[0].is_error)).toEqual([true, true]);
  expect(existsSync(join(cwd, 'pwned'))).toBe(false);
});
