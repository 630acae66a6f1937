#!/usr/bin/env node
// `node tools/dev.mjs SCRIPT [ARGS]` runs `pnpm run SCRIPT ARGS` after making sure that
// a new enough Node, pnpm and the workspace's packages are there. Plain Node 18+, no dependencies.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const local = join(root, '.toolchain');
const read = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : '');
const pins = JSON.parse(read(join(root, 'tools', 'toolchain.json')));
const windows = process.platform === 'win32';
const env = { ...process.env, TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' };

const run = (command, args, options) =>
  spawnSync(command, args, { cwd: root, env, stdio: 'inherit', shell: windows, ...options });
const stop = (result) => process.exit(result.status ?? 1);

const goodNode = ([major, minor]) =>
  (major === 22 && minor >= 19) || (major === 24 && minor >= 11) || major >= 26;
const systemPnpm = run('pnpm', ['--version'], { stdio: 'pipe', cwd: tmpdir() });
const goodPnpm =
  systemPnpm.status === 0 && String(systemPnpm.stdout).startsWith(`${pins.pnpm.split('.')[0]}.`);

// 1. Node and pnpm: the machine's own where they are new enough, else private copies.
const wanted = {};
if (!goodNode(process.versions.node.split('.').map(Number))) {
  const { platform, arch } = process;
  const appleChip = platform === 'darwin' && arch === 'arm64';
  wanted[`${appleChip ? 'node-bin' : 'node'}-${windows ? 'win' : platform}-${arch}`] = pins.node;
}
if (!goodPnpm) wanted.pnpm = pins.pnpm;
if (Object.keys(wanted).length > 0) {
  const done = join(local, 'done.json');
  const present = JSON.parse(read(done) || '{}');
  if (Object.entries(wanted).some(([name, version]) => present[name] !== version)) {
    const dependencies = { ...present, ...wanted };
    const names = Object.entries(wanted).map((entry) => entry.join('@'));
    console.error(`[toolchain] fetching ${names.join(' and ')}, once`);
    mkdirSync(local, { recursive: true });
    writeFileSync(join(local, 'package.json'), JSON.stringify({ private: true, dependencies }));
    const cache = join(local, 'npm-cache');
    const flags = ['--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error'];
    const npmEnv = { ...env, npm_config_cache: cache };
    const options = { cwd: local, stdio: ['ignore', 2, 2], env: npmEnv };
    const result = run('npm', ['install', ...flags], options);
    rmSync(cache, { recursive: true, force: true });
    if (result.status !== 0) {
      console.error(
        '[toolchain] failed: install Node 22.19+, 24.11+ or 26+ and pnpm 12 by hand, then run this again',
      );
      stop(result);
    }
    writeFileSync(done, JSON.stringify(dependencies));
  }
  const key = Object.keys(env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
  env[key] = join(local, 'node_modules', '.bin') + delimiter + env[key];
}

// 2. Packages: only when a manifest, the lockfile or the settings changed since the last install.
const inputs = ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml'];
for (const folder of ['examples', 'test']) inputs.push(join(folder, 'package.json'));
for (const folder of ['packages', 'apps', 'tools'])
  for (const name of readdirSync(join(root, folder)))
    inputs.push(join(folder, name, 'package.json'));
const hash = createHash('sha256');
for (const file of inputs.sort()) hash.update(`${file}\n`).update(read(join(root, file)));
const state = hash.digest('hex');
const stamp = join(root, 'node_modules', '.toolgate-install');
if (read(stamp) !== state) {
  const result = run('pnpm', ['install', '--frozen-lockfile'], { stdio: ['ignore', 2, 2] });
  if (result.status !== 0) stop(result);
  writeFileSync(stamp, state);
}

// 3. The command `toolgate`, from source.
const launcher = read(join(root, 'tools', 'toolgate.sh'));
const bin = join(root, 'node_modules', '.bin', 'toolgate');
if (read(bin) !== launcher) {
  mkdirSync(join(root, 'node_modules', '.bin'), { recursive: true });
  writeFileSync(`${bin}.new`, launcher);
  chmodSync(`${bin}.new`, 0o755);
  renameSync(`${bin}.new`, bin);
}

// 4. The script itself.
if (process.argv.length > 2) stop(run('pnpm', ['run', ...process.argv.slice(2)]));
