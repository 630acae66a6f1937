import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { emptyFolder, toolgate, use } from './helpers/toolgate.ts';

test('run --audit writes the log, audit verify checks it and finds a cut end', async () => {
  const cwd = await emptyFolder();
  const input = use('Bash', { command: 'touch a' }, 'a') + use('Bash', { command: 'rm x' }, 'b');
  const run = await toolgate(['run', '--allow', 'Bash(touch *)', '--audit', 'audit.jsonl'], {
    cwd,
    input,
  });
  expect(run.code).toBe(0);
  const [, seq, mac] = /the audit log ends with line (\d+), ([\w-]+)/.exec(run.stderr) ?? [];
  const file = join(cwd, 'audit.jsonl');
  const text = await readFile(file, 'utf8');
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>); // our own file
  expect(lines.map(({ event, id, decision }) => [event, id, decision])).toEqual([
    ['opened', undefined, undefined],
    ['asked', 'a', undefined],
    ['decided', 'a', 'allow'],
    ['ended', 'a', undefined],
    ['asked', 'b', undefined],
    ['ended', 'b', 'deny'],
    ['closed', undefined, undefined],
  ]);
  expect(lines[2]).toMatchObject({ by: [{ rule: 'Bash(touch *)', source: 'cliArg' }] });

  const verify = (...more: readonly string[]) =>
    toolgate(['audit', 'verify', 'audit.jsonl', ...more], { cwd });
  expect(await verify()).toMatchObject({ code: 0, lines: [{ ok: true, lines: 7, problems: [] }] });
  expect((await verify('--head', `${seq}:${mac}`, '--text')).stdout).toMatch(
    /^Nothing is wrong with the 7 lines\.\nThis shows whoever wrote/,
  );

  await writeFile(file, text.split('\n').slice(0, -2).join('\n') + '\n');
  const cut = await verify();
  expect([cut.code, cut.lines[0].problems]).toEqual([
    1,
    [
      {
        file: 'audit.jsonl',
        code: 'missing-end',
        message: 'the log ends with line 6; the kept head is line 7',
      },
    ],
  ]);
}, 60_000);

test('audit verify says in one line what it lacks', async () => {
  const cwd = await emptyFolder();
  await writeFile(join(cwd, 'a.jsonl'), '');
  for (const [args, message] of [
    [['audit'], /audit what\? audit verify/],
    [['audit', 'verify', 'none.jsonl'], /there is no such file/],
    [['audit', 'verify', 'a.jsonl'], /audit\.key: there is no key/],
  ] as const) {
    const { code, stderr } = await toolgate(args, { cwd });
    expect([code, stderr.trim().split('\n').length]).toEqual([2, 1]);
    expect(stderr).toMatch(message);
  }
}, 60_000);
