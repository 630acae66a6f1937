import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { envelope } from './helpers/hook-project.ts';
import { emptyFolder, toolgate } from './helpers/toolgate.ts';

async function folderWith(hooks: object) {
  const cwd = await emptyFolder();
  await writeFile(join(cwd, 's.json'), JSON.stringify({ hooks }));
  return (...args: readonly string[]) => toolgate([...args, '--settings', 's.json'], { cwd });
}
const group = (matcher: string, ...commands: readonly string[]) => ({
  matcher,
  hooks: commands.map((command) => ({ type: 'command', command })),
});

test(
  'hooks list: each hook that could run, with its file; of one event or tool alone',
  { timeout: 30_000 },
  async () => {
    const run = await folderWith({
      PreToolUse: [
        group('Bash', 'a'),
        group('mcp__.*', 'b'),
        { hooks: [{ type: 'http', url: 'http://localhost/' }] },
      ],
      Stop: [group('', 'c')],
      Stopp: [group('', 'd')],
    });

    const all = await run('hooks', 'list');
    expect(all.lines.map(({ event, type, hook }) => [event, type, hook])).toEqual([
      ['PreToolUse', 'command', 'a'],
      ['PreToolUse', 'command', 'b'],
      ['PreToolUse', 'http', 'http://localhost/'],
      ['Stop', 'command', 'c'],
    ]);
    expect(all.lines[0]).toMatchObject({
      file: expect.stringMatching(/s\.json$/),
      pointer: '/hooks/PreToolUse/0/hooks/0',
    });
    expect(all.stderr).toContain('Stopp');
    const some = await run('hooks', 'list', '--event', 'PreToolUse', '--tool', 'mcp__x__y');
    expect(some.lines.map(({ hook }) => hook)).toEqual(['b', 'http://localhost/']);
    expect((await run('hooks', 'list', '--text', '--event', 'Stop')).stdout).toMatch(
      /^Stop \*: command c — .*s\.json/,
    );
  },
);

test(
  'hooks list in an untrusted folder: its hooks wait for trust',
  { timeout: 30_000 },
  async () => {
    const cwd = await emptyFolder();
    const project = join(cwd, 'clone');
    const { mkdir } = await import('node:fs/promises');
    await mkdir(join(project, '.claude'), { recursive: true });
    await writeFile(
      join(project, '.claude', 'settings.local.json'),
      JSON.stringify({ hooks: { PreToolUse: [group('', 'evil')] } }),
    );
    expect((await toolgate(['hooks', 'list', '--cwd', project], { cwd })).lines).toEqual([]);
    expect(
      (await toolgate(['hooks', 'list', '--trust', '--cwd', project], { cwd })).lines,
    ).toHaveLength(1);
  },
);

test(
  'hooks run: the real handlers, what each said and what it comes to',
  { timeout: 30_000 },
  async () => {
    const rewrite = envelope('allow', { updatedInput: { command: 'echo b' } });
    const run = await folderWith({
      PreToolUse: [
        group(
          'Bash',
          `case "$(cat)" in *push*) echo no >&2; exit 2;; esac`,
          `grep -q a && printf '%s' '${rewrite}' || true`,
        ),
      ],
      PostToolUse: [group('Bash', 'echo "$(cat)" > seen; echo "Look again." >&2; exit 2')],
      SessionStart: [group('startup', 'echo welcome')],
    });

    const denied = await run(
      'hooks',
      'run',
      'PreToolUse',
      '--tool',
      'Bash',
      '--input',
      '{"command":"git push"}',
    );
    const outcomes = denied.lines.slice(0, 2).map(({ outcome }) => String(outcome));
    expect(new Set(outcomes)).toEqual(new Set(['blocking', 'success']));
    expect(denied.lines.at(-1)).toMatchObject({ conclusion: { behavior: 'deny', reason: 'no' } });

    const rewritten = await run(
      'hooks',
      'run',
      'PreToolUse',
      '--tool',
      'Bash',
      '--input',
      '{"command":"echo a"}',
    );
    expect(rewritten.lines.at(-1)).toEqual({
      event: 'PreToolUse',
      conclusion: {
        behavior: 'allow',
        reason: 'A hook allowed this call.',
        input: { command: 'echo b' },
      },
    });

    const after = await run(
      'hooks',
      'run',
      'PostToolUse',
      '--tool',
      'Bash',
      '--input',
      '{"command":"ls"}',
      '--response',
      '{"stdout":"x"}',
    );
    expect(after.lines.at(-1)).toMatchObject({ conclusion: { context: ['Look again.'] } });

    const start = await run(
      'hooks',
      'run',
      'SessionStart',
      '--input',
      '{"source":"startup"}',
      '--text',
    );
    expect(start.stdout).toMatch(
      /^echo welcome: success, exit code 0, \d+ ms\nSessionStart: \{"context":"welcome"/,
    );
  },
);

test.each([
  [['hooks'], 'hooks list or hooks run'],
  [['hooks', 'run', 'pretooluse', '--tool', 'Bash'], 'Did you mean "PreToolUse"?'],
  [['hooks', 'run', 'PreToolUse'], 'needs --tool'],
  [
    ['hooks', 'run', 'PreToolUse', '--tool', 'Bash', '--input', '[]'],
    '--input must be a JSON object',
  ],
  [['hooks', 'run', 'PreToolUse', '--tool', 'Bash', '--input', '{'], '--input is no JSON'],
  [['hooks', 'list', '--event', 'Nope'], 'there is no hook event "Nope"'],
  [['hooks', 'list', '--cwd', '/no/such'], 'there is no such folder'],
])('%j is one clear line', async (args, message) => {
  const { code, stderr } = await toolgate(args, { cwd: await emptyFolder() });
  expect([code, stderr.trim().split('\n')]).toEqual([2, [expect.stringContaining(message)]]);
});

test('a real settings file with comments and hooks of twelve events lists each of them', async () => {
  const cwd = await emptyFolder();
  await copyFile(new URL('./fixtures/many-hooks.jsonc', import.meta.url), join(cwd, 's.json'));
  const { lines, stderr } = await toolgate(['hooks', 'list', '--settings', 's.json'], { cwd });
  expect(new Set(lines.map(({ event }) => event)).size).toBe(12);
  expect(lines).toHaveLength(14);
  expect(stderr).toBe('');
});
