// Hooks that misbehave as processes: the loop goes on, memory stays flat, no process is left.
import { existsSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { HookResult } from '../src/index.ts';
import { echoHi, envelope, group, hookGate, print, scripts } from './helpers/hook-gate.ts';

let at: Awaited<ReturnType<typeof scripts>>;
beforeEach(async () => {
  at = await scripts();
});
afterEach(() => at.remove());

async function run(...hooks: readonly (string | object)[]) {
  const results: HookResult[] = [];
  const { gate, diagnostics, ran } = hookGate(
    at.folder,
    { PreToolUse: [group('Bash', ...hooks)] },
    { options: { onResult: (result) => void results.push(result) } },
  );
  const outcome = await gate.run(echoHi);
  await gate.close();
  return { ran: ran.length, outcome, results, codes: diagnostics.map(({ code }) => code) };
}

/** True for a process that is there and is no zombie. */
const isAlive = (pid: string): boolean =>
  existsSync(`/proc/${pid}/status`) &&
  !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
const expectNoneOf = async (file: string, count: number) => {
  const pids = (await at.read(file)).split('\n').filter(Boolean);
  expect(pids).toHaveLength(count);
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
};
const isLinux = process.platform === 'linux';

test.runIf(isLinux)(
  'children that gave the output up, ignore signals or began a session of their own end with the gate',
  async () => {
    const leaving = [
      'sleep 300 >/dev/null 2>&1 </dev/null & echo $! >> pids',
      `(trap '' TERM HUP INT; exec sleep 300) >/dev/null 2>&1 & echo $! >> pids`,
      `nohup sh -c 'echo $$ >> pids; exec sleep 300' >/dev/null 2>&1 &`,
      `setsid sh -c 'echo $$ >> pids; exec sleep 300' >/dev/null 2>&1 </dev/null &`,
      `until [ "$(wc -l < pids)" -ge 4 ]; do sleep 0.02; done`,
    ].join('\n');
    const { ran } = await run(leaving);
    expect(ran).toBe(1);
    await expectNoneOf('pids', 4);
  },
);

test.runIf(isLinux)('past its limit a hook ends with a child in a session of its own', async () => {
  const line = `setsid sh -c 'echo $$ >> pids; exec sleep 300' & until [ -s pids ]; do sleep 0.02; done; sleep 300`;
  const { ran, codes } = await run({ command: line, timeout: 1 });
  expect([ran, codes]).toEqual([1, ['hook-timed-out']]);
  await expectNoneOf('pids', 1);
});

test('a hook that runs hooks hands its mark on, so that all of them end with the outermost', async () => {
  const { gate } = hookGate(
    at.folder,
    { PreToolUse: [group('Bash', 'echo "$TOOLGATE_HOOK_ID" > mark')] },
    { options: { env: { PATH: process.env['PATH'], TOOLGATE_HOOK_ID: 'outer.1.' } } },
  );
  await gate.run(echoHi);
  await gate.close();
  expect(await at.read('mark')).toMatch(/^outer\.1\. [\w-]+\.1\.\n$/);
});

test('a hook that ignores SIGTERM is killed', async () => {
  const line = `trap '' TERM INT HUP QUIT; echo $$ >> pids; while :; do sleep 1; done`;
  expect(await run({ command: line, timeout: 0.5 })).toMatchObject({
    ran: 1,
    codes: ['hook-timed-out'],
  });
  await expectNoneOf('pids', 1);
});

test('both pipes filled at once block nobody, and the deny after them is heard', async () => {
  const line = `head -c 5000000 /dev/zero | tr '\\0' x >&2 & head -c 5000000 /dev/zero | tr '\\0' y; wait; exit 2`;
  const { ran, results } = await run(line);
  expect(ran).toBe(0);
  expect(results[0]?.blockingError?.blockingError.length).toBeLessThan(10_300);
});

test('invalid UTF-8 breaks nothing: as a reason it is shown, in JSON it is no answer', async () => {
  expect(await run(String.raw`printf '\xff\xfe\x80 no' >&2; exit 2`)).toMatchObject({ ran: 0 });
  const broken = await run(String.raw`printf '{"decision":"approve","reason":"\xff\xc0"'`);
  expect([broken.ran, broken.codes]).toEqual([1, ['hook-output-invalid']]);
  expect(await run(String.raw`printf '\xff\xfe\xfd'`)).toMatchObject({ ran: 1, codes: [] });
});

test('a hook that a signal ends has failed, with 128 and the number', async () => {
  const { ran, results } = await run('kill -SEGV $$');
  expect([ran, results[0]?.outcome, results[0]?.exitCode]).toEqual([1, 'non_blocking_error', 139]);
  expect(await run({ command: 'kill -KILL $$', onFailure: 'block' })).toMatchObject({ ran: 0 });
});

test('an allow from a hook that a signal ends is none', async () => {
  const { codes } = await run(`${print(envelope('allow'))}; kill -TERM $$`);
  expect(codes).toEqual(['hook-failed']);
});

test('a hundred hooks of one call that print a megabyte each leave memory flat', async () => {
  const before = process.memoryUsage().rss;
  const hooks = Array.from({ length: 100 }, (_, index) => `head -c 1000000 /dev/zero # ${index}`);
  expect((await run(...hooks)).ran).toBe(1);
  expect(process.memoryUsage().rss - before).toBeLessThan(400_000_000);
}, 30_000);

test('a 5 MB input: a guard that does not read it in time blocks where it is set to', async () => {
  const { gate, ran } = hookGate(at.folder, {
    PreToolUse: [group('Bash', { command: 'sleep 300', timeout: 0.3, onFailure: 'block' })],
  });
  await gate.run({ ...echoHi, input: { command: `echo ${'x'.repeat(5_000_000)}` } });
  await gate.close();
  expect(ran).toEqual([]);
});
