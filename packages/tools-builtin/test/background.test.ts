import { existsSync, statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { allow, createToolgate, type ToolUse, type ToolUseContext } from '@toolgate/core';
import { builtinTools } from '@toolgate/tools-builtin';
import { createBash } from '@toolgate/tools-builtin/bash';
import { createTaskOutput } from '@toolgate/tools-builtin/task-output';
import { createTaskStop } from '@toolgate/tools-builtin/task-stop';
import { backgroundTasks, TaskRegistry, type TaskInfo } from '@toolgate/tools-builtin/tasks';
import { expect, onTestFinished, test } from 'vitest';
import { contextFor, isAlive, project, use } from './helpers.ts';
import { noLeftovers } from './no-leftovers.ts';

noLeftovers();

/** Tools over a registry of their own, in a project; what still runs is ended after the test. */
async function background(options: Parameters<typeof createBash>[0] = {}) {
  const tasks = new TaskRegistry();
  const bash = createBash({ graceMs: 100, tasks, ...options });
  const taskOutput = createTaskOutput(tasks);
  const taskStop = createTaskStop(tasks);
  const cwd = await project();
  let state: Readonly<Record<string, unknown>> = {};
  const notices: string[] = [];
  const own: Partial<ToolUseContext> = {
    getAppState: () => state,
    setAppState: (update) => (state = update(state)),
    addNotification: ({ text }) => notices.push(text),
  };
  const started = async (command: string, input: object = { run_in_background: true }) => {
    const full = { command, ...input };
    const context = { ...contextFor(bash, full, { cwd }), ...own };
    const result = await use(bash, full, { cwd }, { context });
    return { ...result, id: result.data.backgroundTaskId ?? '' };
  };
  onTestFinished(() => tasks.endSession('session'));
  return {
    cwd,
    tasks,
    bash,
    started,
    notices,
    infos: () => (state['tasks'] ?? {}) as Readonly<Record<string, TaskInfo>>, // kept by the registry
    output: (task_id: string, input: object = {}) =>
      use(taskOutput, { task_id, ...input }, { cwd }),
    stop: (task_id: string) => use(taskStop, { task_id }, { cwd }),
    taskOutput,
    taskStop,
  };
}

const readSoon = async (path: string) => {
  await expect.poll(() => existsSync(path) && statSync(path).size > 0).toBe(true);
  return readFile(path, 'utf8');
};

test('a command in the background answers at once, and its output and end follow', async () => {
  const { cwd, started, output, infos, notices } = await background();

  const { id, text, data } = await started('echo one; until [ -e go ]; do :; done; echo two');

  expect(id).toMatch(/^task_[0-9a-f]{16}$/);
  expect(text).toContain(`as task ${id}. Its output goes to ${data.persistedOutputPath}.`);
  expect(infos()[id]).toMatchObject({ status: 'running', type: 'local_bash' });
  const early = await output(id, { block: false });
  expect(early.data).toMatchObject({ retrieval_status: 'not_ready', task: { status: 'running' } });
  writeFileSync(join(cwd, 'go'), '');
  const late = await output(id);
  expect(late.text).toBe(
    `Background task ${id} ended with exit code 0. Its output is in ${data.persistedOutputPath}.\none\ntwo\n`,
  );
  expect(late.data).toMatchObject({ retrieval_status: 'success', task: { exitCode: 0 } });
  expect(await readFile(data.persistedOutputPath ?? '', 'utf8')).toBe('one\ntwo\n');
  expect(infos()[id]).toMatchObject({ status: 'completed', exitCode: 0 });
  expect(notices).toEqual([expect.stringContaining(`${id} ended with exit code 0.`)]);
});

test('past its time limit a command goes on in the background; sleep and git are stopped', async () => {
  const { cwd, started, output } = await background();

  const command = 'echo before; until [ -e go ]; do :; done; echo after';
  const { id, text } = await started(command, { timeout: 100 });
  expect(text).toMatch(/^The command did not end within 100 ms and goes on in the background/);
  writeFileSync(join(cwd, 'go'), '');
  expect((await output(id)).data.task.output).toBe('before\nafter\n');

  for (const waits of ['sleep 60', 'echo x && sleep 60', 'git --version; read -t 60 <> <(:)']) {
    const stopped = await started(waits, { timeout: 100 });
    expect(stopped.data).toMatchObject({ timedOutAfterMs: 100 });
    expect(stopped.data.backgroundTaskId).toBeUndefined();
  }
});

test('the life of a background task is bounded', async () => {
  const { started, output } = await background();

  const { id } = await started('sleep 60', { run_in_background: true, timeout: 100 });

  const { data, text } = await output(id);
  expect(data.task.status).toBe('stopped');
  expect(text).toContain('was stopped: its time was up.');
});

test('TaskStop ends the whole tree, also what ignores SIGTERM or left the group', async () => {
  const { cwd, started, stop, infos } = await background();
  const { id } = await started(
    `trap '' TERM; echo $$ > leader; setsid bash -c 'trap "" TERM; echo $$ > pid; sleep 60; sleep 60' & sleep 60; sleep 60`,
  );
  const leader = Number(await readSoon(join(cwd, 'leader')));
  const pid = Number(await readSoon(join(cwd, 'pid')));

  const { text, data } = await stop(id);

  expect(text).toMatch(/was stopped: TaskStop was called\./);
  expect(data).toMatchObject({ task_id: id, task_type: 'local_bash' });
  expect(infos()[id]?.survivors).toBeUndefined();
  expect([await isAlive(leader), await isAlive(pid)]).toEqual([false, false]);
  expect((await stop(id)).text).toBe(text);
});

test('a task that crashes takes nothing with it', async () => {
  const { cwd, started, output } = await background();
  const other = await started('until [ -e go ]; do :; done; echo fine');
  const { id } = await started('kill -9 $$');

  expect((await output(id)).data.task).toMatchObject({ status: 'failed', exitCode: 137 });
  writeFileSync(join(cwd, 'go'), '');
  expect((await output(other.id)).data.task.output).toBe('fine\n');
});

test('a task is known to its own agent and to those it works for, and to nobody else', async () => {
  const { started, taskOutput, cwd, bash, tasks } = await background();
  const { id } = await started('sleep 60');
  const asked = (task_id: string, other: Partial<ToolUseContext>) =>
    taskOutput.validateInput(
      { task_id },
      { ...contextFor(taskOutput, { task_id }, { cwd }), ...other },
    );

  expect(await asked(id, {})).toEqual({ result: true });
  for (const other of [{ agentId: 'a' }, { sessionId: 'other' }])
    expect(await asked(id, other)).toMatchObject({ result: false, errorCode: 2 });

  const input = { command: 'sleep 60', run_in_background: true };
  const context = { ...contextFor(bash, input, { cwd }), agentId: 'a/b' };
  const { data } = await use(bash, input, { cwd }, { context });
  const child = data.backgroundTaskId ?? '';
  expect(await asked(child, { agentId: 'a' })).toEqual({ result: true });
  expect(await asked(child, {})).toEqual({ result: true });
  expect(await asked(child, { agentId: 'a/c' })).toMatchObject({ result: false });
  expect(tasks.ids({ sessionId: 'session', agentId: 'a' })).toEqual([child]);
});

test('output larger than memory may hold is whole on disk, up to a cap', async () => {
  const limits = { maxOutputBytes: 1_000, maxFileBytes: 3_000 };
  const { started } = await background(limits);

  const some = await started('seq 1 600', {});
  const path = some.data.persistedOutputPath ?? '';
  expect(some.data.persistedOutputSize).toBe(2_292);
  expect(await readFile(path, 'utf8')).toBe(
    Array.from({ length: 600 }, (_, i) => `${i + 1}\n`).join(''),
  );
  expect(some.text).toMatch(
    /^1\n2\n[^]*\(The output has 2292 bytes\. It is in \S+; read it in parts\.\)$/,
  );
  expect(some.text.length).toBeLessThan(1_300);
  const more = await started('seq 1 9999', {});
  expect((await readFile(more.data.persistedOutputPath ?? '')).length).toBe(3_000);
});

test('what prints without end is stopped', async () => {
  const { started, output } = await background({ maxTotalBytes: 1_000_000 });

  const { data, text } = await started('yes', {});
  expect(data.flooded).toBe(true);
  expect(text).toMatch(/^Exit code \d+\nStopped: it printed more than any command may\./);
  const { id } = await started('yes');
  expect((await output(id)).text).toContain('was stopped: it printed more than any command may.');
});

test('a full disk ends the file and not the command', async () => {
  const { bash, cwd } = await background({ maxOutputBytes: 1_000 });
  const input = { command: 'seq 1 5000; echo end' };
  for (const newResultFile of [
    () => Promise.resolve('/dev/full'),
    () => Promise.reject(new Error('no space')),
    () => Promise.resolve(undefined),
  ]) {
    const context = { ...contextFor(bash, input, { cwd }), newResultFile };
    const { data } = await use(bash, input, { cwd }, { context });
    expect(data).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^1\n[^]*end\n$/) });
  }
});

let ids = 0;
const toolUse = (name: string, input: object): ToolUse => ({
  type: 'tool_use',
  id: `toolu_${(ids += 1)}`,
  name,
  input,
});

test('through a gate the model hears of the end, reads the file freely, and nothing outlives the gate', async () => {
  const cwd = await project({ 'a.txt': 'text' });
  const gate = createToolgate({
    tools: builtinTools,
    cwd,
    plugins: [backgroundTasks()],
    permissions: ({ tool }) => (tool.name === 'Bash' ? allow('test', 'all') : undefined),
  });
  onTestFinished(() => gate.close());
  const command = 'echo out; touch done';
  const { block } = await gate.run(toolUse('Bash', { command, run_in_background: true }));
  const [id = '', path = ''] =
    /(task_\w+)\. Its output goes to (\S+)\. /.exec(JSON.stringify(block.content))?.slice(1) ?? [];
  await expect.poll(() => existsSync(join(cwd, 'done'))).toBe(true);
  const told: string[] = [];
  await expect
    .poll(async () => {
      const { after } = await gate.run(toolUse('Read', { file_path: 'a.txt' }));
      told.push(...after.map((one) => JSON.stringify(one)));
      return told.length;
    })
    .toBe(1);
  expect(told[0]).toContain(`Background task ${id} ended with exit code 0.`);
  expect((await gate.run(toolUse('Read', { file_path: path }))).block.content).toBe('1\tout');
  expect((await gate.run(toolUse('BashOutput', { bash_id: id }))).outcome).toBe('ok');

  await gate.run(toolUse('Bash', { command: 'echo $$ > pid; sleep 60', run_in_background: true }));
  const pid = Number(await readSoon(join(cwd, 'pid')));
  await gate.close();
  expect(await isAlive(pid)).toBe(false);
});

test('without the plugin a task ends with the gate as well', async () => {
  const cwd = await project();
  const gate = createToolgate({ tools: builtinTools, cwd, permissions: () => allow('', 'all') });
  await gate.run(toolUse('Bash', { command: 'echo $$ > pid; sleep 60', run_in_background: true }));
  const pid = Number(await readSoon(join(cwd, 'pid')));

  await gate.close();

  await expect.poll(() => isAlive(pid)).toBe(false);
});

test.each(['KillShell', 'KillBash'])('the old name %s stops a task', async (name) => {
  const cwd = await project();
  const gate = createToolgate({
    tools: builtinTools,
    cwd,
    plugins: [backgroundTasks()],
    permissions: ({ tool }) => (tool.name === 'Bash' ? allow('test', 'all') : undefined),
  });
  onTestFinished(() => gate.close());
  const { block } = await gate.run(
    toolUse('Bash', { command: 'sleep 60', run_in_background: true }),
  );
  const id = /task_\w+/.exec(JSON.stringify(block.content))?.[0];

  const stopped = await gate.run(toolUse(name, { shell_id: id }));

  expect(stopped.block.content).toContain(`Background task ${id} was stopped`);
});
