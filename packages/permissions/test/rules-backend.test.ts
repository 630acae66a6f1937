import { buildTool } from '@toolgate/core';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { rulesBackend, unknownTool } from '../src/index.ts';
import { command, entries, file, opinionsOn, startedCall, verdict } from './helpers/call.ts';
import { factsOf } from './helpers/vector-gate.ts';

test('an allow covers the units its rules name and no others', () => {
  const test1 = command('npm test');
  const units = [test1, command('npm publish'), file('Edit', '/p/out')];
  const [opinion, ...more] = opinionsOn({ units, rules: { allow: ['Bash(npm test)'] } });
  expect(more).toEqual([]);
  expect(opinion).toMatchObject({
    behavior: 'allow',
    covers: [test1],
    rule: { text: 'Bash(npm test)' },
  });
});

test('a bare Bash rule covers commands and not the files they write or read', () => {
  const rules = { allow: ['Bash'] };
  expect(verdict({ units: [command('npm test')], rules })).toBe('allow');
  expect(verdict({ units: [command('npm test'), file('Edit', '/p/a')], rules })).toBe('undecided');
  expect(verdict({ units: [command('cat /etc/x'), file('Read', '/etc/x')], rules })).toBe(
    'undecided',
  );
});

test.each([
  ['pattern', 'Bash(watch *)', 'allow'],
  ['exact', 'Bash(watch *)', 'undecided'],
  ['exact', 'Bash(watch ls)', 'allow'],
  ['exact', 'Bash', 'allow'],
  ['none', 'Bash(watch ls)', 'undecided'],
  ['none', 'Bash', 'undecided'],
] as const)('allowBy %s and %s: %s', (allowBy, rule, expected) => {
  expect(verdict({ units: [command('watch ls', { allowBy })], rules: { allow: [rule] } })).toBe(
    expected,
  );
});

test('deny and ask look into every reading, allow into none', () => {
  const units = [command('sudo rm -r x', { readings: ['rm -r x'] })];
  expect(verdict({ units, rules: { allow: ['Bash'], deny: ['Bash(rm *)'] } })).toBe('deny');
  expect(verdict({ units, rules: { allow: ['Bash'], ask: ['Bash(rm *)'] } })).toBe('ask');
  expect(verdict({ units, rules: { allow: ['Bash(rm *)'] } })).toBe('undecided');
});

test('unparsed text is denied by the words in it and never allowed by a pattern', () => {
  const units = [command('if rm -r "x', { unparsed: true })];
  expect(verdict({ units, rules: { allow: ['Bash'], deny: ['Bash(rm *)'] } })).toBe('deny');
  expect(verdict({ units, rules: { allow: ['Bash(if *)'] } })).toBe('undecided');
});

test('an opaque Bash call without effects is held to deny rules by its command', () => {
  const units = [{ tool: 'Bash', readOnly: false, allowBy: 'exact', own: true }] as const;
  const parts = { units, input: { command: 'ls; rm x' } };
  expect(verdict({ ...parts, rules: { allow: ['Bash'], deny: ['Bash(rm *)'] } })).toBe('deny');
  const whole = [command('ls; rm x', { allowBy: 'exact' })];
  expect(verdict({ units: whole, rules: { allow: ['Bash'], deny: ['Bash(rm *)'] } })).toBe('deny');
});

test('links: deny binds by either path, allow needs both', () => {
  const units = [file('Read', '/p/key', { realPath: '/h/.ssh/id', own: true })];
  const parts = { tool: 'Read', units };
  expect(verdict({ ...parts, rules: { allow: ['Read(/**)'] } })).toBe('undecided');
  expect(verdict({ ...parts, rules: { allow: ['Read(/**)', 'Read(~/.ssh/id)'] } })).toBe('allow');
  expect(verdict({ ...parts, rules: { allow: ['Read'], deny: ['Read(~/.ssh/**)'] } })).toBe('deny');
  expect(verdict({ ...parts, rules: { allow: ['Read'], deny: ['Read(/key)'] } })).toBe('deny');
});

test('a rule anchored at a folder that is a link binds both spellings', () => {
  const units = [file('Edit', '/private/p/.env', { own: true })];
  const parts = { tool: 'Edit', units, rules: { allow: ['Edit'], deny: ['Edit(.env)'] } };
  expect(verdict(parts, { '/p': '/private/p' })).toBe('deny');
  expect(verdict(parts)).toBe('allow');
});

test('a relative deny holds after the working directory moved', () => {
  const units = [file('Read', '/p/.env', { own: true })];
  const parts = { tool: 'Read', units, cwd: '/p/src', directories: ['/p'] };
  expect(verdict({ ...parts, rules: { allow: ['Read'], deny: ['Read(./.env)'] } })).toBe('deny');
  expect(verdict({ ...parts, rules: { allow: ['Read(.env)'] } })).toBe('undecided');
});

test.each([
  ['Read(.env)', 'ask'],
  ['Read(/sub/deep/x)', 'ask'],
  ['Read(/other/x)', 'allow'],
  ['Read(/sub/**)', 'deny'],
  ['Read(//p/**)', 'deny'],
  ['Read(~/x)', 'allow'],
])('an open read of /p/sub under deny %s: %s', (rule, expected) => {
  const units = [file('Read', '/p/sub', { open: true, own: true })];
  expect(verdict({ tool: 'Grep', units, rules: { allow: ['Grep'], deny: [rule] } })).toBe(expected);
});

test.each([
  ['Read(//etc/**)', 'allow'],
  ['Read(//etc/*)', 'undecided'],
  ['Read(//etc/[a-z]*)', 'undecided'],
  ['Read(//etc/ssl)', 'allow'],
  ['Read(//etc)', 'undecided'],
  ['Read(//**/*.conf)', 'undecided'],
  ['Read', 'allow'],
])('an open read of /etc/ssl under allow %s: %s', (rule, expected) => {
  const units = [file('Read', '/etc/ssl', { open: true })];
  expect(verdict({ units, rules: { allow: [rule] } })).toBe(expected);
});

test('an open write is covered by no file rule', () => {
  const units = [file('Edit', '/p', { open: true })];
  expect(verdict({ units, rules: { allow: ['Edit(/**)', 'Edit'] } })).toBe('undecided');
});

test('a Read deny binds edits, but not those of NotebookEdit', () => {
  const rules = { allow: ['Edit'], deny: ['Read(/priv/**)'] };
  const units = [file('Edit', '/p/priv/a', { own: true })];
  expect(verdict({ tool: 'Write', units, rules })).toBe('deny');
  expect(verdict({ tool: 'NotebookEdit', units, rules })).toBe('allow');
});

test('file rules do not cover a tool that does more than touch the file', () => {
  const units = [file('Read', '/p/config', { own: true })];
  expect(verdict({ tool: 'Deploy', units, rules: { allow: ['Read'] } })).toBe('undecided');
  expect(verdict({ tool: 'Deploy', units, rules: { allow: ['Deploy'] } })).toBe('allow');
  expect(
    verdict({ tool: 'Deploy', units, rules: { allow: ['Deploy'], deny: ['Read(config)'] } }),
  ).toBe('deny');
});

test('a file tool whose path is not known asks when a path rule could be hit', () => {
  const units = [{ tool: 'Write', readOnly: false, own: true }];
  expect(verdict({ tool: 'Write', units, rules: { allow: ['Write'], deny: ['Edit(/x)'] } })).toBe(
    'ask',
  );
  expect(verdict({ tool: 'Write', units, rules: { allow: ['Write'] } })).toBe('allow');
});

const stop = buildTool({
  name: 'Halt',
  description: 'Stops.',
  aliases: ['Stopper'],
  deprecatedAliases: ['OldStopper'],
  inputSchema: z.looseObject({}),
  call: () => ({ data: '' }),
});

test.each(['Halt', 'Stopper', 'OldStopper', 'H*', '*'])(
  'deny %s binds a tool under all its names',
  (rule) => {
    const units = [{ tool: 'Halt', readOnly: false, own: true }];
    expect(verdict({ tool: stop, units, rules: { allow: ['Halt'], deny: [rule] } })).toBe('deny');
  },
);

test('allow does not bind through an alias that a tool declares, but through old names', () => {
  const units = [{ tool: 'Halt', readOnly: false, own: true }];
  expect(verdict({ tool: stop, units, rules: { allow: ['Stopper'] } })).toBe('undecided');
  const agent = [{ tool: 'Agent', readOnly: false, own: true }];
  expect(verdict({ tool: 'Agent', units: agent, rules: { allow: ['Task'] } })).toBe('allow');
  const task = [{ tool: 'Task', readOnly: false, own: true }];
  expect(verdict({ tool: 'Task', units: task, rules: { allow: ['Agent'] } })).toBe('undecided');
});

test.each([
  ['mcp__a', 'allow'],
  ['mcp__a__*', 'allow'],
  ['mcp__a__b__c', 'allow'],
  ['mcp__a__b', 'undecided'],
  ['mcp__a__b*', 'allow'],
  ['mcp__*', 'undecided'],
  ['mcp__a*', 'undecided'],
])('allow %s on mcp__a__b__c: %s', (rule, expected) => {
  const units = [{ tool: 'mcp__a__b__c', readOnly: false, own: true }];
  expect(verdict({ tool: 'mcp__a__b__c', units, rules: { allow: [rule] } })).toBe(expected);
});

test.each(['mcp__a__b', 'mcp__a', 'mcp__*', 'mcp__*__c'])('deny %s on mcp__a__b__c', (rule) => {
  const units = [{ tool: 'mcp__a__b__c', readOnly: false, own: true }];
  expect(verdict({ tool: 'mcp__a__b__c', units, rules: { allow: ['mcp__a'], deny: [rule] } })).toBe(
    'deny',
  );
});

test.each([[true], ['true'], [' true ']])('a parameter deny matches %j', (value) => {
  const parts = { units: [command('npm start')], input: { run_in_background: value } };
  expect(
    verdict({ ...parts, rules: { allow: ['Bash'], deny: ['Bash(run_in_background:true)'] } }),
  ).toBe('deny');
});

test('a parameter deny matches the parsed value, and no inherited one', () => {
  const call = startedCall({
    units: [command('npm start')],
    input: { background: true },
    rules: { allow: ['Bash'], deny: ['Bash(background:true)', 'Bash(constructor:*)'] },
  });
  const literal = { ...call, toolUse: { ...call.toolUse, input: {} } };
  const signal = new AbortController().signal;
  const backend = rulesBackend();
  expect(backend(literal, { signal })).toMatchObject([{ behavior: 'deny' }, { behavior: 'allow' }]);
  expect(backend({ ...literal, input: {} }, { signal })).toMatchObject([{ behavior: 'allow' }]);
});

test('reasons name no rule, file or line', () => {
  const rules = {
    deny: ['Bash(secret-tool *)'],
    ask: ['Bash(secret-tool *)'],
    allow: ['Bash(secret-tool *)'],
  };
  for (const opinion of opinionsOn({ units: [command('secret-tool x')], rules }))
    expect(opinion.reason).toMatch(/^A permission rule [a-z ]+\.$/);
});

test('a bare deny hides a tool, a scoped one does not; peek answers at once', () => {
  const backend = rulesBackend();
  const settings = (...deny: string[]) => startedCall({ units: [], rules: { deny } }).settings;
  expect(backend.hides?.(unknownTool('Bash'), settings('Bash(*)'))).toBe(true);
  expect(backend.hides?.(unknownTool('Bash'), settings('Bash(rm *)'))).toBe(false);
  expect(backend.hides?.(unknownTool('TaskStop'), settings('KillShell'))).toBe(true);
  const call = startedCall({
    units: [command('rm x')],
    rules: { allow: ['Bash'], ask: ['Bash(rm *)'] },
  });
  expect(backend.peek?.(call)).toMatchObject({ behavior: 'ask' });
});

test('a list of rules is compiled once', () => {
  let read = 0;
  const rules = entries({ allow: ['Bash(ls)'] }).map((entry) => ({
    ...entry,
    get text() {
      read++;
      return entry.text;
    },
  }));
  const backend = rulesBackend();
  const call = startedCall({ units: [command('pwd')], rules });
  backend.peek?.(call);
  const once = read;
  backend.peek?.(call);
  expect([once > 0, read]).toEqual([true, once]);
});

test('a filtering tool is not asked about denied files it leaves out, only about asked ones', () => {
  const units = [file('Read', '/p', { open: true, own: true, filtered: true })];
  const parts = { tool: 'Grep', units };
  expect(verdict({ ...parts, rules: { allow: ['Grep'], deny: ['Read(.env)'] } })).toBe('allow');
  expect(verdict({ ...parts, rules: { allow: ['Grep'], ask: ['Read(.env)'] } })).toBe('ask');
  expect(verdict({ ...parts, rules: { allow: ['Grep'], deny: ['Read(**)'] } })).toBe('deny');
  const moved = { ...parts, cwd: '/p/sub' };
  expect(verdict({ ...moved, rules: { allow: ['Grep'], deny: ['Read(.env)'] } })).toBe('ask');
});

test('deniesRead follows the path, what it links to and the start folder', () => {
  const links = { '/p/l': '/h/.ssh/id' };
  const backend = rulesBackend({ facts: factsOf({ home: '/h', symlinks: links }) });
  const denies = (path: string, ...deny: string[]) =>
    backend.deniesRead?.(path, startedCall({ units: [], rules: { deny }, cwd: '/p/sub' }));
  expect([
    denies('/p/l', 'Read(~/.ssh/**)'),
    denies('/p/.env', 'Read(.env)', 'Edit(/x)'),
    denies('/p/a', 'Read'),
    denies('/p/a', 'Read(.env)'),
    denies('/p/a', 'Edit(a)'),
  ]).toEqual([true, true, true, false, false]);
});

test('paths that a command names are held to deny and ask rules, and allow nothing', () => {
  const touches = [
    { how: 'Read', path: '/p/.env', realPath: '/p/.env' },
    { how: 'Edit', path: '/p/out', realPath: '/p/real' },
    { how: 'Read', path: '/p/all', realPath: '/p/all', open: true },
  ] as const;
  const units = [command('tool .env out', { touches })];
  const decided = (rules: NonNullable<Parameters<typeof verdict>[0]['rules']>) =>
    verdict({ units, rules });

  expect(decided({ allow: ['Bash'], deny: ['Read(.env)'] })).toBe('deny');
  expect(decided({ allow: ['Bash'], deny: ['Edit(/real)'] })).toBe('deny');
  expect(decided({ allow: ['Bash'], ask: ['Edit(/out)'] })).toBe('ask');
  expect(decided({ allow: ['Bash'], deny: ['Read(/all/key)'] })).toBe('ask');
  expect(decided({ allow: ['Bash'], deny: ['Edit(.env)'] })).toBe('allow');
  expect(decided({ allow: ['Read', 'Edit'] })).toBe('undecided');
});

test('where the text does not tell what runs, a rule about what runs makes it ask', () => {
  const units = [command('/bin/r? x', { unparsed: true })];

  expect(verdict({ units, rules: { allow: ['Bash'] } })).toBe('allow');
  expect(verdict({ units, rules: { allow: ['Bash'], deny: ['Bash(rm *)'] } })).toBe('ask');
  expect(verdict({ units, rules: { allow: ['Bash'], ask: ['Bash(rm *)'] } })).toBe('ask');
  expect(verdict({ units, rules: { allow: ['Bash'], deny: ['WebFetch'] } })).toBe('allow');
});

test('a command known to write a path is held to the Edit rules on it', () => {
  const write = { path: '/p/secrets/a', realPath: '/p/secrets/a' };
  const units = [command('touch secrets/a', { writes: [write] })];
  expect(verdict({ units, rules: { allow: ['Bash'], deny: ['Edit(/secrets/**)'] } })).toBe('deny');
  expect(verdict({ units, rules: { allow: ['Bash'], ask: ['Edit(/secrets/**)'] } })).toBe('ask');
  expect(verdict({ units, rules: { allow: ['Bash'], deny: ['Edit(/other/**)'] } })).toBe('allow');
});

test('a rule that describes in words matches no command and guards none; a prefix of that name does', () => {
  const verdicts = (rule: string, text: string) =>
    (['deny', 'ask', 'allow'] as const).map((behavior) =>
      verdict({ units: [command(text)], rules: { [behavior]: [rule] } }),
    );
  expect(verdicts('Bash(prompt: deletes files)', 'prompt: deletes files')).toEqual([
    'undecided',
    'undecided',
    'undecided',
  ]);
  expect(verdicts('Bash(prompt:*)', 'prompt x')).toEqual(['deny', 'ask', 'allow']);
});
