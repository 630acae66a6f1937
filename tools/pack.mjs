// Writes a tarball of every public package to artifacts/, by `pnpm pack`: it puts publishConfig
// and real version ranges in place. Run by `npm run pack`, which builds first.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const artifacts = join(root, 'artifacts');
mkdirSync(artifacts, { recursive: true });
for (const name of readdirSync(artifacts)) if (name.endsWith('.tgz')) rmSync(join(artifacts, name));

for (const name of readdirSync(join(root, 'packages'))) {
  const folder = join(root, 'packages', name);
  if (!existsSync(join(folder, 'package.json'))) continue;
  if (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).private) continue;
  removeStale(folder);
  const args = ['pack', '--pack-destination', artifacts];
  execFileSync('pnpm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
}

// A pack of tools as others would write it: not for publishing, so it is kept apart.
const examples = join(artifacts, 'examples');
rmSync(examples, { recursive: true, force: true });
mkdirSync(examples);
const toolPack = join(root, 'examples', 'tool-pack');
rmSync(join(toolPack, 'dist'), { recursive: true, force: true });
const quiet = { cwd: toolPack, stdio: ['ignore', 'ignore', 'inherit'] };
execFileSync('pnpm', ['run', 'build'], quiet);
execFileSync('pnpm', ['pack', '--pack-destination', examples], quiet);

for (const name of readdirSync(artifacts))
  if (name.endsWith('.tgz')) console.log(join('artifacts', name));

/** tsc leaves the output of a removed source file in dist; it must not be shipped. */
function removeStale(folder) {
  const dist = join(folder, 'dist');
  for (const file of readdirSync(dist, { recursive: true })) {
    const match = /^(.*?)(\.d\.ts|\.js)(\.map)?$/.exec(file);
    if (match && !existsSync(join(folder, 'src', `${match[1]}.ts`))) rmSync(join(dist, file));
  }
}
