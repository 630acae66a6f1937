import { execFileSync, spawnSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { classifyBash } from '../src/index.ts';
import { fileCommands } from '../src/read-only/tables/files.ts';
import { gitCommands } from '../src/read-only/tables/git.ts';
import { systemCommands } from '../src/read-only/tables/system.ts';
import { textCommands } from '../src/read-only/tables/text.ts';

const load = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`fixtures/${name}.json`, import.meta.url), 'utf8'));
const isReadOnly = (command: string) =>
  classifyBash(command, { environmentNames: ['PATH', 'HOME'] }).readOnly;

/** A home and a project with a repository, files of many kinds, and links. */
function fixture() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'toolgate-effects-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const home = join(root, 'home');
  const project = join(root, 'project');
  // Programs may keep much input in a file of their own, as tac does, and remove it.
  const temporary = realpathSync(mkdtempSync(join(tmpdir(), 'toolgate-own-files-')));
  onTestFinished(() => rmSync(temporary, { recursive: true, force: true }));
  for (const folder of [home, join(project, 'src'), join(project, 'packages/core')])
    mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries({
    a: 'b\na\n3 4\n',
    b: 'b\n',
    'a.txt': 'foo: 1\nbar: 2\n',
    'x y': 'blank\n',
    'a.json': '{"a": [1, 2]}\n',
    'README.md': '# Title\n',
    'package.json': '{"name": "p"}\n',
    'src/index.ts': 'export const foo = 1;\n',
    'packages/core/package.json': '{}\n',
  }))
    writeFileSync(join(project, name), text);
  symlinkSync('a', join(project, 'link'));
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: project });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-qm', 'first');
  git('tag', 'v1');
  writeFileSync(join(project, 'b'), 'changed\n');
  // As long as before, with another time: git would like to refresh its index.
  writeFileSync(join(project, 'a'), 'c\na\n3 4\n');
  execFileSync('tar', ['-cf', 'a.tar', 'a', 'b'], { cwd: project });
  // Times of access are of no interest, and old ones are never brought up to date by reading.
  for (const name of ['README.md', 'src']) utimesSync(join(project, name), 1e9, 1e9);
  return { root, home, project, temporary };
}

/** Every file below with what tells a change: kind, mode, size, times of content and of facts. */
function stateOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const { mode, size, mtimeNs, ctimeNs } = lstatSync(path, { bigint: true });
      return `${path} ${mode} ${size} ${mtimeNs} ${ctimeNs}`;
    })
    .toSorted();
}

const foldersIn = (root: string): readonly string[] => [
  root,
  ...readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name)),
];

/** Runs each command as the Bash tool runs what is read-only, and names those that changed anything. */
async function offenders(commands: readonly string[]): Promise<readonly string[]> {
  const { root, home, project, temporary } = fixture();
  const seen: string[] = [];
  let heardLastWord = () => {};
  // A watcher a folder: what comes and goes within a moment is seen, too.
  for (const folder of foldersIn(root)) {
    const watcher = watch(folder, (_event, name) => {
      if (name === 'last-word') heardLastWord();
      else seen.push(join(relative(root, folder), String(name)));
    });
    onTestFinished(() => watcher.close());
  }
  const found: string[] = [];
  let before = stateOf(root);
  for (const command of commands) {
    spawnSync('/bin/bash', ['--norc', '--noprofile', '-p', '-c', command], {
      cwd: project,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 1_000,
      killSignal: 'SIGKILL',
      maxBuffer: 256 * 1_024,
      env: {
        PATH: '/usr/local/bin:/usr/bin:/bin',
        HOME: home,
        TMPDIR: temporary,
        GIT_OPTIONAL_LOCKS: '0',
        GIT_PAGER: 'cat',
        GIT_TERMINAL_PROMPT: '0',
        GIT_CONFIG_COUNT: '2',
        GIT_CONFIG_KEY_0: 'core.fsmonitor',
        GIT_CONFIG_VALUE_0: 'false',
        GIT_CONFIG_KEY_1: 'diff.autoRefreshIndex',
        GIT_CONFIG_VALUE_1: 'false',
      },
    });
    const after = stateOf(root);
    if (after.join('\n') !== before.join('\n')) found.push(command);
    before = after;
  }
  // A change of our own: when the watchers tell it, they have told whatever came before it.
  for (const folder of foldersIn(root)) {
    const isTold = new Promise<void>((resolve) => (heardLastWord = resolve));
    writeFileSync(join(folder, 'last-word'), '');
    await isTold;
  }
  return [...found, ...seen, ...readdirSync(temporary)];
}

test('a command that changes something for a moment is found, by its state and by the watcher', async () => {
  const found = await offenders(['cat a', 'touch z; rm z', 'ls']);

  expect(found[0]).toBe('touch z; rm z');
  expect(found.slice(1)).toContain('project/z');
});

// With more random commands, by hand: SIDE_EFFECT_RUNS=5000.
const runs = Number(process.env['SIDE_EFFECT_RUNS'] ?? 150);

test('the read-only commands of the vectors and of our own list change nothing', async () => {
  const { vectors } = load('bash-classification') as {
    readonly vectors: readonly { readonly command: string }[];
  }; // our own fixture
  const commands = [
    ...new Set([
      ...vectors.map(({ command }) => command).filter((one) => isReadOnly(one)),
      ...(load('read-only') as readonly string[]), // our own fixture
    ]),
  ].filter((command) => !/\b(?:sleep|tail -[fF])/.test(command)); // nothing but waiting
  expect(commands.length).toBeGreaterThan(380);

  expect(await offenders(commands)).toEqual([]);
}, 120_000);

test('random calls of the commands and options in the tables, and of what git reads, change nothing', async () => {
  const tables = { ...textCommands, ...fileCommands, ...systemCommands };
  const optionsOf = (text: string) => text.split(/\s+/).filter((one) => one !== '');
  const value = fc.constantFrom('1', 'a', '3', 'foo', 'x', '%s', '.', 'name');
  const written = (option: string) => {
    const [, name = '', marks = ''] = /^(--?[^:@?!]+)([:@?!]*)$/.exec(option) ?? [];
    if (!/[:@]/.test(marks)) return fc.constant(name);
    return value.map((text) => (name.startsWith('--') ? `${name}=${text}` : `${name} ${text}`));
  };
  const operand = fc.constantFrom(
    'a',
    'b',
    'src',
    "'x y'",
    '*.txt',
    '-',
    'link',
    '.',
    'a.json',
    'none',
  );
  const call = (name: string, options: string, operands: fc.Arbitrary<string>) => {
    const all = optionsOf(options);
    const some = all.length > 0 ? fc.constantFrom(...all).chain(written) : fc.constant('');
    return fc
      .tuple(fc.array(some, { maxLength: 3 }), fc.array(operands, { maxLength: 3 }))
      .map(([given, rest]) => [name, ...given, ...rest].filter((one) => one !== '').join(' '));
  };
  const revision = fc.constantFrom(
    'HEAD',
    'main',
    'v1',
    'HEAD~1',
    '--',
    'a',
    'src',
    'list',
    'show',
  );
  const simple = fc.oneof(
    fc
      .constantFrom(...Object.entries(tables).filter(([name]) => name !== 'sleep'))
      .chain(([name, spec]) => call(name, spec.options, operand)),
    fc
      .constantFrom(...Object.entries(gitCommands))
      .chain(([name, spec]) => call(`git ${name}`, spec.options, revision)),
  );
  const joined = fc
    .tuple(simple, fc.constantFrom(' | ', ' && ', '; '), simple)
    .map(([left, between, right]) => `${left}${between}${right}`);
  const seed = Number(process.env['SIDE_EFFECT_SEED'] ?? 20_261_201);
  const commands = fc
    .sample(fc.oneof(simple, simple, joined), { seed, numRuns: runs * 2 })
    .filter((command) => isReadOnly(command))
    .slice(0, runs);
  expect(commands.length).toBeGreaterThan(runs / 2);

  expect(await offenders(commands)).toEqual([]);
}, 600_000);
