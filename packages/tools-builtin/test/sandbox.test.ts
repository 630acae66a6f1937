import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import {
  copyFile,
  link,
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rm,
  writeFile,
} from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import {
  allow,
  createToolgate,
  definePlugin,
  type Diagnostic,
  type ToolgateOptions,
  type ToolUse,
} from '@toolgate/core';
import { builtinTools } from '@toolgate/tools-builtin';
import { sandbox, type SandboxDriver, type SandboxOptions } from '@toolgate/tools-builtin/sandbox';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isAlive, project } from './helpers.ts';
import { noLeftovers } from './no-leftovers.ts';

noLeftovers();

const hasBwrap = spawnSync('bwrap', ['--unshare-all', '--ro-bind', '/', '/', 'true']).status === 0;

let ids = 0;
const toolUse = (name: string, input: object): ToolUse => ({
  type: 'tool_use',
  id: `toolu_${(ids += 1)}`,
  name,
  input,
});

/** Without this driver there is none to be had. */
const missing: SandboxDriver = {
  name: 'missing',
  probe: () => 'The machine has none.',
  wrap: () => {
    throw new Error('never asked');
  },
};

/** Hears of the taps that were asked. */
const listener = definePlugin<(tap: string | undefined) => void>({
  name: 'listener',
  setup(gate, hear) {
    gate.hooks.trace.tap('listener', ({ event, tap }) => {
      if (event === 'tap-end') hear(tap);
    });
  },
});

async function gateWith(options: SandboxOptions, more: Partial<ToolgateOptions> = {}) {
  const cwd = await project({ 'a.txt': 'text' });
  const diagnostics: Diagnostic[] = [];
  const gate = createToolgate({
    tools: builtinTools,
    cwd,
    plugins: [sandbox(options)],
    permissions: () => allow('test', 'all'),
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    ...more,
  });
  onTestFinished(() => gate.close());
  const bash = async (command: string, input: object = {}) => {
    const outcome = await gate.run(toolUse('Bash', { command, ...input }));
    return { ...outcome, text: JSON.stringify(outcome.block.content) };
  };
  return { cwd, gate, bash, diagnostics };
}

test.runIf(hasBwrap)('inside, only the working directories can be written', async () => {
  // Neither in /tmp nor in the working directory.
  const outside = await realpath(await mkdtemp('/var/tmp/toolgate-test-'));
  onTestFinished(() => rm(outside, { recursive: true, force: true }));
  const { cwd, bash } = await gateWith({ enabled: true });

  expect((await bash('echo new > b.txt; cat b.txt a.txt')).block.content).toBe('new\ntext');
  expect(await readFile(join(cwd, 'b.txt'), 'utf8')).toBe('new\n');
  for (const place of [join(outside, 'x'), '/etc/x', '/usr/x'])
    expect((await bash(`echo x > ${place}`)).text).toMatch(/Read-only file system/);
  expect((await bash('echo x > /tmp/toolgate-inside && cat /tmp/toolgate-inside')).text).toBe(
    '"x"',
  );
  expect(existsSync('/tmp/toolgate-inside')).toBe(false);
});

test.runIf(hasBwrap)('inside, what runs later stays as it is', async () => {
  const { cwd, bash } = await gateWith({ enabled: true });
  await mkdir(join(cwd, '.git/hooks'), { recursive: true });
  await writeFile(join(cwd, '.git/config'), '');

  for (const place of ['.git/hooks/post-checkout', '.git/config'])
    expect((await bash(`echo x > ${place}`)).text).toMatch(/Read-only file system/);
});

test.runIf(hasBwrap)(
  'inside there is no network, no Unix socket and no other process',
  async () => {
    const { cwd, bash } = await gateWith({ enabled: true });
    const server = createServer((socket) => socket.end('secret'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const local = createServer((socket) => socket.end('secret'));
    await new Promise<void>((resolve) => local.listen(join(cwd, 's'), resolve));
    onTestFinished(() => {
      server.close();
      local.close();
    });
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;

    expect((await bash(`cat < /dev/tcp/127.0.0.1/${port}`)).text).not.toContain('secret');
    // The checkout may be below a folder that the sandbox hides, such as /tmp.
    await link(process.execPath, join(cwd, 'node')).catch(() =>
      copyFile(process.execPath, join(cwd, 'node')),
    );
    const connect = `./node -e "require('net').connect('s').on('data', (d) => console.log(String(d))).on('error', (e) => console.log(e.code))"`;
    expect((await bash(connect, {})).block.content).toBe('EPERM');
    expect((await bash(`kill -0 ${process.pid}`)).text).toMatch(/No such process/);
    expect((await bash(`ls /proc | grep -c '^[0-9]*$'`)).text).toMatch(/^"[1-9]"$/);
  },
);

test.runIf(hasBwrap)('nothing outlives a command inside, whatever it does to escape', async () => {
  const { cwd, bash, gate } = await gateWith({ enabled: true });
  const escape = `env -i setsid bash -c 'trap "" TERM; touch ready; while :; do echo x >> ticks; done' >/dev/null 2>&1 &`;

  await bash(`${escape} until [ -e ready ]; do :; done`);
  const before = await readFile(join(cwd, 'ticks'), 'utf8').catch(() => '');
  await rm(join(cwd, 'ticks'), { force: true });
  expect((await bash('true')).outcome).toBe('ok');
  expect(existsSync(join(cwd, 'ticks'))).toBe(false);
  expect(before.length).toBeGreaterThanOrEqual(0);

  const started = await bash('echo $$; sleep 60', { run_in_background: true });
  const id = /task_\w+/.exec(started.text)?.[0];
  const { block } = await gate.run(toolUse('TaskStop', { task_id: id }));
  expect(block.content).toMatch(/was stopped/);
  expect(block.content).not.toMatch(/Still running/);
});

test.runIf(hasBwrap)(
  'a working directory inside another that became a link opens nothing',
  async () => {
    const outside = await realpath(await mkdtemp('/var/tmp/toolgate-test-'));
    onTestFinished(() => rm(outside, { recursive: true, force: true }));
    const { cwd, gate, bash } = await gateWith({ enabled: true });
    await mkdir(join(cwd, 'inner'));
    gate.policy.addDirectories([join(cwd, 'inner')]);

    await bash(`rmdir inner && ln -s ${outside} inner`);
    const { text } = await bash('echo x > inner/x');

    expect(text).toMatch(/Read-only file system/);
    expect(existsSync(join(outside, 'x'))).toBe(false);
  },
);

test.runIf(hasBwrap)('exit codes and cd come through', async () => {
  const { cwd, bash } = await gateWith({ enabled: true });
  await mkdir(join(cwd, 'src'));

  expect((await bash('exit 3')).text).toBe('"Exit code 3"');
  await bash('cd src');
  expect((await bash('pwd')).block.content).toBe(join(cwd, 'src'));
});

test.runIf(hasBwrap)('results and traces carry what is in force', async () => {
  const seen: unknown[] = [];
  const taps: (string | undefined)[] = [];
  const { bash } = await gateWith(
    { enabled: true },
    { plugins: [sandbox({ enabled: true }), listener((tap) => taps.push(tap))] },
  );
  const { bash: outside, diagnostics } = await gateWith({ enabled: true, driver: missing });

  seen.push((await bash('true')).text, (await outside('true')).text, (await outside('true')).text);

  expect(seen).toEqual([
    '"(No output.)"',
    '"(It ran outside the sandbox: The machine has none.)"',
    '"(It ran outside the sandbox: The machine has none.)"',
  ]);
  expect(taps).toContain('sandbox: bubblewrap');
  expect(diagnostics.filter(({ code }) => code === 'sandbox-off')).toEqual([
    {
      code: 'sandbox-off',
      severity: 'warning',
      message: 'Commands run without a sandbox. The machine has none.',
    },
  ]);
});

test('where a sandbox is required and none can be had, nothing runs, and it says why', async () => {
  const { cwd, bash, diagnostics } = await gateWith({
    enabled: true,
    required: true,
    driver: missing,
  });

  const { outcome, code, text } = await bash('touch ran');

  expect([outcome, code]).toEqual(['failed', 'executor_failed']);
  expect(text).toContain(
    'Commands must run in a sandbox here, and none can be had. The machine has none.',
  );
  expect(existsSync(join(cwd, 'ran'))).toBe(false);
  expect(diagnostics).toMatchObject([{ code: 'sandbox-off', severity: 'error' }]);
});

test('leaving the sandbox always asks a person, and works only where it may', async () => {
  const prompts: string[] = [];
  const dialog = async ({ strength }: { readonly strength: string }) => {
    prompts.push(strength);
    return { behavior: 'allow' as const };
  };
  const driver: SandboxDriver = {
    name: 'echo',
    probe: () => undefined,
    wrap: () => ({ program: ['/bin/echo', 'inside'] }),
  };
  const free = await gateWith({ enabled: true, driver }, { dialog });
  const bound = await gateWith({ enabled: true, driver, allowUnsandboxed: false }, { dialog });
  const alone = await gateWith({ enabled: true, driver });
  const input = { dangerouslyDisableSandbox: true };

  expect((await free.bash('echo outside')).text).toBe('"inside"');
  expect((await free.bash('echo outside', input)).text).toContain('outside\\n(It ran outside');
  expect((await bound.bash('echo outside', input)).text).toBe('"inside"');
  expect((await alone.bash('echo outside', input)).outcome).toBe('refused');
  expect(prompts).toEqual(['person', 'person']);
});

test('two gates of one session do not take each other out of the sandbox', async () => {
  const driver: SandboxDriver = {
    name: 'echo',
    probe: () => undefined,
    wrap: () => ({ program: ['/bin/echo', 'inside'] }),
  };
  const sessionId = 'shared';
  const first = await gateWith({ enabled: true, driver }, { sessionId });
  const second = await gateWith({ enabled: false }, { sessionId });

  expect((await first.bash('echo outside')).code).toBe('executor_failed');
  expect((await second.bash('echo outside')).text).toBe('"outside"');
  const third = await gateWith({ enabled: true, driver }, { sessionId });
  await second.gate.close();
  expect((await third.bash('echo outside')).text).toBe('"inside"');
});

test('an allow for what is inside looks at the driver in force', async () => {
  const driver: SandboxDriver = {
    name: 'echo',
    probe: () => undefined,
    wrap: () => ({ program: ['/bin/echo', 'inside'] }),
  };
  const outcome = async (options: SandboxOptions, command: string, input: object = {}) => {
    const { bash } = await gateWith(
      { enabled: true, autoAllow: true, ...options },
      {
        permissions: () => undefined,
      },
    );
    return (await bash(command, input)).outcome;
  };

  expect(await outcome({ driver }, 'make')).toBe('ok');
  expect(await outcome({ driver: missing }, 'make')).toBe('refused');
  expect(await outcome({ driver, enabled: false }, 'make')).toBe('refused');
  expect(await outcome({ driver, excluded: ['make'] }, 'make')).toBe('refused');
  expect(await outcome({ driver }, 'make', { dangerouslyDisableSandbox: true })).toBe('refused');
  expect(await outcome({ driver }, 'rm -rf /usr')).toBe('refused');
});

test('settings are pooled, and no file switches off what another asks for', async () => {
  const values = [
    { enabled: true, failIfUnavailable: true, allowUnsandboxedCommands: false },
    {
      enabled: false,
      failIfUnavailable: false,
      allowUnsandboxedCommands: true,
      excludedCommands: 3,
    },
    'nonsense',
  ].map((value) => ({ key: 'sandbox', value, source: 'userSettings' as const }));
  const settings = {
    current: () => ({
      rules: [],
      mode: 'default' as const,
      directories: [],
      values,
      diagnostics: [],
    }),
  };
  const { bash } = await gateWith({ driver: missing }, { settings });

  expect((await bash('true')).code).toBe('executor_failed');
});

test.runIf(hasBwrap)('an aborted command inside leaves no process', async () => {
  const { cwd, gate } = await gateWith({ enabled: true });
  const controller = new AbortController();
  const call = toolUse('Bash', { command: 'touch started; sleep 61.5' });
  const running = gate.run(call, { signal: controller.signal });
  await expect.poll(() => existsSync(join(cwd, 'started'))).toBe(true);
  controller.abort();
  await running;

  const { stdout } = spawnSync('pgrep', ['-f', '^sleep 61.5$'], { encoding: 'utf8' });
  for (const pid of stdout.split('\n').filter(Boolean))
    expect(await isAlive(Number(pid))).toBe(false);
});

const hasHostFilter =
  hasBwrap && ['socat', 'curl'].every((name) => spawnSync('which', [name]).status === 0);

test.runIf(hasHostFilter)(
  'where hosts are listed, these can be reached and no others',
  { timeout: 30_000 },
  async () => {
    const server = createHttpServer((_, response) => response.end('page'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const { bash, cwd } = await gateWith({ enabled: true, hosts: ['localhost'] });
    // Its sockets are in the folder for temporary files, and the name of a socket must be short.
    const short = await mkdtemp('/tmp/toolgate-');
    vi.stubEnv('TMPDIR', short);
    onTestFinished(async () => {
      vi.unstubAllEnvs();
      await rm(short, { recursive: true, force: true });
    });
    const fetch = `curl -s --noproxy '' http://localhost:${port}/`;

    const reached = await bash(`${fetch}; echo; echo x > a.txt`);
    expect(reached.text).toContain('page');
    expect(await readFile(join(cwd, 'a.txt'), 'utf8')).toBe('x\n');
    expect((await bash(fetch.replace('localhost', '127.0.0.1'))).text).not.toContain('page');
    expect((await bash('echo x > /usr/x')).text).toMatch(/Read-only file system/);
  },
);
