import { appendFile, chmod, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { emptyFolder, ended, start, toolgate, use } from './helpers/toolgate.ts';

const contents = (lines: readonly any[]): readonly unknown[] =>
  lines.flatMap(({ content }) => content.map((block: { content: unknown }) => block.content));
const count = async (file: string): Promise<number> =>
  (await readFile(file, 'utf8').catch(() => '')).split('\n').length - 1;
const args = (...more: readonly string[]) => [
  'run',
  '--session',
  'S',
  '--mode',
  'bypassPermissions',
  ...more,
];

/** Each test starts several processes, on whatever machine. */
const unhurried = { timeout: 120_000 };

describe('run --session', unhurried, () => {
  test('the same lines again give the stored results and run nothing; other lines go on', async () => {
    const cwd = await emptyFolder();
    const one = use('Bash', { command: 'echo x >> log; wc -l < log' }, 'a');
    const two = use('Bash', { command: 'echo x >> log; wc -l < log' }, 'b');
    const first = await toolgate(args(), { cwd, input: one + two });
    expect(contents(first.lines)).toEqual(['1', '2']);
    const again = await toolgate(args(), { cwd, input: one + two });
    expect([again.stdout, again.code]).toEqual([first.stdout, 0]);
    // A part of them, at another place, is the same calls.
    expect(contents((await toolgate(args(), { cwd, input: two })).lines)).toEqual(['2']);
    const three = use('Bash', { command: 'echo x >> log; wc -l < log' }, 'c');
    const more = await toolgate(args(), { cwd, input: one + two + three });
    expect(contents(more.lines)).toEqual(['1', '2', '3']);
    // Without the session nothing is remembered.
    await toolgate(['run', '--mode', 'bypassPermissions'], { cwd, input: one });
    expect(await count(join(cwd, 'log'))).toBe(4);
  });
  test('a stored result is not handed out when a rule denies the call now', async () => {
    const cwd = await emptyFolder();
    const line = use('Bash', { command: 'echo x >> log; echo secret' });
    expect(contents((await toolgate(args(), { cwd, input: line })).lines)).toEqual(['secret']);
    const denied = await toolgate(args('--deny', 'Bash(echo *)'), { cwd, input: line });
    expect(contents(denied.lines)).toEqual([
      '<tool_use_error>A permission rule forbids this.</tool_use_error>',
    ]);
    // Nobody is asked again about what was allowed: no mode and no rule is needed.
    const plain = await toolgate(['run', '--session', 'S'], { cwd, input: line });
    expect(contents(plain.lines)).toEqual(['secret']);
  });
  test('an id that was another call is refused', async () => {
    const cwd = await emptyFolder();
    await toolgate(args(), { cwd, input: use('Bash', { command: 'echo a' }) });
    const other = await toolgate(args(), { cwd, input: use('Bash', { command: 'echo b' }) });
    expect(contents(other.lines)[0]).toContain('was used for another call');
  });
  test('a large result stays where the model was told, is free to read, and stays the same', async () => {
    const cwd = await emptyFolder();
    const large = use('Bash', { command: 'seq 20000' }, 'a');
    const first = contents((await toolgate(args(), { cwd, input: large })).lines)[0];
    const path = /\S*\/S\/results\/\S+\.txt/.exec(String(first))?.[0] ?? '';
    expect((await readFile(path, 'utf8')).split('\n').length).toBeGreaterThanOrEqual(20_000);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const read = use('Read', { file_path: path, offset: 19_999, limit: 1 }, 'b');
    const again = await toolgate(['run', '--session', 'S'], { cwd, input: large + read });
    expect(contents(again.lines)[0]).toBe(first);
    expect(contents(again.lines)[1]).toContain('19999');
  });
  test('the folder a command changed to is taken up again', async () => {
    const cwd = await emptyFolder();
    await mkdir(join(cwd, 'sub'));
    const cd = use('Bash', { command: 'cd sub' }, 'a');
    await toolgate(args(), { cwd, input: cd });
    const next = await toolgate(args(), { cwd, input: cd + use('Bash', { command: 'pwd' }, 'b') });
    expect(contents(next.lines)[1]).toBe(join(cwd, 'sub'));
  });
  test('what was refused is decided again, and refusals go on counting', async () => {
    const cwd = await emptyFolder();
    const line = use('Bash', { command: 'echo x > log' });
    const run = (more: readonly string[] = []) =>
      toolgate(['run', '--session', 'S', ...more], { cwd, input: line });
    expect(contents((await run()).lines)[0]).toContain('nothing ran');
    await run();
    expect(contents((await run()).lines)[0]).toContain('refused 3 times in a row');
    expect(contents((await run(['--mode', 'bypassPermissions'])).lines)).toEqual(['(No output.)']);
  });
  test('the folder is private, and nothing else is taken for one', async () => {
    const cwd = await emptyFolder();
    await mkdir(join(cwd, 'S'), { mode: 0o755 });
    await toolgate(args(), { cwd, input: use('Bash', { command: 'true' }) });
    expect((await stat(join(cwd, 'S'))).mode & 0o777).toBe(0o700);
    expect((await stat(join(cwd, 'S', 'session.db'))).mode & 0o777).toBe(0o600);
    await chmod(join(cwd, 'S', 'session.db'), 0o600);
    await symlink(join(cwd, 'S'), join(cwd, 'link'));
    const link = await toolgate(['run', '--session', 'link'], { cwd, input: '' });
    expect([link.code, link.stderr]).toEqual([
      2,
      `toolgate: --session: ${join(cwd, 'link')} is a link or a file, not a folder\n`,
    ]);
    await mkdir(join(cwd, 'odd'));
    await writeFile(join(cwd, 'odd', 'session.db'), 'this is no database, whatever its name says');
    const odd = await toolgate(['run', '--session', 'odd'], { cwd, input: '' });
    expect(odd.code).toBe(2);
    expect(odd.stderr).toMatch(/^toolgate: --session: \S+session\.db is no session .*\n$/);
  });
});

/** A gate whose one tool counts its runs in a file, and which kills its own process at one instant. */
const suicidal = (core: string, toolgatePackage: string, idempotent: boolean) => `
import { appendFileSync } from 'node:fs';
const { buildTool } = await import(${JSON.stringify(core)});
const { openSession } = await import(${JSON.stringify(toolgatePackage)});
const at = (instant) => {
  if (process.env.KILL_AT === instant) process.kill(process.pid, 'SIGKILL');
};
const { id, ledger } = await openSession('S');
export default {
  sessionId: id,
  permissions: () => ({ behavior: 'allow', reason: '', covers: 'all' }),
  ledger: {
    find: (key) => (at('find'), ledger.find(key)),
    claim: (key) => {
      at('before claim');
      const claim = ledger.claim(key);
      at('after claim');
      return claim;
    },
    complete: (key, result) => {
      at('before complete');
      ledger.complete(key, result);
      at('after complete');
    },
    forget: () => at('forget'),
  },
  tools: [
    buildTool({
      name: 'Count',
      description: '',
      inputJSONSchema: { type: 'object' },
      isIdempotent: () => ${idempotent},
      call: async () => {
        at('before effect');
        appendFileSync('log', 'x\\n');
        at('after effect');
        return { data: 'counted' };
      },
    }),
  ],
};
`;

describe('kill -9', unhurried, () => {
  const unknown =
    '<tool_use_error>This call was started before and how it ended is not known; it was not run again. Check what it did before sending it again.</tool_use_error>';
  const modules = [import.meta.resolve('@toolgate/core'), import.meta.resolve('toolgate')] as const;
  test.for<[string, number, string]>([
    ['find', 1, 'counted'],
    ['before claim', 1, 'counted'],
    ['after claim', 0, unknown],
    ['before effect', 0, unknown],
    ['after effect', 1, unknown],
    ['before complete', 1, unknown],
    ['after complete', 1, 'counted'],
    ['forget', 1, 'counted'],
  ])(
    '%s: the call ran %i times at the end, and the model reads what is so',
    async ([instant, ran, content]) => {
      const cwd = await emptyFolder();
      await writeFile(join(cwd, 'gate.mjs'), suicidal(...modules, false));
      const run = async (environment: Readonly<Record<string, string>>) => {
        const child = start(['run', '--config', 'gate.mjs'], cwd, environment);
        child.stdin.on('error', () => undefined).end(use('Count', {}));
        return ended(child);
      };
      expect((await run({ KILL_AT: instant })).signal).toBe('SIGKILL');
      const second = await run({});
      expect(contents(second.lines)).toEqual([content]);
      expect(contents((await run({})).lines)).toEqual([content]);
      expect(await count(join(cwd, 'log'))).toBe(ran);
    },
  );
  test('a call that says it is idempotent runs again', async () => {
    const cwd = await emptyFolder();
    await writeFile(join(cwd, 'gate.mjs'), suicidal(...modules, true));
    const run = async (environment: Readonly<Record<string, string>>) => {
      const child = start(['run', '--config', 'gate.mjs'], cwd, environment);
      child.stdin.on('error', () => undefined).end(use('Count', {}));
      return ended(child);
    };
    await run({ KILL_AT: 'after effect' });
    expect(contents((await run({})).lines)).toEqual(['counted']);
    expect(await count(join(cwd, 'log'))).toBe(2);
  });
  test('at any event of a run, each call runs at most once and gets its result', async () => {
    const cwd = await emptyFolder();
    const command = (id: string) => `echo ${id} >> log; sleep 0.02; echo ${id}`;
    const ids = ['a', 'b', 'c'];
    const input = ids.map((id) => use('Bash', { command: command(id) }, id)).join('');
    let events = 0;
    const step = process.env['TOOLGATE_DEEP'] === '1' ? 1 : 13;
    for (let limit = 4; limit < 60; limit += step) {
      const child = start(args('--events'), cwd);
      child.stdin.on('error', () => undefined).end(input);
      events = 0;
      child.stderr.on('data', (text: Buffer) => {
        events += String(text).split('\n').length - 1;
        if (events >= limit) child.kill('SIGKILL');
      });
      await ended(child);
    }
    const last = await toolgate(args(), { cwd, input });
    expect(contents(last.lines)).toHaveLength(3);
    for (const [index, content] of contents(last.lines).entries())
      expect([ids[index], unknown]).toContain(content);
    const log = (await readFile(join(cwd, 'log'), 'utf8')).trim().split('\n');
    expect(new Set(log).size).toBe(log.length);
  });
});

test(
  'a prompt that was open when its process died is named, and asked again',
  unhurried,
  async () => {
    const cwd = await emptyFolder();
    const config = `
const { buildTool } = await import(${JSON.stringify(import.meta.resolve('@toolgate/core'))});
export default {
  tools: [buildTool({ name: 'Ask', description: '', inputJSONSchema: { type: 'object' }, call: () => ({ data: 'ran' }) })],
  dialog: () => process.env.ANSWER ? Promise.resolve({ behavior: 'allow' }) : new Promise(() => process.stderr.write('open')),
};`;
    await writeFile(join(cwd, 'gate.mjs'), config);
    const flags = ['run', '--session', 'S', '--config', 'gate.mjs'];
    const child = start(flags, cwd);
    child.stdin.end(use('Ask', {}));
    child.stderr.on('data', (text: Buffer) => {
      if (String(text).includes('open')) child.kill('SIGKILL');
    });
    await ended(child);
    await appendFile(join(cwd, 'lines'), use('Ask', {}));
    const second = start([...flags, 'lines'], cwd, { ANSWER: '1' });
    const { stderr, lines } = await ended(second);
    expect(stderr).toContain(
      'a prompt of an earlier run was never answered, and is asked again: Ask: ',
    );
    expect(contents(lines)).toEqual(['ran']);
    const third = await toolgate([...flags, 'lines'], { cwd });
    expect(third.stderr).not.toContain('never answered');
  },
);
