import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

const demo = (args: readonly string[]) =>
  new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(
      process.execPath,
      ['--conditions=@toolgate/source', '--disable-warning=ExperimentalWarning', main, ...args],
      { env: { ...process.env, NODE_OPTIONS: '' } },
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
    child.stdin?.end();
  });

test('the demo plays to its end as the script says, and shows the diff', async () => {
  const { code, stdout, stderr } = await demo([]);

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('13 calls, all as the script says.');
  expect(stdout).toContain('-  return Math.round(cents * (1 + percent / 100));');
  expect(stdout).toContain('+  return Math.round(cents * (1 - percent / 100));');
});

test('--json prints a line a call with the end of each stage, and leaves no folder behind', async () => {
  const { code, stdout } = await demo(['--json']);

  const reports = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(code).toBe(0);
  expect(reports.map(({ tool, outcome, code: why }) => [tool, outcome, why])).toEqual([
    ['Glob', 'ok', undefined],
    ['Grep', 'ok', undefined],
    ['Read', 'ok', undefined],
    ['Bash', 'failed', 'tool_failed'],
    ['Edit', 'ok', undefined],
    ['Bash', 'ok', undefined],
    ['Bash', 'refused', 'permission_denied'],
    ['Read', 'refused', 'permission_denied'],
    ['Reed', 'refused', 'tool_not_found'],
    ['Read', 'refused', 'input_invalid'],
    ['Bash', 'ok', undefined],
    ['Bash', 'ok', undefined],
    ['Bash', 'ok', undefined],
  ]);
  expect(Object.keys(reports[0].stages)).toEqual([
    'lookup',
    'validate',
    'start',
    'authorize',
    'execute',
    'result',
    'post',
    'emit',
  ]);
  expect(existsSync(/(\/\S+toolgate-demo-[^/]+)\//.exec(stdout)?.[1] ?? '/')).toBe(false);
});
