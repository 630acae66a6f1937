import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

// The project's lint rules on files made for it, in a folder of their own.
const root = fileURLToPath(new URL('..', import.meta.url));
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolgate-lint-'));
  await copyFile(join(root, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The rules that a file of this path and text breaks. */
async function broken(path: string, text: string): Promise<string[]> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  const oxlint = join(root, 'node_modules', 'oxlint', 'bin', 'oxlint');
  const args = [oxlint, '--format', 'json', path];
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, args, { cwd: folder }, (_error, stdout) => {
      resolve(stdout);
    });
  });
  const { diagnostics } = JSON.parse(output) as { diagnostics: { code: string }[] };
  return diagnostics.map(({ code }) => code);
}

const restricted = ['eslint(no-restricted-imports)'];
const cases: [path: string, text: string, rules: string[]][] = [
  ['core/src/a.ts', "import '@toolgate/hooks';", restricted],
  ['core/src/a.ts', "import 'toolgate';", restricted],
  ['core/src/a.ts', "import '../../hooks/src/index.ts';", restricted],
  ['core/src/a.ts', "import 'tapable';", restricted],
  ['core/src/hooks/stage-hook.ts', "import 'tapable';", []],
  ['core/src/hooks/stage-hook.ts', "import '@toolgate/hooks';", restricted],
  ['hooks/src/a.ts', "import '@toolgate/core';", []],
  ['hooks/src/a.ts', "import '@toolgate/core/x';", []],
  ['hooks/src/a.ts', "import '@toolgate/classifier';", restricted],
  ['hooks/src/a.ts', "import '@toolgate/core-extras';", restricted],
  ['hooks/src/a.ts', "import '@toolgate/permissions';", restricted],
  ['hooks/src/a.ts', "import type {} from '@toolgate/tools-builtin/bash';", restricted],
  ['hooks/src/a.ts', "export * from '../../core/src/index.ts';", restricted],
  ['hooks/src/a.ts', "import 'toolgate';", restricted],
  ['hooks/src/a.ts', "import 'tapable/lib/SyncHook.js';", restricted],
  ['classifier/src/a.ts', "import 'unbash';", restricted],
  ['classifier/src/bash/parse.ts', "import 'unbash';", []],
  ['classifier/src/bash/parse.ts', "import '@toolgate/permissions';", restricted],
  ['toolgate/src/a.ts', "import '@toolgate/hooks';", []],
  ['toolgate/src/a.ts', "import 'unbash';", restricted],
  ['hooks/test/a.test.ts', "import '@toolgate/permissions';", []],
  ['hooks/src/long.ts', 'export {};\n'.repeat(301), ['eslint(max-lines)']],
  ['hooks/src/long.ts', 'export {};\n'.repeat(300), []],
];

test.each(cases)('packages/%s with %j breaks %j', async (path, text, rules) => {
  expect(await broken(`packages/${path}`, text)).toEqual(rules);
});
