import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import {
  copyFile,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allow, buildTool, createToolgate, deny, type Opinion } from '@toolgate/core';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { auditKey, auditLog, readHead, verifyAudit, type AuditLogOptions } from '../src/index.ts';

const echo = buildTool({
  name: 'Echo',
  description: 'x',
  inputSchema: z.object({ text: z.string() }),
  call: ({ text }) => {
    if (text === 'throw') throw new Error('no');
    return { data: text };
  },
});

async function places() {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'toolgate-audit-')));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  const file = join(base, 'log/audit.jsonl');
  const keyFile = join(base, 'home/audit.key');
  const headFile = join(base, 'home/head.json');
  const open = (
    more: Partial<AuditLogOptions> = {},
    permissions: () => Opinion = () => allow('fine', 'all'),
  ) =>
    createToolgate({
      tools: [echo],
      permissions,
      cwd: base,
      sessionId: 's1',
      plugins: [auditLog({ file, keyFile, headFile, ...more })],
    });
  const verify = async (head = readHead(headFile)) =>
    verifyAudit(file, { key: auditKey(keyFile, false), head });
  const lines = async () =>
    (await readFile(file, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>); // our own file
  return { base, file, keyFile, headFile, open, verify, lines };
}

let count = 0;
const use = (text: string, id = `toolu_${(count += 1)}`) => ({
  type: 'tool_use' as const,
  id,
  name: 'Echo',
  input: { text },
});

test('who asked what, what was decided by whom, what ran and how it ended', async () => {
  const { open, lines, verify, file, keyFile } = await places();
  const gate = open();
  await gate.run(use('hello', 'a'));
  await gate.run(use('throw', 'b'));
  await gate.run({ type: 'tool_use', id: 'c', name: 'Nope', input: {} });
  await gate.close();

  expect((await lines()).map(({ seq, event, id, outcome }) => [seq, event, id, outcome])).toEqual([
    [1, 'opened', undefined, undefined],
    [2, 'asked', 'a', undefined],
    [3, 'decided', 'a', undefined],
    [4, 'ended', 'a', 'ok'],
    [5, 'asked', 'b', undefined],
    [6, 'decided', 'b', undefined],
    [7, 'ended', 'b', 'failed'],
    [8, 'asked', 'c', undefined],
    [9, 'ended', 'c', 'refused'],
    [10, 'closed', undefined, undefined],
  ]);
  expect((await lines())[1]).toMatchObject({
    session: 's1',
    tool: 'Echo',
    input: '{"text":"hello"}',
  });
  expect((await lines())[2]).toMatchObject({
    decision: 'allow',
    reason: 'fine',
    by: [{ step: 'opinion', from: 'permissions', plugin: 'toolgate' }],
  });
  expect((await lines())[8]).toMatchObject({ code: 'tool_not_found' });
  expect([(await stat(file)).mode & 0o777, (await stat(keyFile)).mode & 0o777]).toEqual([
    0o600, 0o600,
  ]);
  expect(await verify()).toMatchObject({ ok: true, lines: 10, problems: [], unclosed: 0 });
});

test('a refusal names who refused; inputs go without secrets, or not at all', async () => {
  const { open, lines } = await places();
  const gate = open({}, () => deny('not here'));
  const secret = `ghp_${'wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx'}`;
  await gate.run(use(secret));
  await gate.close();
  const all = await lines();
  expect(JSON.stringify(all)).not.toContain(secret);
  expect(all[1]).toMatchObject({ input: '{"text":"[redacted github]"}' });
  expect(all[2]).toMatchObject({
    event: 'ended',
    outcome: 'refused',
    code: 'permission_denied',
    decision: 'deny',
    by: [{ from: 'permissions' }],
  });

  const other = await places();
  const digests = other.open({ input: 'digest' });
  await digests.run(use('private'));
  await digests.close();
  expect(await readFile(other.file, 'utf8')).not.toContain('private');
});

test('a log goes on where it ended', async () => {
  const { open, verify } = await places();
  for (const text of ['a', 'b']) {
    const gate = open();
    await gate.run(use(text));
    await gate.close();
  }
  expect(await verify()).toMatchObject({ ok: true, lines: 10, unclosed: 0, head: { seq: 10 } });
});

/** A log of two calls, to be tampered with. */
async function written() {
  const found = await places();
  const gate = found.open();
  await gate.run(use('one'));
  await gate.run(use('two'));
  await gate.close();
  const text = await readFile(found.file, 'utf8');
  const change = (edit: (lines: string[]) => string[]) =>
    writeFileSync(found.file, `${edit(text.trim().split('\n')).join('\n')}\n`);
  return { ...found, text, change };
}

test.for<readonly [string, (lines: string[]) => string[], readonly string[]]>([
  [
    'a changed word',
    (lines) => lines.map((line) => line.replace(String.raw`\"one\"`, String.raw`\"two\"`)),
    ['changed'],
  ],
  ['a line taken out', (lines) => lines.filter((_, index) => index !== 3), ['missing']],
  [
    'two lines swapped',
    ([a = '', b = '', c = '', ...rest]) => [a, c, b, ...rest],
    ['missing', 'missing', 'missing'],
  ],
  ['a line twice', ([a = '', ...rest]) => [a, a, ...rest], ['missing']],
  ['the last line taken out', (lines) => lines.slice(0, -1), ['missing-end']],
  ['the first line taken out', (lines) => lines.slice(1), ['missing']],
  ['everything taken out', () => [], ['broken-line', 'missing-end']],
  [
    'a line of somebody else',
    (lines) => [...lines.slice(0, 4), '{"seq":5,"event":"ended","mac":"x"}', ...lines.slice(5)],
    ['changed', 'changed'],
  ],
  ['a line that is none', (lines) => [...lines, 'nonsense'], ['broken-line']],
])('%s shows', async ([, edit, codes]) => {
  const { change, verify } = await written();
  change(edit);
  const { ok, problems } = await verify();
  expect([ok, problems.map(({ code }) => code)]).toEqual([false, codes]);
});

test('a cut at each byte of the end shows, or is found and noted by the next writer', async () => {
  const { file, text, verify, open, headFile } = await written();
  const head = await readFile(headFile, 'utf8');
  const last = text.trimEnd().lastIndexOf('\n') + 1;
  for (let at = last - 40; at < text.length; at += 7) {
    writeFileSync(file, text);
    writeFileSync(headFile, head);
    truncateSync(file, at);
    expect([at, (await verify()).ok]).toEqual([at, false]);
  }
  // A writer that was killed in a line: the head is that of the line before.
  const lines = text.trim().split('\n');
  const before = JSON.parse(lines.at(-2) ?? '') as { seq: number; mac: string };
  writeFileSync(headFile, JSON.stringify({ seq: before.seq, mac: before.mac }));
  writeFileSync(file, text);
  truncateSync(file, text.length - 20);
  const gate = open();
  await gate.close();
  expect(await verify()).toMatchObject({ ok: true, repaired: 1, unclosed: 1 });
});

test('a rewritten file shows without the key, and the wrong key is no key', async () => {
  const { file, base, verify, headFile } = await written();
  const other = createToolgate({
    tools: [echo],
    permissions: () => allow('x', 'all'),
    plugins: [
      auditLog({
        file: join(base, 'forged.jsonl'),
        keyFile: join(base, 'other.key'),
        headFile: join(base, 'other-head'),
      }),
    ],
  });
  for (let calls = 0; calls < 5; calls += 1) await other.run(use('forged'));
  await other.close();
  await copyFile(join(base, 'forged.jsonl'), file);
  expect((await verify()).ok).toBe(false);
  await writeFile(join(base, 'bad.key'), 'short');
  expect(() => auditKey(join(base, 'bad.key'), false)).toThrow('holds no audit key');
  await rm(headFile);
  expect((await verify()).problems.map(({ code }) => code)).toContain('no-head');
});

test('a file that is long is put aside, and the chain goes on over all of them', async () => {
  const { base, open, verify } = await places();
  const gate = open({ maxBytes: 1_500 });
  for (let calls = 0; calls < 12; calls += 1) await gate.run(use(`call ${calls}`));
  await gate.close();
  const files = await readdir(join(base, 'log'));
  expect(files.length).toBeGreaterThan(3);
  const report = await verify();
  expect([report.ok, report.problems, report.unclosed, report.files.length]).toEqual([
    true,
    [],
    0,
    files.length,
  ]);

  const [oldest = ''] = report.files;
  await rm(oldest);
  expect((await verify()).problems.map(({ code }) => code)).toEqual(['missing']);
});

test('two writers of one log are one too many', async () => {
  const { open } = await places();
  const gate = open();
  expect(() => open()).toThrow(/process \d+ writes this audit log/);
  await gate.close();
  await open().close();
});

test('no line, no run: when the log cannot be written the tool does not run, unless that was allowed', async () => {
  for (const runsUnaudited of [false, true]) {
    const { base, open } = await places();
    const gate = open({ runsUnaudited, headFile: join(base, 'heads/head.json') });
    expect((await gate.run(use('a'))).outcome).toBe('ok');
    // Where the head is kept is gone, as with a disk that is taken out.
    await rm(join(base, 'heads'), { recursive: true });
    const { outcome } = await gate.run(use('b'));
    expect([runsUnaudited, outcome]).toEqual([runsUnaudited, runsUnaudited ? 'ok' : 'failed']);
    await gate.close();
  }
});

test('a writer that is killed at any instant leaves a log that verifies once it was opened again', async () => {
  const { file, keyFile, headFile, open, verify } = await places();
  const program = `
    import { allow, buildTool, createToolgate } from '@toolgate/core';
    import { auditLog } from ${JSON.stringify(new URL('../src/index.ts', import.meta.url).href)};
    import { z } from 'zod';
    const tool = buildTool({ name: 'T', description: 'x', inputSchema: z.object({}), call: () => ({ data: 1 }) });
    const gate = createToolgate({ tools: [tool], permissions: () => allow('x', 'all'), plugins: [auditLog(${JSON.stringify({ file, keyFile, headFile })})] });
    for (let n = 0; ; n += 1) {
      await gate.run({ type: 'tool_use', id: String(n), name: 'T', input: {} });
      process.stdout.write('.');
    }`;
  for (const calls of [1, 20, 55]) {
    const child = spawn(
      process.execPath,
      ['--conditions=@toolgate/source', '--input-type=module', '-e', program],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
        cwd: new URL('..', import.meta.url),
      },
    );
    let seen = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      seen += chunk.length;
      if (seen >= calls) child.kill('SIGKILL');
    });
    await once(child, 'exit');
    await open().close();
    const { ok, problems } = await verify();
    expect([ok, problems]).toEqual([true, []]);
  }
}, 60_000);

test('many calls at once lose no line and keep their order in the chain', async () => {
  const { open, verify } = await places();
  const gate = open();
  await Promise.all(Array.from({ length: 200 }, (_, index) => gate.run(use(`${index}`))));
  await gate.close();
  expect(await verify()).toMatchObject({ ok: true, lines: 602 });
});

test('a log that was appended to by hand shows', async () => {
  const { file, verify } = await written();
  appendFileSync(file, readFileSync(file, 'utf8').split('\n')[1] + '\n');
  expect((await verify()).ok).toBe(false);
});
