import type { Diagnostic } from '@toolgate/core';
import { expect, test } from 'vitest';
import { configuredHandlers } from '../src/configured-handlers.ts';
import { matchesTool } from '../src/matcher.ts';
import { group, value } from './helpers/hook-gate.ts';

function read(...values: readonly ReturnType<typeof value>[]) {
  const diagnostics: Diagnostic[] = [];
  const handlers = configuredHandlers(
    values,
    { onFailure: 'continue', isStrict: false },
    (diagnostic) => diagnostics.push(diagnostic),
  ).handlers.PreToolUse;
  return {
    commands: (handlers ?? []).map((handler) =>
      handler.type === 'command' ? handler.command : handler.type,
    ),
    handlers: handlers ?? [],
    found: diagnostics.map(({ code, pointer }) => [code, pointer]),
    diagnostics,
  };
}
const pre = (...hooks: readonly unknown[]) => value('hooks', { PreToolUse: [{ hooks }] });

test('defaults, fractions of seconds and the place of a handler', () => {
  expect(read(pre({ type: 'command', command: 'a', timeout: 0.5 })).handlers).toEqual([
    {
      type: 'command',
      command: 'a',
      shell: 'bash',
      isStrict: false,
      rewakes: false,
      isOnce: false,
      timeoutMs: 500,
      onFailure: 'continue',
      isAsync: false,
      matcher: '',
      source: 'userSettings',
      file: '/settings/userSettings.json',
      pointer: '/hooks/PreToolUse/0/hooks/0',
    },
  ]);
  expect(read(pre({ type: 'command', command: 'a' })).handlers[0]?.timeoutMs).toBe(600_000);
  expect(read(pre({ type: 'command', command: 'a', timeout: 1e12 })).handlers[0]?.timeoutMs).toBe(
    2_147_483_647,
  );
});

test('handlers that lack what their type needs, and misspelled types, are reported one by one and do not run', () => {
  const types = ['http', 'prompt', 'agent', 'mcp_tool', 'Command', 7, undefined];
  const { commands, found, diagnostics } = read(
    pre(...types.map((type) => ({ type, command: 'a' }))),
  );
  expect(commands).toEqual([]);
  expect(found).toEqual(
    types.map((_, index) => ['hook-invalid', `/hooks/PreToolUse/0/hooks/${index}`]),
  );
  expect(diagnostics[0]?.message).toBe(
    '"url" of a hook of type "http" is missing; this one does not run.',
  );
  expect(diagnostics[4]?.message).toContain('Did you mean "command"?');
});

test('all five types are read, with the limit of each', () => {
  const { handlers, found } = read(
    pre(
      { type: 'command', command: 'a' },
      { type: 'http', url: 'http://localhost:1/' },
      { type: 'mcp_tool', server: 's', tool: 't' },
      { type: 'prompt', prompt: 'p' },
      { type: 'agent', prompt: 'p', timeout: 1 },
    ),
  );
  expect(found).toEqual([]);
  expect(handlers.map(({ type, timeoutMs }) => [type, timeoutMs])).toEqual([
    ['command', 600_000],
    ['http', 600_000],
    ['mcp_tool', 600_000],
    ['prompt', 30_000],
    ['agent', 1_000],
  ]);
});

test.each([
  ['preToolUse', 'The hook event "preToolUse" never happens: write it "PreToolUse".'],
  ['pre_tool_use', 'write it "PreToolUse".'],
  ['PreToolUses', 'Did you mean "PreToolUse"?'],
])('an event written "%s" is reported with the right one', (event, message) => {
  const { found, diagnostics } = read(value('hooks', { [event]: [group('', 'a')] }));
  expect(found).toEqual([['hook-event-unknown', `/hooks/${event}`]]);
  expect(diagnostics[0]?.message).toContain(message);
});

test('faults 9 and 11: a bad group is dropped alone, a flat entry gets its rewrite', () => {
  const { commands, found, diagnostics } = read(
    value('hooks', {
      PreToolUse: [
        { matcher: { tools: ['Bash'] }, hooks: [{ type: 'command', command: 'lost' }] },
        { type: 'command', command: 'flat' },
        7,
        group('Bash', 'good'),
      ],
      PostToolUse: {},
      Stop: [group('', 'later')],
    }),
  );
  expect(commands).toEqual(['good']);
  expect(found).toEqual([
    ['hook-invalid', '/hooks/PreToolUse/0/matcher'],
    ['hook-invalid', '/hooks/PreToolUse/1/hooks'],
    ['hook-invalid', '/hooks/PreToolUse/2'],
    ['hook-invalid', '/hooks/PostToolUse'],
  ]);
  expect(diagnostics[1]?.message).toContain('Wrap the entry: { "hooks": [');
});

test('a handler with a bad optional field still runs', () => {
  const { handlers, found } = read(
    pre({
      type: 'command',
      command: 'a',
      timeout: '30',
      if: 7,
      shell: 'fish',
      async: 'no',
      onFailure: 'stop',
      timout: 1,
    }),
  );
  expect(handlers).toMatchObject([
    { timeoutMs: 600_000, shell: 'bash', onFailure: 'block', isAsync: false },
  ]);
  expect(found.map(([, pointer]) => pointer?.split('/').at(-1))).toEqual([
    'timeout',
    'if',
    'shell',
    'async',
    'onFailure',
    'timout',
  ]);
});

test('a handler without a command, or with arguments that are no texts, is dropped', () => {
  expect(
    read(
      pre(
        { type: 'command' },
        { type: 'command', command: ' ' },
        { type: 'command', command: 'a', args: 'b' },
        null,
      ),
    ),
  ).toMatchObject({
    commands: [],
    found: [['hook-invalid'], ['hook-invalid'], ['hook-invalid'], ['hook-invalid']].map(
      ([code], index) => [code, `/hooks/PreToolUse/0/hooks/${index}`],
    ),
  });
});

test.each([
  [{ userSettings: true }, ['policySettings']],
  [{ projectSettings: true }, ['userSettings', 'flagSettings', 'policySettings']],
  [{ localSettings: true }, ['userSettings', 'flagSettings', 'policySettings']],
  [
    { projectSettings: true, localSettings: false },
    ['userSettings', 'projectSettings', 'localSettings', 'flagSettings', 'policySettings'],
  ],
  [
    { userSettings: true, flagSettings: false },
    ['userSettings', 'projectSettings', 'localSettings', 'flagSettings', 'policySettings'],
  ],
  [
    { projectSettings: true, flagSettings: false },
    ['userSettings', 'projectSettings', 'localSettings', 'flagSettings', 'policySettings'],
  ],
  [{ policySettings: true }, []],
])('disableAllHooks %j leaves the hooks of %j', (said, left) => {
  const sources = [
    'userSettings',
    'projectSettings',
    'localSettings',
    'flagSettings',
    'policySettings',
  ] as const;
  const values = sources.flatMap((source) => [
    value('hooks', { PreToolUse: [group('', source)] }, source),
    ...(source in said
      ? [value('disableAllHooks', said[source as keyof typeof said], source)]
      : []),
  ]);
  expect(read(...values).commands).toEqual(left);
});

test.each([
  ['mcp__(a|b)__.*', 'mcp__a__x', true],
  ['mcp__memory', 'mcp__memory__read', false],
  ['Task', 'Agent', true],
  ['KillShell|x', 'TaskStop', true],
  ['Write|Edit', 'MultiEdit', false],
  ['Edit.*', 'NotebookEdit', true],
])('matcher %j and tool %s: %s', (matcher, name, matches) => {
  expect(matchesTool(matcher, { name, aliases: [], deprecatedAliases: [] })).toBe(matches);
});
