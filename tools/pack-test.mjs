// The published shape: installs the tarballs of artifacts/ with npm in an empty folder, imports
// every entry, type-checks and runs the program of README.md, and starts the command.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, sep } from 'node:path';
import { markedBlocks, root } from './readme.mjs';

const folder = mkdtempSync(join(tmpdir(), 'toolgate-pack-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const write = (name, text) => writeFileSync(join(folder, name), text);
const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));
const step = (name, action) => {
  try {
    const result = action();
    console.log(`ok     ${name}`);
    return result;
  } catch (error) {
    console.error(`failed ${name}\n${error.stdout ?? ''}${error.stderr ?? error.stack}`);
    process.exit(1);
  }
};
const run = (command, args, env = process.env) =>
  execFileSync(command, args, { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' });

const tarballs = readdirSync(join(root, 'artifacts')).filter((name) => name.endsWith('.tgz'));
const toolPacks = readdirSync(join(root, 'artifacts', 'examples'));
const program = step('README.md has a program', () => {
  const blocks = markedBlocks('program');
  if (blocks.length !== 1) throw new Error(`${blocks.length} blocks are marked <!-- program -->`);
  return blocks[0];
});

step(`npm installs ${tarballs.length} tarballs`, () => {
  // npm reads its machine-wide settings from beside the Node that runs it: not the private one.
  const path = process.env.PATH.split(delimiter).filter(
    (entry) => !entry.includes(`${sep}.toolchain${sep}`) && !entry.startsWith(root),
  );
  const env = { ...process.env, PATH: path.join(delimiter), npm_config_update_notifier: 'false' };
  for (const key of Object.keys(env))
    if (/^npm_(config_local_prefix|config_prefix|package_|lifecycle_|execpath|node_)/.test(key))
      delete env[key];
  write('package.json', JSON.stringify({ private: true, type: 'module' }));
  const types = readJson(join(root, 'node_modules', '@types', 'node', 'package.json')).version;
  const paths = [
    ...tarballs.map((name) => join(root, 'artifacts', name)),
    ...toolPacks.map((name) => join(root, 'artifacts', 'examples', name)),
  ];
  const flags = ['--no-audit', '--no-fund', '--loglevel=error'];
  run('npm', ['install', ...flags, ...paths, `@types/node@${types}`], env);
});

const installed = [
  'toolgate',
  ...readdirSync(join(folder, 'node_modules', '@toolgate')).map((name) => `@toolgate/${name}`),
];
const manifests = installed.map((name) =>
  readJson(join(folder, 'node_modules', name, 'package.json')),
);
step('the manifests name nothing of the workspace', () => {
  for (const manifest of manifests) {
    const found = /@toolgate\/source|workspace:|catalog:/.exec(JSON.stringify(manifest));
    if (found) throw new Error(`${manifest.name}: ${found[0]}`);
  }
});

const entries = manifests.flatMap(({ name, exports }) =>
  Object.keys(exports)
    .filter((key) => key !== './package.json')
    .map((key) => name + key.slice(1)),
);
step(`every entry can be imported: ${entries.length}`, () => {
  write('entries.mjs', entries.map((entry) => `await import('${entry}');\n`).join(''));
  run(process.execPath, ['entries.mjs']);
});

step('a pack of tools is used beside the core it was not built with', () => {
  write('words.txt', 'one two three\n');
  write(
    'tool-pack.mjs',
    `import { runTool } from '@toolgate/core/testing';
    import { countWords } from 'toolgate-tools-text';
    const { data } = await runTool(countWords, { file_path: 'words.txt' }, { rules: {} });
    if (data?.words !== 3) throw new Error(JSON.stringify(data));`,
  );
  run(process.execPath, ['tool-pack.mjs']);
});

step(
  'the built-in tools find what they start: ripgrep, the thread for PDF, the process of REPL',
  () => {
    write('broken.pdf', '%PDF-1.4\n');
    write(
      'built-in.mjs',
      `import { runTool } from '@toolgate/core/testing';
    import { grep, read, repl } from '@toolgate/tools-builtin';
    const one = await runTool(grep, { pattern: 'two' });
    if (one.data?.engine !== 'ripgrep') throw new Error(JSON.stringify(one));
    const two = await runTool(read, { file_path: 'broken.pdf' });
    if (!/cannot be read as PDF: Invalid PDF/.test(two.outcome.block.content)) throw new Error(JSON.stringify(two));
    const three = await runTool(repl, { code: '6 * 7' });
    if (three.data?.value !== '42') throw new Error(JSON.stringify(three));
    process.exit();`,
    );
    run(process.execPath, ['built-in.mjs']);
  },
);

const compilerOptions = {
  target: 'es2023',
  lib: ['es2023'],
  module: 'nodenext',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  types: ['node'],
  rootDir: 'src',
  outDir: 'out',
};
mkdirSync(join(folder, 'src'));
write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['src'] }));
write(join('src', 'program.ts'), program);
step('the program of README.md compiles, declarations of the packages included', () => {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  run(process.execPath, [tsc, '-p', 'tsconfig.json']);
});
console.log(step('the program of README.md runs', () => run(process.execPath, ['out/program.js'])));
step('toolgate --help', () => run(join(folder, 'node_modules', '.bin', 'toolgate'), ['--help']));
