import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { effectsFacts, diskFacts } from '@toolgate/core';
import { bash, createBash, type BashProgress } from '@toolgate/tools-builtin/bash';
import { expect, onTestFinished, test, vi } from 'vitest';
import { contextFor, isAlive, project, use } from './helpers.ts';
import { noLeftovers } from './no-leftovers.ts';

noLeftovers();

const run = async (command: string, cwd?: string) =>
  use(bash, { command }, { cwd: cwd ?? (await project()) });

test('output and exit code come back', async () => {
  const { data, text, isError } = await run('echo out; echo err >&2');

  expect(data).toEqual({ stdout: 'out\n', stderr: 'err\n', interrupted: false, exitCode: 0 });
  expect(text).toBe('out\nerr');
  expect(isError).toBe(false);
  expect((await run('true')).text).toBe('(No output.)');
});

test('a failure starts with its exit code and is an error', async () => {
  const { text, isError, data } = await run('echo out; echo err >&2; exit 3');

  expect(text).toBe('Exit code 3\nout\nerr');
  expect(isError).toBe(true);
  expect(data.exitCode).toBe(3);
  expect((await run('kill -9 $$')).text).toBe('Exit code 137');
  expect((await run('if')).text).toMatch(/^Exit code 2\n.*syntax error/);
});

test.each([
  ['grep x /dev/null', 'No matches found'],
  ['echo a | grep b', 'No matches found'],
  ['cd . && grep -r x /dev/null', 'No matches found'],
  ['LC_ALL=C egrep x /dev/null 2>/dev/null', 'No matches found'],
  ['[ 1 = 2 ]', 'The condition is false'],
  ['false || test 1 = 2', 'The condition is false'],
  ['echo "a; b"; diff <(echo) /dev/null; test 1 = 2', undefined],
  ['echo a > a; diff a /dev/null', 'The files differ'],
  ['cd missing && grep x /dev/null', undefined],
  ['grep x /missing', undefined],
  ['false', undefined],
  ['(exit 1)', undefined],
])('exit 1 of %j means %j', async (command, meaning) => {
  const { data, isError } = await run(command);

  expect(data.returnCodeInterpretation).toBe(meaning);
  expect(isError).toBe(meaning === undefined);
});

test('cd carries over inside the working directories only', async () => {
  const cwd = await project({ 'src/a.txt': '' });
  const context = contextFor(bash, { command: '' }, { cwd });
  const next = async (command: string, from = cwd) => {
    const { contextModifier, data, text } = await run(command, from);
    return { cwd: contextModifier?.(context).cwd, refused: data.cwdRefused, text };
  };

  expect(await next('cd src; exit 0')).toMatchObject({ cwd: join(cwd, 'src') });
  expect(await next('(cd src); echo')).toMatchObject({ cwd: undefined, refused: undefined });
  expect(await next('cd /')).toEqual({
    cwd: undefined,
    refused: '/',
    text: '(The command ended in /, outside the working directories; the working directory was reset.)',
  });
  expect(await next("cd src; trap 'echo bye' EXIT")).toMatchObject({ cwd: undefined, text: 'bye' });
  expect(await next('set -e; cd src; false')).toMatchObject({ cwd: join(cwd, 'src') });
  expect(await next('cd src; echo $LINENO; exec 3>x; exec 9>y')).toMatchObject({
    cwd: join(cwd, 'src'),
    text: '1',
  });
});

test('a working directory reached through a link does not count as a change', async () => {
  const real = await project();
  const cwd = join(await project(), 'link');
  await symlink(real, cwd);

  const result = await use(bash, { command: 'pwd -P' }, { cwd });

  expect(result.contextModifier).toBeUndefined();
  expect(result.text).toBe(real);
});

test('the folder file works where the temporary folder has a quote in its name', async () => {
  const cwd = await project();
  await mkdir(join(cwd, `it's`));
  await mkdir(join(cwd, 'src'));
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = join(cwd, `it's`);
  try {
    const { data } = await run('cd src', cwd);
    expect(data.cwd).toBe(join(cwd, 'src'));
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
});

test('a missing working directory is said to be missing', async () => {
  await expect(run('true', join(tmpdir(), 'no-such-folder'))).rejects.toThrow(
    `The working directory ${join(tmpdir(), 'no-such-folder')} does not exist.`,
  );
});

test('nothing is inherited but a positive list, and nothing read from standard input or profiles', async () => {
  const cwd = await project({ 'evil.sh': 'echo evil' });
  const planted = {
    BASH_ENV: join(cwd, 'evil.sh'),
    'BASH_FUNC_ls%%': '() { echo evil; }',
    CDPATH: '/',
    TAR_OPTIONS: 'x',
    NODE_OPTIONS: '--no-warnings',
    LD_PRELOAD: '',
    MY_SECRET: 'x',
    PATH: `:relative:${cwd}/bin:${process.env['PATH'] ?? ''}:`,
  };
  const before = { ...process.env };
  Object.assign(process.env, planted);
  try {
    const { text } = await run('ls; env; cat; echo "$-"', cwd);
    const names = text.match(/^\w+(?==)/gm) ?? [];
    expect(names).toEqual(expect.arrayContaining(['TOOLGATE', 'TOOLGATE_CALL']));
    expect(names).toContain('HOME');
    expect(names.filter((name) => name in planted)).toEqual(['PATH']);
    expect(text).not.toContain('evil\n');
    expect(text).toMatch(new RegExp(`^PATH=${cwd}/bin:/`, 'm'));
    expect(text).not.toContain('relative');

    const readOnly = await use(bash, { command: 'echo $PATH' }, { cwd, readOnly: true });
    expect(readOnly.text).not.toContain(cwd);
  } finally {
    for (const name of Object.keys(planted)) delete process.env[name];
    Object.assign(process.env, before);
  }
});

const quick = createBash({ defaultTimeoutMs: 100, graceMs: 100 });

test('a command past its time limit ends with its whole group, also children that ignore SIGTERM', async () => {
  const cwd = await project();
  const command = `trap '' TERM; (trap '' TERM; echo $BASHPID > pid; exec sleep 60) & echo begun; wait`;

  // The limit passes once the command has begun, however slow this machine is.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const onProgress = () => {
    vi.advanceTimersByTime(100);
    vi.useRealTimers();
  };
  const { data, text, isError } = await use(quick, { command }, { cwd }, { onProgress });

  expect(data).toMatchObject({ stdout: 'begun\n', interrupted: false, timedOutAfterMs: 100 });
  expect(text).toMatch(/^Exit code 137\nStopped after 100 ms, its time limit\./);
  expect(isError).toBe(true);
  expect(await isAlive(Number(await readFile(join(cwd, 'pid'), 'utf8')))).toBe(false);
});

test('an abort ends it, too', async () => {
  const cwd = await project();
  const controller = new AbortController();
  const context = contextFor(quick, { command: '' }, { cwd, signal: controller.signal });

  const { data, text } = await use(
    bash,
    { command: 'echo $$; sleep 60' },
    { cwd },
    { context, onProgress: () => controller.abort() },
  );

  expect(data).toMatchObject({ interrupted: true, exitCode: 143 });
  expect(text).toMatch(/^Exit code 143\nInterrupted\.\n/);
  expect(await isAlive(Number(data.stdout))).toBe(false);
});

test('a call that was aborted before it began runs to its end at once', async () => {
  const cwd = await project();
  const { data } = await use(bash, { command: 'sleep 60' }, { cwd, signal: AbortSignal.abort() });

  expect(data.interrupted).toBe(true);
});

test('what a command leaves in the background ends with it', async () => {
  const { data, text } = await run('sleep 60 & echo $!');

  expect(data).toMatchObject({ exitCode: 0, backgroundEnded: true });
  expect(text).toContain('to have a command run on, set run_in_background');
  expect(await isAlive(Number(data.stdout))).toBe(false);
});

test('a process that left the group and holds the pipes does not hold the call', async () => {
  const cwd = await project();
  // The setsid program forks when it leads a group; its child tells its own number.
  const { data } = await run(
    `setsid bash -c 'echo $$ > pid; sleep 60' & until [ -s pid ]; do :; done`,
    cwd,
  );

  expect(data).toMatchObject({ exitCode: 0, backgroundEnded: true });
  expect(await isAlive(Number(await readFile(join(cwd, 'pid'), 'utf8')))).toBe(false);
});

test('an abort also ends what left the group and let the pipes go', async () => {
  const cwd = await project();
  const controller = new AbortController();
  const context = contextFor(bash, { command: '' }, { cwd, signal: controller.signal });
  const command = `setsid bash -c 'echo $$ > pid; sleep 60' >/dev/null 2>&1 & until [ -s pid ]; do :; done; echo ready; sleep 60`;

  await use(bash, { command }, { cwd }, { context, onProgress: () => controller.abort() });

  expect(await isAlive(Number(await readFile(join(cwd, 'pid'), 'utf8')))).toBe(false);
});

const toldPid = async (cwd: string) => Number(await readFile(join(cwd, 'pid'), 'utf8'));
const leavers = {
  'cleaned its environment': `env -i setsid bash -c 'echo $$ > pid; sleep 60' >/dev/null 2>&1 &`,
  'is the orphan of one that did': `env -i setsid bash -c '(trap "" TERM; echo $BASHPID > pid; exec sleep 60) & wait' >/dev/null 2>&1 &`,
  'took a group of its own': `set -m; env -i bash -c 'echo $$ > pid; sleep 60' >/dev/null 2>&1 &`,
};

test.each(Object.entries(leavers))(
  'fault 34: an abort also ends what left the group and %s',
  async (_, leaver) => {
    const cwd = await project();
    const controller = new AbortController();
    const context = contextFor(bash, { command: '' }, { cwd, signal: controller.signal });
    const command = `${leaver} until [ -s pid ]; do :; done; echo ready; sleep 60`;

    const { data } = await use(
      createBash({ graceMs: 100 }),
      { command },
      { cwd },
      { context, onProgress: () => controller.abort() },
    );

    expect([data.interrupted, data.survivors]).toEqual([true, undefined]);
    expect(await isAlive(await toldPid(cwd))).toBe(false);
  },
);

test('fault 34: what left the group with a clean environment is known by the output it holds', async () => {
  const cwd = await project();
  const command = `env -i setsid bash -c 'echo $$ > pid; sleep 60' & until [ -s pid ]; do :; done; echo ready; until [ -e go ]; do :; done`;
  const onProgress = () => writeFileSync(join(cwd, 'go'), '');

  const { data } = await use(bash, { command }, { cwd }, { onProgress });

  expect(data).toMatchObject({ exitCode: 0, backgroundEnded: true });
  expect(data.survivors).toBeUndefined();
  expect(await isAlive(await toldPid(cwd))).toBe(false);
});

test.each(['SIGINT', 'SIGHUP', 'SIGQUIT'] as const)(
  'fault 34: nothing survives a host that leaves on a second %s while a command ends',
  { timeout: 30_000 },
  async (name) => {
    const cwd = await project();
    const source = `
      import { createBash } from '@toolgate/tools-builtin/bash';
      import { contextFor } from '${new URL('helpers.ts', import.meta.url).pathname}';
      const bash = createBash({ graceMs: 60_000 });
      const controller = new AbortController();
      const command = ${JSON.stringify(
        `trap '' TERM; echo $$ > leader; ${leavers['is the orphan of one that did']} until [ -s pid ]; do :; done; echo ready; sleep 60; sleep 60`,
      )};
      process.on('${name}', () => {
        if (controller.signal.aborted) process.exit(130);
        controller.abort();
        console.log('ending');
      });
      const session = { cwd: ${JSON.stringify(cwd)}, signal: controller.signal };
      void bash.call({ command }, contextFor(bash, { command }, session), ({ text }) => console.log(text));`;
    const host = spawn(process.execPath, ['--input-type=module', '-e', source], {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    host.stdout.on('data', (chunk: Buffer) => {
      if (/ready|ending/.test(chunk.toString())) host.kill(name);
    });

    expect(await once(host, 'close')).toEqual([130, null]);
    const leader = Number(await readFile(join(cwd, 'leader'), 'utf8'));
    await expect.poll(() => isAlive(leader)).toBe(false);
    await expect.poll(async () => isAlive(await toldPid(cwd))).toBe(false);
  },
);

test('of much output the start and the end are kept', async () => {
  const small = createBash({ maxOutputBytes: 20 });
  const cwd = await project();

  const { data } = await use(small, { command: 'printf "ab%.0s" {1..50}; echo end' }, { cwd });
  expect(data.stdout).toBe('ababababab\n… [84 bytes left out] …\nabababend\n');
  expect(data.cutBytes).toBe(84);

  const whole = await use(small, { command: 'printf "ü%.0s" {1..10}' }, { cwd });
  expect(whole.data).toMatchObject({ stdout: 'ü'.repeat(10) });
  const broken = await use(small, { command: 'printf a; printf "ü%.0s" {1..10}' }, { cwd });
  expect(broken.data.stdout).toBe(`a${'ü'.repeat(4)}\n… [1 bytes left out] …\n${'ü'.repeat(5)}`);
});

test('memory does not grow with output', async () => {
  const cwd = await project();
  await use(bash, { command: 'head -c 10000000 /dev/zero' }, { cwd });
  const before = process.memoryUsage();

  const { data } = await use(bash, { command: 'head -c 300000000 /dev/zero' }, { cwd });

  const after = process.memoryUsage();
  expect(data.cutBytes).toBe(300_000_000 - 1_048_576);
  expect(data.stdout.length).toBeLessThan(1_100_000);
  expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(50_000_000);
});

test('output is reported while the command runs, in small pieces', async () => {
  const reports: BashProgress[] = [];
  const cwd = await project();
  const begunMs = performance.now();

  await use(
    bash,
    { command: 'echo one; echo two >&2; head -c 5000000 /dev/zero | tr "\\0" x' },
    { cwd },
    { onProgress: (data) => reports.push(data) },
  );

  expect(reports[0]).toMatchObject({ type: 'bash_progress', text: expect.any(String) });
  expect(reports.map(({ stream }) => stream)).toContain('stderr');
  expect(reports.at(-1)?.totalBytes).toBe(5_000_008);
  // For each stream ten a second, the first and the last.
  expect(reports.length).toBeLessThan(5 + (performance.now() - begunMs) / 50);
  expect(Math.max(...reports.map(({ text }) => text.length))).toBeLessThanOrEqual(8_000);
});

test('a failed command shows the start and the end of its output', async () => {
  const { text } = await run('seq 10000; exit 1');

  expect(text.length).toBeLessThan(10_100);
  expect(text).toMatch(/^Exit code 1\n1\n2\n[^]* characters left out\] …\n[^]*\n10000$/);
});

test('what it cannot do is refused in one line', async () => {
  const cwd = await project();
  const check = (input: object) => {
    const full = { command: 'true', ...input };
    return bash.validateInput(full, contextFor(bash, full, { cwd }));
  };

  const bare = createBash();
  const input = { command: 'true', run_in_background: true };
  expect(bare.validateInput(input, contextFor(bare, input, { cwd }))).toEqual({
    result: false,
    message: 'Nothing may run in the background here; run it in the foreground.',
    errorCode: 1,
  });
  expect(check({ command: 'a\0b' })).toMatchObject({ result: false, errorCode: 2 });
  expect(check({ command: 'x'.repeat(130_000) })).toMatchObject({ result: false, errorCode: 3 });
  expect(check({ dangerouslyDisableSandbox: true })).toMatchObject({ behavior: 'ask' });
  expect(check({ run_in_background: false })).toEqual({ result: true });
});

const facts = effectsFacts({ cwd: '/p', directories: ['/p'], facts: diskFacts() });

test('without a classifier a command is one unit that only an exact rule allows', () => {
  expect(bash.effects({ command: 'npm test' }, facts)).toEqual({
    units: [
      { tool: 'Bash', content: 'npm test', exact: 'npm test', allowBy: 'exact', readOnly: false },
    ],
    destructive: false,
    warnings: [],
    suggestedRules: ['Bash(npm test)'],
  });
  const context = contextFor(bash, { command: 'ls' }, { cwd: '/p' });
  expect(bash.checkPermissions({ command: 'ls' }, context)).toEqual({ behavior: 'passthrough' });
});

test.each([
  'rm -rf /',
  'rm -rf /*',
  'rm -rf ~',
  'rm -rf ~/',
  'rm -rf "$HOME"',
  'rm -rf ${HOME}/*',
  `rm -rf ${homedir()}`,
  'rm -rf /usr',
  'rm -rf //usr/./',
  'rm -rf /usr/*',
  'rm -rf /usr/lib/../..',
  'rm -rf "$DIR"/*',
  'rm -rf $DIR/',
  'cd / && rm -rf *',
  'echo "$(rm -rf ~)"',
  '/bin/rm -rf /etc',
  "r''m -rf /",
  'sudo rmdir /opt',
])('%j asks a person', (command) => {
  const { warnings } = bash.effects({ command }, facts);

  expect(warnings).toEqual([expect.objectContaining({ code: 'critical-removal', asks: 'person' })]);
});

test.each([
  'rm -rf node_modules',
  'rm -rf /tmp/x/y',
  'rm a.txt && ls src/',
  'ls /',
  'npm run farm /',
  'rm "$FILE"',
  'rm -f ./a/b',
])('%j has no such warning', (command) => {
  expect(bash.effects({ command }, facts).warnings).toEqual([]);
});

test(
  'commands running side by side end with the process that started them',
  { timeout: 30_000 },
  async () => {
    const cwd = await project();
    const source = `
    import { bash } from '@toolgate/tools-builtin/bash';
    import { contextFor } from '${new URL('helpers.ts', import.meta.url).pathname}';
    const input = { command: 'echo $$; sleep 60' };
    let reports = 0;
    const report = ({ text }) => {
      process.stdout.write(text);
      if (++reports === 12) process.exit(7);
    };
    for (let i = 0; i < 12; i += 1)
      void bash.call(input, contextFor(bash, input, { cwd: ${JSON.stringify(cwd)} }), report);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const text = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk: Buffer) => (text.stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (text.stderr += chunk.toString()));

    expect(await once(child, 'close')).toEqual([7, null]);
    expect(text.stderr).toBe('');
    const pids = text.stdout.trim().split('\n').map(Number);
    expect(pids).toHaveLength(12);
    for (const pid of pids) expect(await isAlive(pid)).toBe(false);
  },
);

const isRoot = process.getuid?.() === 0;

test.runIf(isRoot && existsSync('/usr/bin/setpriv'))(
  'a fork bomb within a limit of processes ends with its command',
  { timeout: 30_000 },
  async () => {
    const cwd = await project();
    // Root has no such limit; another user has, for all of that user's processes.
    const bomb = `setpriv --reuid=64999 --clear-groups bash -c 'ulimit -u 60; bomb() { bomb | bomb & }; bomb; wait; sleep 60' 2>/dev/null`;

    const { data } = await use(
      createBash({ graceMs: 100 }),
      { command: `${bomb}; sleep 60`, timeout: 500 },
      { cwd },
    );

    expect(data.timedOutAfterMs).toBe(500);
    expect(data.survivors).toBeUndefined();
    // Zombies of a machine whose first process reaps none run no more.
    const states = execFileSync('sh', ['-c', 'ps -o stat= -u 64999 || true'], { encoding: 'utf8' });
    expect(states.split('\n').filter((state) => !/^Z|^$/.test(state))).toEqual([]);
  },
);

test.runIf(process.env['TOOLGATE_DEEP'] === '1')(
  'a command that prints more than 5 GiB is stopped, in little memory',
  { timeout: 300_000 },
  async () => {
    const before = process.memoryUsage().rss;

    const { data } = await use(
      bash,
      { command: 'cat /dev/zero', timeout: 600_000 },
      { cwd: await project() },
    );

    expect(data.flooded).toBe(true);
    expect(data.persistedOutputSize).toBeGreaterThan(5 * 1_073_741_824);
    expect(statSync(data.persistedOutputPath ?? '').size).toBe(64 * 1_048_576);
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1_048_576);
  },
);
