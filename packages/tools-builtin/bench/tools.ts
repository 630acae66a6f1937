// What the built-in tools cost beside what they stand on, in one run:
//   node --conditions=@toolgate/source packages/tools-builtin/bench/tools.ts
// GB=1 FILES=100000 MB=50 RUNS=3 are the defaults. Each figure is the best of the runs, in milliseconds.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allow, createToolgate } from '@toolgate/core';
import { builtinTools } from '@toolgate/tools-builtin';
import { rgPath } from '@vscode/ripgrep';

const sizeOf = (name: string, otherwise: number) => Number(process.env[name] ?? otherwise);
const gigabytes = sizeOf('GB', 1);
const files = sizeOf('FILES', 100_000);
const megabytes = sizeOf('MB', 50);
const runs = sizeOf('RUNS', 3);

const cwd = mkdtempSync(join(tmpdir(), 'toolgate-bench-'));
process.on('exit', () => rmSync(cwd, { recursive: true, force: true }));
const gate = createToolgate({ tools: builtinTools, cwd, permissions: () => allow('bench', 'all') });

let calls = 0;
async function call(name: string, input: object): Promise<void> {
  const id = `toolu_${(calls += 1)}`;
  const { block } = await gate.run({ type: 'tool_use', id, name, input });
  if (block.is_error) throw new Error(JSON.stringify(block.content).slice(0, 300));
}

async function best(work: () => unknown): Promise<number> {
  let fastest = Infinity;
  for (let run = 0; run < runs; run += 1) {
    const start = performance.now();
    await work();
    fastest = Math.min(fastest, performance.now() - start);
  }
  return fastest;
}

async function compare(
  what: string,
  tool: () => unknown,
  [besides, other]: readonly [string, () => unknown],
): Promise<void> {
  const [ours, theirs] = [await best(tool), await best(other)];
  const ratio = (ours / theirs).toFixed(2);
  console.log(
    `${what}: ${ours.toFixed(0)} ms; ${besides}: ${theirs.toFixed(0)} ms; ${ratio} times`,
  );
}

/** Runs work while the memory of this process is looked at; its growth in MiB at most. */
async function memoryOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage().rss;
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 20);
  await work();
  clearInterval(timer);
  return (most - before) / 1_048_576;
}

const print = `head -c ${gigabytes}G /dev/zero | tr '\\0' 'x'`;
async function drained(): Promise<void> {
  const child = spawn('bash', ['-c', print], { stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.resume();
  await once(child, 'close');
}

// Bash
const growth = await memoryOf(() => call('Bash', { command: print }));
console.log(`Bash, memory while ${gigabytes} GB is printed: ${growth.toFixed(0)} MiB more`);
await compare(`Bash, ${gigabytes} GB of output`, () => call('Bash', { command: print }), [
  'a bare spawn whose output is dropped',
  drained,
]);
await compare('Bash, true', () => call('Bash', { command: 'true' }), [
  'a bare spawn',
  () => spawnSync('bash', ['-c', 'true']),
]);

// Glob and Grep
const tree = join(cwd, 'tree');
for (let folder = 0; folder < files / 100; folder += 1) {
  mkdirSync(join(tree, String(folder)), { recursive: true });
  for (let file = 0; file < 100; file += 1)
    writeFileSync(
      join(tree, String(folder), `${file}.txt`),
      `line ${file}\nneedle${folder % 50}\n`,
    );
}
const ripgrep = (...args: readonly string[]) =>
  spawnSync(rgPath, args, { cwd: tree, maxBuffer: 1e9, stdio: ['ignore', 'pipe', 'inherit'] });
await compare(`Glob, ${files} files`, () => call('Glob', { pattern: '**', path: tree }), [
  'rg --files --sortr=modified',
  () => ripgrep('--files', '--sortr=modified'),
]);
await compare(`Grep, files of ${files}`, () => call('Grep', { pattern: 'needle7$', path: tree }), [
  'rg -l',
  () => ripgrep('-l', 'needle7$'),
]);
await compare(
  `Grep, lines of ${files}`,
  () => call('Grep', { pattern: 'needle7$', path: tree, output_mode: 'content' }),
  ['rg --sort=path', () => ripgrep('--sort=path', 'needle7$')],
);

// Read and Edit
const large = join(cwd, 'large.txt');
const line = `${'word '.repeat(19)}end\n`;
const lines = Math.ceil((megabytes * 1_048_576) / line.length);
writeFileSync(large, line.repeat(lines));
await compare(
  `Read, the last lines of ${megabytes} MB`,
  () => call('Read', { file_path: large, offset: lines - 10 }),
  ['readFileSync', () => readFileSync(large)],
);
await call('Read', { file_path: large });
writeFileSync(large, `mark 0\n${line.repeat(lines)}`);
await call('Read', { file_path: large });
let edits = 0;
await compare(
  `Edit, ${megabytes} MB`,
  () =>
    call('Edit', {
      file_path: large,
      old_string: `mark ${edits}\n`,
      new_string: `mark ${(edits += 1)}\n`,
    }),
  [
    'read, replace and write',
    () => writeFileSync(`${large}.2`, readFileSync(large, 'utf8').replace('mark', 'MARK')),
  ],
);
await gate.close();
