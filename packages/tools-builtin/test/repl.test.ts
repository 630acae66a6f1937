import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { allow, createToolgate, type ToolUse } from '@toolgate/core';
import { builtinTools } from '@toolgate/tools-builtin';
import { createRepl, type ReplOptions } from '@toolgate/tools-builtin/repl';
import { sandbox, type SandboxDriver } from '@toolgate/tools-builtin/sandbox';
import { backgroundTasks, TaskRegistry } from '@toolgate/tools-builtin/tasks';
import { expect, onTestFinished, test } from 'vitest';
import { contextFor, isAlive, project, use } from './helpers.ts';
import { noLeftovers } from './no-leftovers.ts';

noLeftovers();

/** A session of its own in a project; it ends after the test. */
async function opened(options: ReplOptions = {}) {
  const tasks = new TaskRegistry();
  onTestFinished(() => tasks.endSession('session'));
  const repl = createRepl({ graceMs: 100, tasks, ...options });
  const cwd = await project({ 'm.mjs': 'export const seven = 7;' });
  const run = (code: string, input: object = {}, session: object = {}) =>
    use(repl, { code, ...input }, { cwd, ...session });
  return { cwd, repl, tasks, run };
}

test('variables, functions and imports stay between calls', async () => {
  const { run } = await opened();

  expect((await run('const a = 1; let b = 2; function add(x) { return x + b }')).text).toBe(
    '(No output, and the value undefined.)',
  );
  expect((await run('a + add(3)')).data).toEqual({
    stdout: '',
    stderr: '',
    value: '6',
    interrupted: false,
  });
  expect((await run("const { seven } = await import('./m.mjs'); seven")).text).toBe('7');
  expect((await run('seven * 6')).text).toBe('42');
  expect((await run('({ list: [1, 2], text: "x" })')).text).toBe("{ list: [ 1, 2 ], text: 'x' }");
});

test('what is printed comes before the value, on both streams', async () => {
  const { run } = await opened();

  const { data } = await run(
    `console.log('out'); console.error('err'); process.stdout.write('x'); 1`,
  );

  expect(data).toMatchObject({ stdout: 'out\nx', stderr: 'err\n', value: '1' });
  await run(`setTimeout(() => console.log('later'), 0); undefined`);
  await expect.poll(async () => (await run('0')).data.stdout).toBe('later\n');
});

test('an error is an error, and the session goes on', async () => {
  const { run } = await opened();
  await run('let kept = 1');

  const thrown = await run("throw new RangeError('no')");
  expect(thrown.isError).toBe(true);
  expect(thrown.text).toMatch(/^RangeError: no\n {4}at <anonymous>:1:7$/);
  expect((await run('if (')).text).toMatch(/SyntaxError/);
  expect((await run('await Promise.reject(new Error("later"))')).text).toMatch(/Error: later/);
  await run('Promise.reject(new Error("nobody")); setTimeout(() => { throw 1 }); 0');
  expect((await run('kept')).data.value).toBe('1');
});

test('a call that does not end is stopped with everything it started, and the next one starts afresh', async () => {
  const { cwd, run } = await opened();
  await run('let kept = 1');

  const child = `require('child_process').spawn('sh', ['-c', 'trap "" TERM; echo $$ > pid; sleep 60; sleep 60'], { detached: true, stdio: 'ignore' }); while (!require('fs').existsSync('pid')); for (;;);`;
  const { text, isError, data } = await run(child, { timeout: 1_500 });

  expect(isError).toBe(true);
  expect(text).toBe(
    'Stopped after 1500 ms, its time limit. The session is over; the next call starts a new one.',
  );
  expect(data.survivors).toBeUndefined();
  expect(await isAlive(Number(await readFile(join(cwd, 'pid'), 'utf8')))).toBe(false);
  expect((await run('typeof kept')).text).toBe('undefined');
});

test('an abort ends the session', async () => {
  const { cwd, run } = await opened();
  const controller = new AbortController();
  const running = run(
    "require('fs').writeFileSync('started', ''); for (;;);",
    {},
    { signal: controller.signal },
  );
  await expect.poll(() => existsSync(join(cwd, 'started'))).toBe(true);
  controller.abort();

  expect((await running).data).toMatchObject({ interrupted: true });
});

test('process.exit ends the session and says so; reset does without', async () => {
  const { run } = await opened();
  await run('let kept = 1');

  expect((await run("console.log('bye'); process.exit(3)")).text).toBe(
    'The process ended with code 3. The session is over; the next call starts a new one.\nbye',
  );
  await run('let kept = 2');
  expect((await run('typeof kept', { reset: true })).text).toBe(
    'undefined\n(A new session: what was defined before is gone.)',
  );
});

test('of much output the start and the end are kept, and what never ends is stopped', async () => {
  const { run } = await opened({ maxOutputBytes: 100, maxTotalBytes: 10_000_000 });

  const { data } = await run("console.log('x'.repeat(1000)); 'y'.repeat(50_000)");
  expect(data.stdout).toMatch(/^x{50}\n… \[901 bytes left out\] …\nx{49}\n$/);
  expect(data.value).toMatch(/^y{30000}… \[cut: 50000 characters\]$/);
  const flood = await run(
    "for (;;) { process.stdout.write('z'.repeat(65_536)); await new Promise(setImmediate); }",
  );
  expect(flood.data.exitCode).toBeGreaterThan(0);
});

test('nothing is inherited but the environment of commands', async () => {
  const { run } = await opened();

  const { text } = await run('Object.keys(process.env).sort().join(" ")');
  expect(text).toContain('TOOLGATE_CALL');
  expect(text).not.toMatch(/NODE_OPTIONS|VITEST/);
});

test('each call begins in the folder it was judged in', async () => {
  const { cwd, repl, run } = await opened();
  await mkdir(join(cwd, 'src'));
  await run("process.chdir('/')");

  expect((await run('process.cwd()')).text).toBe(cwd);
  const input = { code: 'process.cwd()' };
  const context = { ...contextFor(repl, input, { cwd }), cwd: join(cwd, 'src') };
  expect((await use(repl, input, { cwd }, { context })).text).toBe(join(cwd, 'src'));
});

let ids = 0;
const toolUse = (input: object): ToolUse => ({
  type: 'tool_use',
  id: `toolu_${(ids += 1)}`,
  name: 'REPL',
  input,
});

test('it needs permission, runs in the sandbox, and ends with the gate', async () => {
  const cwd = await project();
  const driver: SandboxDriver = {
    name: 'nice',
    probe: () => undefined,
    wrap: ({ program }) => ({ program: ['/usr/bin/nice', ...program] }),
  };
  const gate = (allows: boolean) =>
    createToolgate({
      tools: builtinTools,
      cwd,
      plugins: [backgroundTasks(), sandbox({ enabled: true, driver })],
      permissions: () => (allows ? allow('test', 'all') : undefined),
    });
  const refusing = gate(false);
  expect((await refusing.run(toolUse({ code: '1' }))).code).toBe('permission_denied');
  await refusing.close();
  const allowing = gate(true);
  const { block } = await allowing.run(toolUse({ code: 'process.pid' }));
  const code = 'require("os").getPriority()';
  expect((await allowing.run(toolUse({ code }))).block.content).toBe('10');
  const outside = { code, dangerouslyDisableSandbox: true };
  expect((await allowing.run(toolUse(outside))).code).toBe('permission_denied');
  await allowing.close();
  expect(await isAlive(Number(block.content))).toBe(false);
});
