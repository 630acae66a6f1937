// Runs every examples/NAME/main.ts from source. Each asserts its own result and ends with 0.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './readme.mjs';

const limitMs = 60_000;
const flags = ['--conditions=@toolgate/source', '--disable-warning=ExperimentalWarning'];
const names = readdirSync(join(root, 'examples')).filter((name) =>
  existsSync(join(root, 'examples', name, 'main.ts')),
);
const failed = names.filter((name) => {
  const args = [...flags, join('examples', name, 'main.ts')];
  const options = { cwd: root, encoding: 'utf8', timeout: limitMs };
  const result = spawnSync(process.execPath, args, {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  console.log(`${result.status === 0 ? 'ok    ' : 'failed'} examples/${name}`);
  if (result.status !== 0) console.log(result.stdout + result.stderr);
  return result.status !== 0;
});
if (names.length === 0) console.log('no examples');
process.exit(failed.length > 0 || names.length === 0 ? 1 : 0);
