import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { emptyFolder, ended, start, toolgate, use } from './helpers/toolgate.ts';

test('cat of a file in the folder needs no rule and returns its text', async () => {
  const cwd = await emptyFolder();
  await writeFile(join(cwd, 'in.txt'), 'hello from the file\n');

  const { code, lines } = await toolgate(['run'], {
    cwd,
    input: use('Bash', { command: 'cat in.txt' }),
  });

  expect({ code, lines }).toEqual({
    code: 0,
    lines: [
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_1',
            content: expect.stringContaining('hello from the file'),
          },
        ],
      },
    ],
  });
});

test('touch without a rule is refused with a reason, and nothing ran', async () => {
  const cwd = await emptyFolder();

  const { code, lines } = await toolgate(['run'], {
    cwd,
    input: use('Bash', { command: 'touch ran' }),
  });

  expect(code).toBe(0);
  expect(lines[0].content).toEqual([
    {
      type: 'tool_result',
      tool_use_id: 'toolu_1',
      is_error: true,
      content: expect.stringMatching(/^<tool_use_error>.+<\/tool_use_error>$/),
    },
  ]);
  expect(existsSync(join(cwd, 'ran'))).toBe(false);
});

test('touch with an allow rule runs', async () => {
  const cwd = await emptyFolder();

  const { lines } = await toolgate(['run', '--allow', 'Bash(touch *)'], {
    cwd,
    input: use('Bash', { command: 'touch ran' }),
  });

  expect(lines[0].content[0].is_error).toBeUndefined();
  expect(existsSync(join(cwd, 'ran'))).toBe(true);
});

test('a deny rule beats an allow rule, also in a later part of a command', async () => {
  const cwd = await emptyFolder();
  const flags = ['--allow', 'Bash', '--deny', 'Bash(touch *)'];

  const { lines } = await toolgate(['run', ...flags], {
    cwd,
    input: use('Bash', { command: 'true && env X=1 touch ran' }),
  });

  expect(lines[0].content[0].is_error).toBe(true);
  expect(existsSync(join(cwd, 'ran'))).toBe(false);
});

test('a transcript under deny * gives one error per tool_use, in order, and leaves the folder empty', async () => {
  const cwd = await emptyFolder();
  const block = (id: string, name: string, input: unknown) => ({
    type: 'tool_use',
    id,
    name,
    input,
  });
  const transcript = [
    { type: 'summary', summary: 'a session' },
    { type: 'user', message: { role: 'user', content: 'Make a file.' } },
    {
      type: 'assistant',
      message: {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Yes.' },
          block('a', 'Write', { file_path: 'x', content: 'y' }),
          block('b', 'Bash', { command: 'touch y' }),
        ],
      },
    },
    {
      type: 'user',
      message: {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'a', content: 'ok' }],
      },
    },
    {
      type: 'assistant',
      message: { role: 'assistant', content: [block('c', 'TodoWrite', { todos: [] })] },
    },
    {
      type: 'assistant',
      message: { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
    },
  ];

  const { code, lines, stderr } = await toolgate(['run', '--deny', '*'], {
    cwd,
    input: transcript.map((line) => JSON.stringify(line)).join('\n'),
  });

  const results = lines.flatMap((line) => line.content);
  expect(results.map(({ tool_use_id, is_error }) => [tool_use_id, is_error])).toEqual([
    ['a', true],
    ['b', true],
    ['c', true],
  ]);
  expect(stderr).toContain('skipped 4 lines without a tool_use');
  expect(code).toBe(0);
  expect(await readdir(cwd)).toEqual([]);
});

test('a malformed line in the middle gives an error record, and the rest is processed', async () => {
  const cwd = await emptyFolder();
  await writeFile(join(cwd, 'in.txt'), 'text');
  const input = `${use('Read', { file_path: 'in.txt' }, 'a')}{"type":"tool_use",\n\n{"type":"tool_use","name":"Read","input":{}}\n[1]\n${use('Read', { file_path: 'in.txt' }, 'b')}`;

  const { code, lines, stderr } = await toolgate(['run'], { cwd, input });

  expect(code).toBe(2);
  expect(lines.map((line) => line.error?.line ?? line.content[0].tool_use_id)).toEqual([
    'a',
    2,
    4,
    5,
    'b',
  ]);
  expect(stderr.trim().split('\n')).toEqual([
    expect.stringMatching(/^toolgate: standard input:2: not JSON: /),
    'toolgate: standard input:4: a tool_use block needs "id" and "name" as texts, and "input"',
    'toolgate: standard input:5: not a JSON object',
  ]);
});

const wrongUses: readonly (readonly [string, readonly string[], RegExp])[] = [
  [
    'an unknown verb',
    ['rnu'],
    /^toolgate: unknown command 'rnu'; the verbs are run, explain, classify, .+$/,
  ],
  ['no verb', [], /^toolgate: which verb\? /],
  ['an unknown flag', ['run', '--alow', 'Bash'], /^toolgate: unknown option '--alow'.*--allow/],
  [
    'a flag without its value',
    ['run', '--allow'],
    /^toolgate: option '--allow <rule>' argument missing$/,
  ],
  [
    'a missing input file',
    ['run', 'nowhere.jsonl'],
    /^toolgate: cannot read nowhere\.jsonl: there is no such file$/,
  ],
  ['a folder as input', ['explain', '.'], /^toolgate: cannot read \.: it is a folder$/],
  ['a missing settings file', ['run', '--settings', 'nowhere.json'], /^toolgate: .*nowhere\.json/],
  [
    'a missing config',
    ['run', '--config', 'nowhere.mjs'],
    /^toolgate: --config nowhere\.mjs: there is no such file$/,
  ],
  [
    'an unknown mode',
    ['run', '--mode', 'paln'],
    /^toolgate: "paln" is no permission mode\. Did you mean "plan"\?/,
  ],
  [
    'a missing folder',
    ['run', '--cwd', 'nowhere'],
    /^toolgate: --cwd nowhere: there is no such folder$/,
  ],
  ['a rule that cannot be read', ['run', '--deny', 'Bash('], /^toolgate: --deny "Bash\(": /],
  [
    '--prompt without a terminal',
    ['run', '--prompt'],
    /^toolgate: --prompt needs a terminal, and there is none$/,
  ],
];
test.for(wrongUses)('%s is one line on standard error and exit 2', async ([, args, line]) => {
  const { code, stdout, stderr } = await toolgate(args, { cwd: await emptyFolder() });

  expect({ code, stdout, lines: stderr.trim().split('\n') }).toEqual({
    code: 2,
    stdout: '',
    lines: [expect.stringMatching(line)],
  });
});

test.for(['run', 'explain', 'classify', 'test', 'replay'])('%s has help', async (verb) => {
  const { code, stdout } = await toolgate([verb, '--help'], { cwd: await emptyFolder() });

  expect(code).toBe(0);
  expect(stdout).toContain(`Usage: toolgate ${verb}`);
});

test('SIGINT aborts: each open call gets its result, exit 130, no process left', async () => {
  const cwd = await emptyFolder();
  const child = start(['run', '--allow', 'Bash', '--allow', 'Edit(pid)'], cwd);
  const done = ended(child);
  child.stdin.write(
    JSON.stringify({
      role: 'assistant',
      content: [
        {
          type: 'tool_use',
          id: 'a',
          name: 'Bash',
          input: { command: 'echo $$ > pid; exec sleep 600' },
        },
        { type: 'tool_use', id: 'b', name: 'Bash', input: { command: 'touch never' } },
      ],
    }) + '\n',
  );
  const pid = await contentsOf(join(cwd, 'pid'));
  child.kill('SIGINT');

  const { code, lines } = await done;

  expect(code).toBe(130);
  expect(
    lines[0].content.map((block: { tool_use_id: string; is_error: boolean }) => [
      block.tool_use_id,
      block.is_error,
    ]),
  ).toEqual([
    ['a', true],
    ['b', true],
  ]);
  expect(existsSync(join(cwd, 'never'))).toBe(false);
  expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
});

/** Waits for a file that another process writes. */
async function contentsOf(file: string): Promise<string> {
  for (;;) {
    const text = await readFile(file, 'utf8').catch(() => '');
    if (text.endsWith('\n')) return text.trim();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test.for(['SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)(
  '%s ends a running command and its process, too',
  async (signal) => {
    const cwd = await emptyFolder();
    const child = start(['run', '--allow', 'Bash', '--allow', 'Edit(pid)'], cwd);
    const done = ended(child);
    child.stdin.write(use('Bash', { command: 'echo $$ > pid; exec sleep 600' }));
    const pid = await contentsOf(join(cwd, 'pid'));
    child.kill(signal);

    const { code, lines } = await done;

    expect({ code, isError: lines[0].content[0].is_error }).toEqual({ code: 130, isError: true });
    expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
  },
);

test('a link that leads nowhere is judged by the file that writing to it would make', async () => {
  const cwd = await emptyFolder();
  const outside = await emptyFolder();
  await symlink(join(outside, 'keys'), join(cwd, 'notes.txt'));
  await mkdir(join(cwd, '.git', 'hooks'), { recursive: true });
  await symlink('.git/hooks/pre-commit', join(cwd, 'hook.txt'));

  const { lines } = await toolgate(['run', '--mode', 'acceptEdits'], {
    cwd,
    input: ['echo x > notes.txt', 'touch notes.txt', 'echo x >> hook.txt', 'touch hook.txt']
      .map((command) => use('Bash', { command }))
      .join(''),
  });

  expect(lines.map((line) => line.content[0].is_error)).toEqual([true, true, true, true]);
  expect(await readdir(outside)).toEqual([]);
  expect(await readdir(join(cwd, '.git', 'hooks'))).toEqual([]);
});

test('SIGTERM while it waits for input ends it with 130', async () => {
  const cwd = await emptyFolder();
  await writeFile(join(cwd, 'in.txt'), 'x');
  const child = start(['run'], cwd);
  const done = ended(child);
  child.stdin.write(use('Read', { file_path: 'in.txt' }));
  await new Promise((resolve) => child.stdout.once('data', resolve));
  child.kill('SIGTERM');

  expect((await done).code).toBe(130);
});

test('--events writes what happens as JSON Lines on standard error, without inputs', async () => {
  const cwd = await emptyFolder();
  await writeFile(join(cwd, 'in.txt'), 'x');

  const { stderr } = await toolgate(['run', '--events'], {
    cwd,
    input: use('Read', { file_path: 'in.txt' }),
  });

  const events = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(
    events
      .filter(({ event }) => event === 'stage-end')
      .map(({ stage, outcome }) => [stage, outcome]),
  ).toEqual(
    ['lookup', 'validate', 'start', 'authorize', 'execute', 'result', 'post', 'emit'].map(
      (stage) => [stage, 'ok'],
    ),
  );
  expect(events.every(({ id, tool }) => id === 'toolu_1' && tool === 'Read')).toBe(true);
  expect(stderr).not.toContain('in.txt');
});

test('--config brings a gate of its own, and a deny flag still counts', async () => {
  const cwd = await emptyFolder();
  await writeFile(
    join(cwd, 'gate.mjs'),
    `const echo = { ...(await import(process.env.TOOLGATE_TEST_CORE)).buildTool({ name: 'Echo', description: 'x', inputSchema: (await import(process.env.TOOLGATE_TEST_ZOD)).z.object({ text: (await import(process.env.TOOLGATE_TEST_ZOD)).z.string() }), call: ({ text }) => ({ data: text }) }) };
     export default { tools: [echo], permissions: (call) => ({ behavior: 'allow', reason: 'mine', covers: 'all' }) };`,
  );
  process.env['TOOLGATE_TEST_CORE'] = import.meta.resolve('@toolgate/core');
  process.env['TOOLGATE_TEST_ZOD'] = import.meta.resolve('zod');

  const free = await toolgate(['run', '--config', 'gate.mjs'], {
    cwd,
    input: use('Echo', { text: 'hi' }),
  });
  const denied = await toolgate(['run', '--config', 'gate.mjs', '--deny', 'Echo'], {
    cwd,
    input: use('Echo', { text: 'hi' }),
  });

  expect(free.lines[0].content[0]).toEqual({
    type: 'tool_result',
    tool_use_id: 'toolu_1',
    content: 'hi',
  });
  expect(free.stderr).toContain(`config: ${join(cwd, 'gate.mjs')}`);
  expect(denied.lines[0].content[0].is_error).toBe(true);
});

const badConfigs: readonly (readonly [string, RegExp])[] = [
  [`export default { plugins: [5] };`, /option plugins must be a list of plugins/],
  [`export default { permisions: 1 };`, /unknown key "permisions"\. Did you mean "permissions"/],
  [`export default 5;`, /its default export must be the options of createToolgate/],
  [`throw new Error('broken');`, /--config bad\.mjs: broken/],
  [`await new Promise(() => {});`, /waits for ever/],
];
test.for(badConfigs)('a config that is `%s` is one line and exit 2', async ([text, line]) => {
  const cwd = await emptyFolder();
  await writeFile(join(cwd, 'bad.mjs'), text);

  for (const verb of ['run', 'explain']) {
    const { code, stdout, stderr } = await toolgate([verb, '--config', 'bad.mjs'], { cwd });
    const lines = stderr
      .trim()
      .split('\n')
      .filter((said) => !said.includes('config: '));
    expect({ code, stdout, lines }).toEqual({
      code: 2,
      stdout: '',
      lines: [expect.stringMatching(line)],
    });
  }
});

test('a rule that means nothing is reported, wherever it comes from', async () => {
  const cwd = await emptyFolder();
  const flags = await toolgate(['run', '--deny', 'Bahs(ls *)'], {
    cwd,
    input: use('Bash', { command: 'ls' }),
  });
  const lines = await toolgate(['explain'], {
    cwd,
    input: JSON.stringify({ tool: 'Bash', input: { command: 'ls' }, rules: { deny: ['Bash('] } }),
  });

  expect(flags.stderr).toContain('Bahs');
  expect(lines.stderr).toMatch(/^toolgate: standard input:1: error: .*Bash\(/);
});

test('a reader that closes early ends the command quietly; a full disk is one line and exit 2', async () => {
  const cwd = await emptyFolder();
  await writeFile(join(cwd, 'commands'), 'ls -la\n'.repeat(4_000));
  const child = start(['classify', 'commands'], cwd);
  child.stdout.once('data', () => child.stdout.destroy());
  const stderr: string[] = [];
  child.stderr.on('data', (text: Buffer) => stderr.push(text.toString()));
  const code = await new Promise((resolve) => child.on('close', resolve));

  expect({ code, stderr }).toEqual({ code: 0, stderr: [] });
});

test('a config is never looked for in the working folder', async () => {
  const cwd = await emptyFolder();
  for (const name of ['toolgate.config.mjs', 'toolgate.config.js', '.toolgate.mjs'])
    await writeFile(join(cwd, name), `throw new Error('loaded')`);

  expect((await toolgate(['run'], { cwd, input: use('Nope', {}) })).stderr).toBe('');
});

test('an untrusted folder only tightens; with --trust it loosens, too', async () => {
  const cwd = await emptyFolder();
  await mkdir(join(cwd, 'project', '.claude'), { recursive: true });
  const project = join(cwd, 'project');
  await writeFile(
    join(project, '.claude', 'settings.json'),
    JSON.stringify({
      permissions: {
        allow: ['Bash(touch *)'],
        deny: ['Read(secret)'],
        defaultMode: 'bypassPermissions',
      },
      hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'touch hook-ran' }] }] },
    }),
  );
  await writeFile(join(project, 'secret'), 'x');
  const input = use('Bash', { command: 'touch ran' }) + use('Read', { file_path: 'secret' });

  const untrusted = await toolgate(['run', '--cwd', project], { cwd, input });
  expect(untrusted.lines.map((line) => line.content[0].is_error)).toEqual([true, true]);
  expect(await readdir(project)).toEqual(['.claude', 'secret']);
  expect(untrusted.stderr).toContain('settings.json');

  const trusted = await toolgate(['run', '--cwd', project, '--trust'], { cwd, input });
  expect(trusted.lines.map((line) => line.content[0].is_error)).toEqual([undefined, true]);
  expect((await readdir(project)).toSorted()).toEqual(['.claude', 'hook-ran', 'ran', 'secret']);
});

test('a link that leads out of the folder is not read without being asked about', async () => {
  const cwd = await emptyFolder();
  const outside = await emptyFolder();
  await writeFile(join(outside, 'key'), 'private');
  await symlink(join(outside, 'key'), join(cwd, 'data.txt'));

  const { stdout } = await toolgate(['run'], {
    cwd,
    input: use('Read', { file_path: 'data.txt' }) + use('Bash', { command: 'cat data.txt' }),
  });

  expect(stdout).not.toContain('private');
});
