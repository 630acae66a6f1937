#!/usr/bin/env node
// `node tools/dev.mjs SCRIPT [ARGS]` runs `pnpm run SCRIPT ARGS` after making sure that
// a new enough Node, pnpm and the workspace's packages are there. Plain Node 18+, no dependencies.
// Without arguments it only sets up. Nothing is written outside the clone.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const local = join(root, '.toolchain');
const read = (file) => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '');
const pins = JSON.parse(read(join(root, 'tools', 'toolchain.json')));
const windows = process.platform === 'win32';
const env = { ...process.env, TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' };
env.XDG_DATA_HOME ||= join(local, 'data'); // where vitest keeps a token

const run = (command, args, options) =>
  spawnSync(command, args, { cwd: root, env, stdio: 'inherit', shell: windows, ...options });
const stop = (result) => process.exit(result.status ?? 1);

// Node and pnpm: the machine's own where they are new enough, else private copies.
const goodNode = ([major, minor]) =>
  (major === 22 && minor >= 19) || (major === 24 && minor >= 11) || major >= 26;
const systemPnpm = run('pnpm', ['--version'], { stdio: 'pipe', cwd: tmpdir() });
const goodPnpm =
  systemPnpm.status === 0 && String(systemPnpm.stdout).startsWith(`${pins.pnpm.split('.')[0]}.`);
const privateTools = {};
if (!goodNode(process.versions.node.split('.').map(Number))) {
  const { platform, arch } = process;
  const appleChip = platform === 'darwin' && arch === 'arm64';
  const name = `${appleChip ? 'node-bin' : 'node'}-${windows ? 'win' : platform}-${arch}`;
  privateTools[name] = pins.node;
}
if (!goodPnpm) privateTools.pnpm = pins.pnpm;

const done = join(local, 'done.json');
const presentTools = () => JSON.parse(read(done) || '{}');
const toolsMissing = () =>
  Object.entries(privateTools).some(([name, version]) => presentTools()[name] !== version);

function fetchTools() {
  const names = Object.entries(privateTools).map((entry) => entry.join('@'));
  console.error(`[toolchain] fetching ${names.join(' and ')}, once`);
  const dependencies = { ...presentTools(), ...privateTools };
  fs.writeFileSync(join(local, 'package.json'), JSON.stringify({ private: true, dependencies }));
  const cache = join(local, 'npm-cache');
  const flags = ['--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error'];
  const npmEnv = { ...env, npm_config_cache: cache, npm_config_update_notifier: 'false' };
  const options = { cwd: local, stdio: ['ignore', 2, 2], env: npmEnv };
  const result = run('npm', ['install', ...flags], options);
  fs.rmSync(cache, { recursive: true, force: true });
  if (result.status !== 0) {
    console.error(
      '[toolchain] failed: install Node 22.19+, 24.11+ or 26+ and pnpm 12 by hand, then run this again',
    );
    stop(result);
  }
  fs.writeFileSync(done, JSON.stringify(dependencies));
}

/** npm must run before this: it reads its machine-wide settings from beside the Node that runs it. */
function usePrivateTools() {
  if (Object.keys(privateTools).length === 0) return;
  const key = Object.keys(env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
  env[key] = join(local, 'node_modules', '.bin') + delimiter + env[key];
}

// Packages: only when a manifest, the lockfile or the settings changed since the last install.
const inputs = ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml'];
for (const folder of ['examples', 'examples/tool-pack', 'test'])
  inputs.push(join(folder, 'package.json'));
for (const folder of ['packages', 'apps', 'tools'])
  for (const name of fs.readdirSync(join(root, folder)))
    inputs.push(join(folder, name, 'package.json'));
const hash = createHash('sha256');
for (const file of inputs.sort()) hash.update(`${file}\n`).update(read(join(root, file)));
const state = hash.digest('hex');
const stamp = join(root, 'node_modules', '.toolgate-install');
const packagesOld = () => read(stamp) !== state;

function installPackages() {
  const result = run('pnpm', ['install', '--frozen-lockfile'], { stdio: ['ignore', 2, 2] });
  if (result.status !== 0) stop(result);
  fs.writeFileSync(stamp, state);
}

// The command `toolgate`, from source.
const launcher = read(join(root, 'tools', 'toolgate.sh'));
const bin = join(root, 'node_modules', '.bin', 'toolgate');
const launcherOld = () => read(bin) !== launcher;

function writeLauncher() {
  fs.mkdirSync(join(root, 'node_modules', '.bin'), { recursive: true });
  fs.rmSync(bin, { force: true });
  fs.writeFileSync(bin, launcher, { mode: 0o755 });
}

/** Two set-ups of one clone wait for each other. */
function takeLock() {
  const lock = join(local, 'lock');
  const running = (pid) => {
    try {
      return process.kill(pid, 0);
    } catch (error) {
      return error.code === 'EPERM';
    }
  };
  fs.mkdirSync(local, { recursive: true });
  for (let waited = false; ; waited = true) {
    try {
      fs.writeFileSync(lock, String(process.pid), { flag: 'wx' });
      const release = () => fs.rmSync(lock, { force: true });
      process.once('exit', release);
      return () => {
        process.off('exit', release);
        release();
      };
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      if (!running(Number(read(lock)))) fs.rmSync(lock, { force: true });
      else if (!waited) console.error(`[toolchain] waiting for another set-up (${lock})`);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    }
  }
}

if (toolsMissing() || packagesOld() || launcherOld()) {
  const release = takeLock();
  if (toolsMissing()) fetchTools();
  usePrivateTools();
  if (packagesOld()) installPackages();
  if (launcherOld()) writeLauncher();
  release();
} else usePrivateTools();

if (process.argv.length > 2) stop(run('pnpm', ['run', ...process.argv.slice(2)]));
