// Runs the shell blocks of README.md that `<!-- commands -->` marks, each in the root.
import { spawnSync } from 'node:child_process';
import { markedBlocks, root } from './readme.mjs';

const blocks = markedBlocks('commands');
if (blocks.length === 0) {
  console.error('README.md: no block is marked <!-- commands -->');
  process.exit(1);
}
for (const block of blocks) {
  console.log(block.trimEnd());
  const options = { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] };
  const result = spawnSync('bash', ['-e', '-u', '-o', 'pipefail', '-c', block], options);
  if (result.status !== 0) {
    console.error(`README.md: this block ended with ${result.status ?? result.signal}:\n${block}`);
    process.exit(1);
  }
}
