import { describe, expect, test } from 'vitest';
import {
  buildTool,
  createToolgate,
  definePlugin,
  isToolgateError,
  type Diagnostic,
  type PluginGate,
} from '../src/index.ts';
import { z } from 'zod';
import { echoTool, noUnhandledRejections, settled, toolUse } from './helpers.ts';

noUnhandledRejections();

const plugin = (
  name: string,
  requires: Readonly<Record<string, string>> = {},
  setup: (gate: PluginGate) => void = () => undefined,
  version = '1.2.3',
) => definePlugin({ name, version, requires, setup })();

const codeOf = (work: () => unknown): unknown => {
  try {
    work();
    return 'nothing thrown';
  } catch (error) {
    return isToolgateError(error) ? [error.code, error.message] : error;
  }
};

describe('loading', () => {
  test('sets plugins up after what they require and closes them in reverse', async () => {
    const events: string[] = [];
    const noting = (name: string, requires = {}) =>
      plugin(name, requires, (gate) => {
        events.push(`+${name}`);
        gate.onClose(async () => void events.push(`-${name}`));
      });
    const gate = createToolgate({
      plugins: [noting('c', { b: '^1.0.0', a: '*' }), noting('b', { a: '*' }), noting('a')],
    });
    await Promise.all([gate.close(), gate.close()]);
    expect(events).toEqual(['+a', '+b', '+c', '-c', '-b', '-a']);
  });

  test('one that fails to close does not stop the others, and is reported', async () => {
    const closed: string[] = [];
    const diagnostics: unknown[] = [];
    const failing = (name: string, close: () => Promise<void>) =>
      plugin(name, {}, (gate) => gate.onClose(close));
    const gate = createToolgate({
      plugins: [
        failing('a', async () => void closed.push('a')),
        failing('b', () => Promise.reject(new Error('stuck'))),
      ],
      settings: {
        current: () => ({
          rules: [],
          mode: 'default',
          directories: [],
          values: [],
          diagnostics: [],
        }),
        close: () => Promise.reject(new Error('busy')),
      },
      onDiagnostic: ({ message }) => void diagnostics.push(message),
    });
    await gate.close();
    expect({ closed, diagnostics }).toEqual({
      closed: ['a'],
      diagnostics: ['something failed to close: stuck', 'something failed to close: busy'],
    });
  });

  test.for([
    [
      'a missing one',
      [plugin('a', { bb: '*' }), plugin('b')],
      ['TG_PLUGIN_MISSING', 'plugin a requires plugin bb, which is not loaded. Did you mean "b"?'],
    ],
    [
      'a circle',
      [plugin('a', { b: '*' }), plugin('b', { a: '*' })],
      ['TG_PLUGIN_INVALID', 'plugins require each other in a circle: a → b → a.'],
    ],
    [
      'a duplicate',
      [plugin('a'), plugin('a')],
      ['TG_NAME_TAKEN', 'two plugins are called a. Load one of them.'],
    ],
    [
      'a reserved name',
      [plugin('toolgate:x'.replace(':', '-'))],
      ['TG_PLUGIN_INVALID', '"toolgate-x" is reserved; give the plugin another name.'],
    ],
    [
      'a range that does not fit',
      [plugin('a', { b: '^2.0.0' }), plugin('b')],
      ['TG_PLUGIN_MISSING', 'plugin a requires b ^2.0.0, but version 1.2.3 is loaded.'],
    ],
    [
      'a range nobody reads',
      [plugin('a', { b: '>=1' }), plugin('b')],
      ['TG_PLUGIN_INVALID', '">=1" is no range this gate reads. Use * or ^1.2.3.'],
    ],
  ] as const)('refuses %s', ([, plugins, expected]) => {
    expect(codeOf(() => createToolgate({ plugins }))).toEqual(expected);
  });

  test.for([
    ['1.2.3', '^1.2.3', true],
    ['1.3.0', '^1.2.3', true],
    ['1.2.4', '^1.2.3', true],
    ['1.2.2', '^1.2.3', false],
    ['2.0.0', '^1.2.3', false],
    ['0.2.5', '^0.2.3', true],
    ['0.3.0', '^0.2.3', false],
    ['0.0.3', '^0.0.3', true],
    ['0.0.4', '^0.0.3', false],
    ['9.9.9', '*', true],
  ] as const)('version %s in range %s: %s', ([version, range, fits]) => {
    const plugins = [plugin('a', { b: range }), plugin('b', {}, () => undefined, version)];
    expect(codeOf(() => createToolgate({ plugins })) === 'nothing thrown').toBe(fits);
  });

  test('a tap, tool or owner after loading is refused', () => {
    let kept: PluginGate | undefined;
    createToolgate({ plugins: [plugin('late', {}, (gate) => void (kept = gate))] });
    const refused = [
      'TG_CLOSED',
      'plugin late changed the gate after it was built. Do everything in setup.',
    ];
    expect(codeOf(() => kept?.hooks.opinions.tap('x', () => undefined))).toEqual(refused);
    expect(codeOf(() => kept?.tools.add(echoTool().tool))).toEqual(refused);
    expect(codeOf(() => kept?.effects.own('Bash', () => ({})))).toEqual(refused);
    expect(codeOf(() => kept?.onClose(() => undefined))).toEqual(refused);
  });

  test('a second owner of a tool’s effects is refused', () => {
    const owner = (name: string) =>
      plugin(name, {}, ({ effects }) => effects.own('Bash', () => ({})));
    expect(codeOf(() => createToolgate({ plugins: [owner('a'), owner('b')] }))).toEqual([
      'TG_NAME_TAKEN',
      'plugin b and plugin a both own the effects of Bash. Load one of them.',
    ]);
  });

  test('a setup that throws or is asynchronous is refused, and what was set up is closed', async () => {
    const closed: string[] = [];
    const first = plugin('first', {}, (gate) => gate.onClose(() => void closed.push('first')));
    const throws = plugin('bad', {}, () => {
      throw new Error('no database');
    });
    const asynchronous = plugin('bad', {}, (() => Promise.reject(new Error('x'))) as () => void);
    expect(codeOf(() => createToolgate({ plugins: [first, throws] }))).toEqual([
      'TG_PLUGIN_INVALID',
      'setup of plugin bad failed: no database',
    ]);
    expect(codeOf(() => createToolgate({ plugins: [first, asynchronous] }))).toEqual([
      'TG_PLUGIN_INVALID',
      'setup of plugin bad returned something; it must be synchronous and return nothing.',
    ]);
    await settled();
    expect(closed).toEqual(['first', 'first']);
  });
});

describe('names of tools', () => {
  const named = (name: string, aliases: string[] = [], deprecatedAliases: string[] = []) =>
    buildTool({
      name,
      aliases,
      deprecatedAliases,
      description: '',
      inputSchema: z.object({}),
      call: () => ({ data: '' }),
    });
  test.for([
    ['two names', [named('A'), named('A')]],
    ['a name and an alias', [named('A'), named('B', ['A'])]],
    ['an alias and a later name', [named('B', ['A']), named('A')]],
    ['two aliases', [named('A', ['X']), named('B', [], ['X'])]],
  ] as const)('%s that are alike are refused', ([, tools]) => {
    expect(codeOf(() => createToolgate({ tools }))).toEqual(['TG_NAME_TAKEN', expect.any(String)]);
  });
  test('a plugin’s tool cannot take the name of another', () => {
    const taker = plugin('taker', {}, ({ tools }) => tools.add(named('Mine', ['Echo'])));
    expect(codeOf(() => createToolgate({ tools: [echoTool().tool], plugins: [taker] }))).toEqual([
      'TG_NAME_TAKEN',
      expect.any(String),
    ]);
  });
  test.for([['a b'], [''], ['é'], ['x'.repeat(129)], ['a.b']])('"%s" is no tool name', ([name]) => {
    expect(codeOf(() => named(name ?? ''))).toEqual(['TG_TOOL_INVALID', expect.any(String)]);
    expect(codeOf(() => named('A', [name ?? '']))).toEqual(['TG_TOOL_INVALID', expect.any(String)]);
  });
  test('a reserved word is no tool name', () => {
    expect(codeOf(() => createToolgate({ tools: [named('all')] }))).toEqual([
      'TG_TOOL_INVALID',
      expect.any(String),
    ]);
  });
});

test('misspelled keys of a tool and a plugin are named with the nearest one', () => {
  const tool: object = {
    name: 'A',
    description: '',
    inputSchema: z.object({}),
    call: () => ({ data: '' }),
    isReadonly: () => true,
  };
  expect(codeOf(() => buildTool(tool as never))).toEqual([
    'TG_TOOL_INVALID',
    'tool A has the unknown key "isReadonly". Did you mean "isReadOnly"?',
  ]);
  const definition: object = { name: 'a', require: {}, setup: () => undefined };
  expect(codeOf(() => definePlugin(definition as never))).toEqual([
    'TG_PLUGIN_INVALID',
    'plugin a has the unknown key "require". Did you mean "requires"?',
  ]);
});

describe('the policy handle', () => {
  test('adds rules until they are disposed, and refuses a misspelled behaviour', () => {
    const { policy } = createToolgate({});
    const texts = () => policy.snapshot().rules.map(({ text, source }) => [text, source]);
    {
      using _ = policy.addRules('session', { allow: ['Echo'], deny: ['Bash'] });
      expect(texts()).toEqual([
        ['Bash', 'session'],
        ['Echo', 'session'],
      ]);
    }
    expect(texts()).toEqual([]);
    const rules: object = { alow: ['Echo'] };
    expect(codeOf(() => policy.addRules('session', rules))).toEqual([
      'TG_OPTION_INVALID',
      'addRules has the unknown key "alow". Did you mean "allow"?',
    ]);
  });
  test('refuses unknown modes, and modes nobody gives a meaning to', () => {
    const { policy } = createToolgate({});
    expect(codeOf(() => policy.setMode('plann' as never))).toMatchObject([
      'TG_OPTION_INVALID',
      expect.stringContaining('Did you mean "plan"?'),
    ]);
    expect(codeOf(() => policy.setMode('plan'))).toEqual(['TG_OPTION_INVALID', expect.any(String)]);
    policy.setMode('default');
    expect(policy.mode).toBe('default');
  });
  test('refuses a relative directory', () => {
    const { policy } = createToolgate({});
    expect(codeOf(() => policy.addDirectories(['src']))).toEqual([
      'TG_OPTION_INVALID',
      expect.any(String),
    ]);
    policy.addDirectories(['/q/../r']);
    expect(policy.snapshot().directories).toEqual(['/r']);
  });
});

describe('options of createToolgate', () => {
  test.for([
    [null, 'one object of options'],
    [{ tools: 'x' }, 'option tools must be a list of tools'],
    [{ plugins: [5] }, 'option plugins must be a list of plugins'],
    [{ dialog: 5 }, 'option dialog must be a function'],
    [{ store: 5 }, 'option store must be a result store'],
    [{ settings: {} }, 'option settings must be a settings source with current()'],
    [{ cwd: 5 }, 'option cwd must be a text'],
    [{ limitsMs: { start: 'x' } }, 'option limitsMs must be an object of numbers'],
  ] as const)('%j is refused in one sentence', ([options, sentence]) => {
    expect(() => createToolgate(options as never)).toThrow(sentence);
  });

  test('an option of a call that nobody knows is reported, and the call goes on', async () => {
    const diagnostics: Diagnostic[] = [];
    const gate = createToolgate({
      onDiagnostic: (diagnostic) => void diagnostics.push(diagnostic),
    });

    const outcome = await gate.run(toolUse('Nope', {}), {
      signla: 1,
      context: { agentID: 1 },
    } as never);

    expect(outcome.code).toBe('tool_not_found');
    expect(diagnostics.map(({ message }) => message)).toEqual([
      'what run and runTurn were given has the unknown key "signla". Did you mean "signal"? It is ignored.',
      'the context of a call has the unknown key "agentID". Did you mean "agentId"? It is ignored.',
    ]);
  });

  test('rules that are added are shown to the permission backend, which says what is wrong', () => {
    const diagnostics: Diagnostic[] = [];
    const backend = Object.assign(() => undefined, {
      diagnose: (rules: readonly { readonly text: string }[]): Diagnostic[] =>
        rules.map(({ text }) => ({ code: 'odd', severity: 'error', message: text })),
    });
    const gate = createToolgate({
      permissions: backend,
      onDiagnostic: (diagnostic) => void diagnostics.push(diagnostic),
    });

    gate.policy.addRules('session', { deny: ['T('] });

    expect(diagnostics).toEqual([{ code: 'odd', severity: 'error', message: 'T(' }]);
    expect(() => gate.policy.addRules('userSettings' as never, {})).toThrow(
      'not to "userSettings"',
    );
  });
});
