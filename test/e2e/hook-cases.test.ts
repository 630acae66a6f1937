// What public hook scripts do (H01 to H30), each through the command with a script of its own.
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { bash, envelope, hookProject, node, python, type Ran } from './helpers/hook-project.ts';
import { ended, root, start, toolgate, use } from './helpers/toolgate.ts';

const hasPython = spawnSync('python3', ['--version']).status === 0;
const hook = (command: string, more: object = {}) => ({ type: 'command', command, ...more });
const pre = (...hooks: readonly object[]) => ({
  hooks: { PreToolUse: [{ matcher: 'Bash', hooks }] },
});
const ran = { isError: false, result: expect.stringContaining('hi') };
const notRan = { isError: true };

interface Case {
  readonly script: string;
  readonly more?: object;
  readonly settings?: object;
  readonly expect: Partial<Record<keyof Ran, unknown>>;
}

/** A script before Bash, written in whichever language, and how the call ends. */
const cases: Readonly<Record<string, Case>> = {
  'H01 reads everything, says nothing': {
    script: python('import sys\nsys.stdin.read()'),
    expect: ran,
  },
  'H02 a plain sentence is no decision': {
    script: node("process.stdin.resume().on('end', () => console.log('Looks fine.'))"),
    expect: { ...ran, after: [] },
  },
  'H03 exit 2 blocks with the reason on standard error': {
    script: python('import sys\nsys.stderr.write("Not on Fridays.\\n")\nsys.exit(2)'),
    expect: { ...notRan, result: expect.stringContaining('Not on Fridays.') },
  },
  'H04 exit 1 is reported and lets the call run': {
    script: node("console.error('no rules file'); process.exit(1)"),
    expect: {
      ...ran,
      stderr: expect.stringContaining('non-blocking status code 1: no rules file'),
    },
  },
  'H05 the deny envelope': {
    script: node(
      `console.log(${JSON.stringify(envelope('deny', { permissionDecisionReason: 'Ask first.' }))})`,
    ),
    expect: { ...notRan, result: expect.stringContaining('Ask first.') },
  },
  'exit 2 with the reason in JSON and nothing on standard error': {
    script: bash(
      `printf '%s' '${envelope('deny', { permissionDecisionReason: 'In JSON.' })}'; exit 2`,
    ),
    expect: { ...notRan, result: expect.stringContaining('In JSON.') },
  },
  'a deny counts beside exit 1': {
    script: bash(
      `printf '%s' '${envelope('deny', { permissionDecisionReason: 'Still no.' })}'; exit 1`,
    ),
    expect: { ...notRan, result: expect.stringContaining('Still no.') },
  },
  'a deny after noise of a start-up file counts, with a diagnostic': {
    script: bash(`echo 'nvm: using 22'; printf '%s' '${envelope('deny')}'`),
    expect: { ...notRan, stderr: expect.stringContaining('not the protocol') },
  },
  'a flat permissionDecision is reported': {
    script: bash(`echo '{"permissionDecision":"allow"}'`),
    expect: { ...ran, stderr: expect.stringContaining('must stand in "hookSpecificOutput"') },
  },
  'H08 a deny rule beats a hook’s allow': {
    script: bash(`printf '%s' '${envelope('allow')}'`),
    settings: { permissions: { deny: ['Bash(echo:*)'] } },
    expect: notRan,
  },
  'H09 an ask rule still asks: headless, denied': {
    script: bash(`printf '%s' '${envelope('allow')}'`),
    settings: { permissions: { ask: ['Bash(echo:*)'] } },
    expect: notRan,
  },
  'H10 a hook’s ask beats an allow rule and bypass': {
    script: bash(`printf '%s' '${envelope('ask')}'`),
    settings: { permissions: { allow: ['Bash'], defaultMode: 'bypassPermissions' } },
    expect: notRan,
  },
  'H11 the rewritten command runs': {
    script: bash(
      `printf '%s' '${envelope('allow', { updatedInput: { command: 'echo rewritten' } })}'`,
    ),
    expect: { isError: false, result: expect.stringContaining('rewritten') },
  },
  'H13 a rewrite of a wrong type is an invalid input that names the hook': {
    script: bash(`printf '%s' '${envelope('allow', { updatedInput: { command: 42 } })}'`),
    expect: { ...notRan, result: expect.stringMatching(/InputValidationError[\s\S]*hooks/) },
  },
  'H13 a rewrite without the command is one, too': {
    script: bash(`printf '%s' '${envelope('allow', { updatedInput: {} })}'`),
    expect: { ...notRan, result: expect.stringContaining('InputValidationError') },
  },
  'H17 past its limit it is killed with its children, and decides nothing': {
    script: bash('sleep 60 & echo $! > child; wait; exit 2'),
    more: { timeout: 1 },
    expect: { ...ran, stderr: expect.stringContaining('timed out after 1 s') },
  },
  'H17 with onFailure block it denies': {
    script: bash('sleep 60'),
    more: { timeout: 0.2, onFailure: 'block' },
    expect: notRan,
  },
  'H19 a hook that waits for the end of its input gets it': {
    script: bash('cat > seen'),
    expect: ran,
  },
  'H21 an echo of its input decides nothing': {
    script: python('import sys\nsys.stdout.write(sys.stdin.read())'),
    expect: { ...ran, after: [] },
  },
  '1 MB on standard error is bounded': {
    script: bash('head -c 1048576 /dev/zero | tr "\\0" x >&2; exit 2'),
    expect: { ...notRan, result: expect.stringMatching(/^[\s\S]{10000,10500}$/) },
  },
};

test.each(
  Object.entries(cases).filter(([, { script }]) => hasPython || !script.includes('python3')),
)('%s', { timeout: 30_000 }, async (_, { script, more, settings = {}, expect: expected }) => {
  const project = await hookProject();
  const command = await project.script('guard', script);
  await project.settings({ ...settings, ...pre(hook(command, more)) });
  const end = await project.run();
  expect(end).toMatchObject(expected);
  const child = Number(await project.read('child'));
  expect(child === 0 || (await isGone(child))).toBe(true);
});

/** True for a process that is no more, or that waits only to be reaped by somebody else. */
async function isGone(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => 'State:\tZ');
  return /^State:\s+Z/m.test(status);
}

test('H14, H15: deny beats ask beats allow, whatever the speed', { timeout: 30_000 }, async () => {
  const project = await hookProject();
  const says = (decision: string) => hook(`sleep 0.2; printf '%s' '${envelope(decision)}'`);
  const fast = hook(`printf '%s' '${envelope('allow')}'`);
  for (const decision of ['deny', 'ask']) {
    await project.settings(pre(fast, says(decision)));
    expect(await project.run()).toMatchObject(notRan);
  }
});

test('H24: a command that does not exist is loud, and the call runs', async () => {
  const project = await hookProject();
  await project.settings(pre(hook('/no/such/guard --strict')));
  expect(await project.run()).toMatchObject({
    ...ran,
    stderr: expect.stringMatching(/error: .*\/no\/such\/guard --strict.*exit code 127/),
  });
});

test('H25: a project folder with a space, quoted and in exec form', async () => {
  const project = await hookProject('my project');
  await project.script('guard', bash('echo "$CLAUDE_PROJECT_DIR" >> seen'));
  await project.settings(
    pre(hook('"$CLAUDE_PROJECT_DIR"/guard'), hook('${CLAUDE_PROJECT_DIR}/guard', { args: [] })),
  );
  expect(await project.run()).toMatchObject(ran);
  expect(await project.read('seen')).toBe(`${project.folder}\n`.repeat(2));
});

test('H26: exit 2 after an edit is feedback; the edit stays and is no error', async () => {
  const project = await hookProject();
  await writeFile(join(project.folder, 'a.txt'), 'one\n');
  const command = await project.script(
    'lint',
    node("console.error('Line 1 has no header.'); process.exit(2)"),
  );
  await project.settings({
    hooks: { PostToolUse: [{ matcher: 'Write|Edit', hooks: [hook(command)] }] },
  });
  const end = await project.run({
    flags: ['--allow', 'Write'],
    tool: 'Write',
    input: { file_path: join(project.folder, 'b.txt'), content: 'two\n' },
  });
  expect(end).toMatchObject({ isError: false, after: ['Line 1 has no header.'] });
  expect(await project.read('b.txt')).toBe('two\n');
});

test('H28: after a failing command only the failure hook runs, with the error text', async () => {
  const project = await hookProject();
  const note = hook('cat >> seen');
  await project.settings({
    hooks: { PostToolUse: [{ hooks: [note] }], PostToolUseFailure: [{ hooks: [note] }] },
  });
  const end = await project.run({ flags: ['--allow', 'Bash'], input: { command: 'exit 3' } });
  const seen: unknown = JSON.parse(await project.read('seen'));
  expect(seen).toMatchObject({
    hook_event_name: 'PostToolUseFailure',
    error: expect.stringContaining('3'),
  });
  expect(end.stderr).not.toContain('hook');
});

test(
  'H30: an HTTP hook that fails, denies, and talks plain text',
  { timeout: 30_000 },
  async () => {
    const answers: readonly [number, string][] = [
      [500, ''],
      [200, envelope('deny')],
      [200, 'fine'],
    ];
    let count = 0;
    const server = createServer((request, response) => {
      const [status, body] = answers[count++] ?? [404, ''];
      request.resume().on('end', () => response.writeHead(status).end(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
    const { port } = server.address() as AddressInfo; // it listens on a port
    const project = await hookProject();
    await project.settings(pre({ type: 'http', url: `http://127.0.0.1:${port}/` }));

    expect(await project.run()).toMatchObject({
      ...ran,
      stderr: expect.stringContaining('status 500'),
    });
    expect(await project.run()).toMatchObject(notRan);
    expect(await project.run()).toMatchObject(ran);
  },
);

test(
  'an HTTP hook over TLS counts when its certificate is vouched for, and has failed otherwise',
  { timeout: 30_000 },
  async () => {
    const at = (name: string) => `${root}/packages/hooks/test/fixtures/${name}`;
    const [key, cert] = await Promise.all([
      readFile(at('localhost-key.pem')),
      readFile(at('localhost-cert.pem')),
    ]);
    const server = createTlsServer({ key, cert }, (request, response) =>
      request.resume().on('end', () => response.end(envelope('deny'))),
    );
    server.on('tlsClientError', () => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
    const { port } = server.address() as AddressInfo; // it listens on a port
    const project = await hookProject();
    await project.settings(pre({ type: 'http', url: `https://localhost:${port}/` }));

    expect(await project.run()).toMatchObject(ran);
    const child = start(['run'], project.folder, { NODE_EXTRA_CA_CERTS: at('localhost-cert.pem') });
    child.stdin.end(use('Bash', { command: 'echo hi' }));
    const { lines } = await ended(child);
    expect(lines[0].content[0].is_error).toBe(true);
  },
);

test('matchers: which hooks mean a tool, and what is wrong with one', async () => {
  const project = await hookProject();
  const group = (matcher: string | undefined) => ({
    ...(matcher !== undefined && { matcher }),
    hooks: [hook(`echo '${matcher ?? 'none'}' >> seen`)],
  });
  const matchers = [
    '',
    '*',
    undefined,
    'Bash',
    'bash',
    'Write|Edit',
    'Read, Bash',
    '^Ba',
    'Bash(echo:*)',
  ];
  await project.settings({ hooks: { PreToolUse: matchers.map(group) } });
  const { stderr } = await project.run();
  expect((await project.read('seen')).split('\n').filter(Boolean).toSorted()).toEqual(
    ['', '*', 'none', 'Bash', 'Read, Bash', '^Ba'].filter(Boolean).toSorted(),
  );
  expect(stderr).toContain('is a permission rule, and a matcher names tools only');
});

test('the same handler in two settings files runs once; a type in another case is reported', async () => {
  const project = await hookProject();
  await project.settings(pre(hook('echo x >> seen'), { type: 'Command', command: 'true' }));
  const more = join(project.folder, 'more.json');
  await writeFile(more, JSON.stringify(pre(hook('echo x >> seen'))));
  const { stderr } = await project.run({ flags: ['--settings', more] });
  expect(await project.read('seen')).toBe('x\n');
  expect(stderr).toContain('Did you mean "command"?');
});

test('an event in another case is reported once, with the right one', async () => {
  const project = await hookProject();
  await project.settings({ hooks: { preToolUse: [{ hooks: [hook('echo no >&2; exit 2')] }] } });
  const { stderr, isError } = await project.run();
  expect([isError, stderr.match(/write it "PreToolUse"/g)?.length]).toEqual([false, 1]);
});

test(
  'headless, a PermissionRequest hook settles the ask of a rule, and no critical removal',
  { timeout: 30_000 },
  async () => {
    const project = await hookProject();
    const decision = { behavior: 'allow' };
    const answer = { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } };
    const command = await project.script(
      'answer',
      node(`console.log('${JSON.stringify(answer)}')`),
    );
    await project.settings({
      permissions: { ask: ['Bash(touch *)'] },
      hooks: { PermissionRequest: [{ matcher: 'Bash', hooks: [hook(command)] }] },
    });
    expect(await project.run({ input: { command: 'touch made' } })).toMatchObject({
      isError: false,
    });
    expect(await project.run({ input: { command: 'rm -rf /' } })).toMatchObject({
      isError: true,
      stderr: expect.stringContaining('needs a person'),
    });
  },
);

test('a tool that edits the settings does not change the hooks of the running turn', async () => {
  const project = await hookProject();
  await project.settings(pre(hook('echo no >&2; exit 2', { if: 'Bash(touch *)' })));
  const steps = ['echo {} > .claude/settings.json', 'touch made'];
  const content = steps.map((command, index) => ({
    type: 'tool_use',
    id: `toolu_${index}`,
    name: 'Bash',
    input: { command },
  }));
  const { lines } = await toolgate(
    ['run', '--trust', '--allow', 'Bash', '--mode', 'bypassPermissions'],
    {
      cwd: project.folder,
      input: `${JSON.stringify({ role: 'assistant', content })}\n`,
    },
  );
  expect(lines[0].content.map(({ is_error = false }) => is_error)).toEqual([false, true]);
});

test(
  'H09, H10, H15 with somebody to ask: the dialog is shown, and its yes runs the call',
  { timeout: 30_000 },
  async () => {
    const project = await hookProject();
    const from = (name: string) => JSON.stringify(`${root}/packages/${name}/src/index.ts`);
    const config = join(project.folder, 'gate.config.mjs');
    await writeFile(
      config,
      `import { appendFile } from 'node:fs/promises';
import { bashClassifier } from ${from('classifier')};
import { diskFacts } from ${from('core')};
import { commandHooks } from ${from('hooks')};
import { modes, rulesBackend, ruleMatcher } from ${from('permissions')};
import { readSettings } from ${from('settings')};
import { builtinTools } from ${from('tools-builtin')};
const cwd = ${JSON.stringify(project.folder)};
const facts = diskFacts(cwd);
export default {
  tools: builtinTools,
  facts,
  plugins: [bashClassifier(), modes({ facts }), commandHooks()],
  permissions: rulesBackend({ facts }),
  matcher: ruleMatcher({ facts }),
  settings: await readSettings({ cwd, home: cwd, settingsFiles: [], trusted: true }),
  dialog: async ({ reason }) => {
    await appendFile(cwd + '/asked', reason + '\\n');
    return { behavior: 'allow' };
  },
};
`,
    );
    const says = (decision: string) => hook(`printf '%s' '${envelope(decision)}'`);
    for (const settings of [
      { permissions: { ask: ['Bash(echo:*)'] }, ...pre(says('allow')) },
      { permissions: { allow: ['Bash'], defaultMode: 'bypassPermissions' }, ...pre(says('ask')) },
      pre(says('ask'), says('allow')),
    ]) {
      await project.settings(settings);
      const { lines } = await toolgate(['run', '--config', config], {
        cwd: project.folder,
        input: use('Bash', { command: 'echo hi' }),
      });
      expect(lines[0].content[0].content).toContain('hi');
    }
    expect((await project.read('asked')).split('\n').filter(Boolean)).toHaveLength(3);
  },
);
