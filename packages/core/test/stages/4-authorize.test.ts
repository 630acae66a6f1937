import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  allow,
  ask,
  buildTool,
  createToolgate,
  deny,
  emptySnapshot,
  type Behavior,
  type Opinion,
  type PermissionAnswer,
  type PermissionPrompt,
  type PermissionUpdate,
  type Strength,
} from '../../src/index.ts';
import {
  gateWith,
  hang,
  noUnhandledRejections,
  refusal,
  result,
  settled,
  toolUse,
} from '../helpers.ts';

noUnhandledRejections();

const call = toolUse('Echo', { text: 'x' });
const yes = { behavior: 'allow' } as const;

/** Who may allow a call of which an ask of this strength, or nothing, was said (security rule 3). */
const table: readonly (readonly [Strength | 'nothing', string, boolean])[] = [
  ['nothing', 'mode', true],
  ['nothing', 'classifier', true],
  ['nothing', 'prompt classifier', true],
  ['nothing', 'hook', true],
  ['nothing', 'person', true],
  ['soft', 'mode', true],
  ['soft', 'classifier', false],
  ['soft', 'prompt classifier', false],
  ['soft', 'hook', true],
  ['soft', 'person', true],
  ['ask', 'mode', false],
  ['ask', 'classifier', false],
  ['ask', 'prompt classifier', false],
  ['ask', 'hook', true],
  ['ask', 'person', true],
  ['person', 'mode', false],
  ['person', 'classifier', false],
  ['person', 'prompt classifier', false],
  ['person', 'hook', false],
  ['person', 'person', true],
];

test.for(table)('an ask of strength %s, allowed by %s: ran %s', async ([strength, who, runs]) => {
  const { gate, ran, diagnostics } = gateWith({
    permissions: () => (strength === 'nothing' ? undefined : ask('sure?', strength)),
    plugin: ({ hooks }) => {
      const all = allow('always', 'all');
      if (who === 'mode') hooks.resolve.tap({ name: 'm', slot: 'mode' }, () => all);
      if (who === 'classifier') hooks.resolve.tap({ name: 'c', slot: 'classifier' }, () => all);
      if (who === 'hook') hooks.prompt.tap('h', () => ({ by: 'hook', answer: yes }));
      if (who === 'prompt classifier')
        hooks.prompt.tap({ name: 'c', slot: 'classifier' }, () => ({
          by: 'classifier',
          answer: yes,
        }));
    },
    ...(who === 'person' && { dialog: async () => yes }),
  });
  const { outcome } = await gate.run(call);
  expect({ outcome, ran: ran.length, dropped: diagnostics.map(({ code }) => code) }).toEqual({
    outcome: runs ? 'ok' : 'refused',
    ran: runs ? 1 : 0,
    dropped: runs ? [] : ['answer-dropped'],
  });
});

describe('resolvers', () => {
  test('an allow counts only when it covers every unit', async () => {
    for (const [covers, outcome] of [
      ['own', 'refused'],
      ['all', 'ok'],
    ] as const) {
      const { gate } = gateWith({
        plugin: ({ hooks, effects }) => {
          effects.tighten((_, facts) => ({ units: [facts.pathUnit('Read', '/etc/shadow')] }));
          hooks.resolve.tap('m', () => allow('', covers));
        },
      });
      expect(await gate.run(call)).toMatchObject({ outcome });
    }
  });

  test.for([['mode'], ['classifier']] as const)('a deny of slot %s is final', async ([slot]) => {
    const { gate } = gateWith({
      dialog: async () => yes,
      plugin: ({ hooks }) => hooks.resolve.tap({ name: 'r', slot }, () => deny('not in this mode')),
    });
    expect((await gate.run(call)).block).toEqual(refusal('not in this mode'));
  });

  test('an ask makes an ask of what nobody asked about', async () => {
    const { gate } = gateWith({
      plugin: ({ hooks }) => {
        hooks.resolve.tap({ name: 'r', slot: 'mode' }, () => ask('the mode asks', 'person'));
        hooks.prompt.tap('h', () => ({ by: 'hook', answer: yes }));
      },
    });
    expect((await gate.run(call)).block).toEqual(
      refusal('the mode asks Nobody confirmed it, so nothing ran.'),
    );
  });

  test('a mode that throws denies; a classifier that throws has no answer', async () => {
    const broken = () => {
      throw new Error('broken');
    };
    const outcomes = [];
    for (const slot of ['mode', 'classifier'] as const) {
      const { gate } = gateWith({
        dialog: async () => yes,
        plugin: ({ hooks }) => hooks.resolve.tap({ name: 'r', slot }, broken),
      });
      outcomes.push((await gate.run(call)).block);
    }
    expect(outcomes).toEqual([
      refusal('The permission mode could not be applied, so the call was refused.'),
      result('x'),
    ]);
  });
});

describe('the prompt', () => {
  test('two taps race: the first answer wins once, and the loser is told', async () => {
    let told: AbortSignal | undefined;
    const { gate, ran } = gateWith({
      dialog: (_, { signal }) => {
        told = signal;
        return hang();
      },
      plugin: ({ hooks }) =>
        hooks.prompt.tap('h', async () => {
          await settled();
          return { by: 'hook', answer: yes };
        }),
    });
    const { decision } = await gate.run(call);
    expect(ran).toEqual([{ text: 'x' }]);
    expect(told?.aborted).toBe(true);
    expect(decision).toEqual({
      behavior: 'allow',
      reason: 'A hook allowed it.',
      trail: [{ step: 'prompt', from: 'h', plugin: 'probe', behavior: 'allow' }],
    });
  });

  test('the trail tells of dropped answers, too', async () => {
    const { gate } = gateWith({
      permissions: () => ask('critical', 'person'),
      plugin: ({ hooks }) => hooks.prompt.tap('h', () => ({ by: 'hook', answer: yes })),
      dialog: async () => yes,
    });
    expect((await gate.run(call)).decision).toEqual({
      behavior: 'allow',
      reason: 'A person allowed it.',
      trail: [
        {
          step: 'opinion',
          from: 'permissions',
          plugin: 'toolgate',
          behavior: 'ask',
          strength: 'person',
          reason: 'critical',
        },
        {
          step: 'prompt',
          from: 'h',
          plugin: 'probe',
          behavior: 'dropped',
          reason: 'this ask needs a person',
        },
        { step: 'prompt', from: 'dialog', plugin: 'toolgate', behavior: 'allow' },
      ],
    });
  });

  test('a tap in the slot of hooks cannot answer as a person', async () => {
    const { gate, ran } = gateWith({
      permissions: () => ask('critical', 'person'),
      plugin: ({ hooks }) => hooks.prompt.tap('h', () => ({ by: 'person', answer: yes })),
    });
    expect(await gate.run(call)).toMatchObject({ code: 'permission_denied' });
    expect(ran).toEqual([]);
  });

  test('a classifier can only allow', async () => {
    const { gate } = gateWith({
      dialog: async () => (await settled(), yes),
      plugin: ({ hooks }) =>
        hooks.prompt.tap({ name: 'c', slot: 'classifier' }, () => ({
          by: 'classifier',
          answer: { behavior: 'deny' },
        })),
    });
    expect(await gate.run(call)).toMatchObject({ outcome: 'ok' });
  });

  test('a hook that refuses without a reason is not taken for a person', async () => {
    const { gate } = gateWith({
      plugin: ({ hooks }) =>
        hooks.prompt.tap('h', () => ({ by: 'hook', answer: { behavior: 'deny' } })),
    });
    expect((await gate.run(call)).block).toEqual(refusal('A hook refused this call.'));
  });

  test('shows what is asked about, and is bound to it by a digest', async () => {
    const prompts: unknown[] = [];
    const { gate } = gateWith({ dialog: async (prompt) => (prompts.push(prompt), undefined) });
    await gate.run(call, { context: { agentId: 'a1' } });
    expect(prompts).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        toolUseId: 'toolu_1',
        tool: 'Echo',
        input: { text: 'x' },
        reason: 'No rule allows this call.',
        strength: 'ask',
        units: [{ tool: 'Echo', readOnly: false, own: true }],
        warnings: [],
        destructive: false,
        suggestedRules: [],
        preview: { type: 'code', text: '{\n  "text": "x"\n}', language: 'json' },
        agentId: 'a1',
        digest: expect.stringMatching(/^[\w-]{43}$/),
      },
    ]);
  });

  test('suggests rules only where a rule could settle the ask', async () => {
    const suggested = async (strength: 'ask' | 'person') => {
      const prompts: PermissionPrompt[] = [];
      const { gate } = gateWith({
        dialog: async (prompt) => (prompts.push(prompt), undefined),
        plugin: ({ effects }) =>
          effects.own('Echo', () => ({
            suggestedRules: ['Echo'],
            warnings: [{ code: 'w', message: 'Look.', asks: strength }],
          })),
      });
      await gate.run(call);
      return prompts.map(({ suggestedRules }) => suggestedRules);
    };
    expect([await suggested('ask'), await suggested('person')]).toEqual([
      [[{ rule: 'Echo', destination: 'session' }]],
      [[]],
    ]);
  });

  test('allow once saves nothing; always allow saves for the session, once the call was allowed', async () => {
    const saved = async (answer: PermissionAnswer, permissions?: () => Opinion) => {
      const { gate, diagnostics } = gateWith({
        dialog: async () => answer,
        ...(permissions && { permissions }),
      });
      await gate.run(call);
      return [
        gate.policy.snapshot().rules.map(({ text }) => text),
        diagnostics.map(({ code }) => code),
      ];
    };
    expect(await saved(yes)).toEqual([[], []]);
    expect(await saved({ ...yes, rules: ['Echo'] })).toEqual([['Echo'], []]);
    expect(await saved({ ...yes, rules: ['Echo'], destination: 'userSettings' })).toEqual([
      [],
      ['rules-not-saved'],
    ]);
    const edit = { ...yes, rules: ['Echo'], updatedInput: { text: 5 } };
    expect(await saved(edit)).toEqual([[], []]);
  });

  test('what a person lets be kept in a file is written there, and counts at once', async () => {
    const saved: PermissionUpdate[] = [];
    const { gate, diagnostics } = gateWith({
      dialog: async () => ({ ...yes, rules: ['Echo'], destination: 'localSettings' }),
      settings: {
        current: () => emptySnapshot,
        save: async (update) => void saved.push(update),
      },
    });
    await gate.run(call);
    expect(saved).toEqual([
      {
        type: 'addRules',
        rules: [{ toolName: 'Echo' }],
        behavior: 'allow',
        destination: 'localSettings',
      },
    ]);
    expect(gate.policy.snapshot().rules).toMatchObject([{ text: 'Echo', source: 'session' }]);
    expect(diagnostics).toEqual([]);
  });

  test('a file that cannot be written is reported, and the call runs', async () => {
    const { gate, diagnostics } = gateWith({
      dialog: async () => ({ ...yes, rules: ['Echo'], destination: 'localSettings' }),
      settings: {
        current: () => emptySnapshot,
        save: () => Promise.reject(new Error('the disk is full')),
      },
    });
    expect(await gate.run(call)).toMatchObject({ outcome: 'ok' });
    expect(gate.policy.snapshot().rules).toEqual([]);
    expect(diagnostics).toMatchObject([{ message: expect.stringMatching(/the disk is full/) }]);
  });

  test('a deny may end the loop', async () => {
    const { gate } = gateWith({
      dialog: async () => ({ behavior: 'deny', message: 'Not now.', interrupt: true }),
    });
    expect(await gate.run(call)).toMatchObject({
      outcome: 'refused',
      stop: { reason: 'Not now.' },
    });
  });

  const session = { destination: 'session' } as const;
  const addRules = (text: string, behavior: Behavior = 'allow') =>
    ({ type: 'addRules', rules: [{ toolName: text }], behavior, ...session }) as const;
  const rulesAfter = async (
    updates: readonly PermissionUpdate[],
    options: Parameters<typeof gateWith>[0] = {},
    by: 'hook' | 'person' = 'hook',
  ) => {
    const { gate, diagnostics } = gateWith({
      cwd: '/p',
      ...options,
      plugin: ({ hooks }) => {
        hooks.resolve.tap({ name: 'm', slot: 'mode' }, () => undefined);
        hooks.prompt.tap({ name: 'h', slot: by === 'hook' ? 'hooks' : 'dialog' }, () => ({
          by,
          answer: { ...yes, updates },
        }));
      },
    });
    gate.policy.addRules('session', { deny: ['Kept'] });
    const { outcome } = await gate.run(call);
    const { rules, mode, directories } = gate.policy.snapshot();
    return {
      outcome,
      rules: rules.map(({ behavior, text }) => `${behavior} ${text}`),
      mode,
      directories,
      codes: diagnostics.map(({ code }) => code),
    };
  };
  const unchanged = {
    outcome: 'ok',
    rules: ['deny Kept'],
    mode: 'default',
    directories: [],
    codes: ['rules-not-saved'],
  };

  test.each<PermissionUpdate>([
    { ...addRules('Kept', 'deny'), type: 'removeRules' },
    { type: 'replaceRules', rules: [], behavior: 'deny', ...session },
    { ...addRules('Echo'), destination: 'userSettings' },
    { type: 'addDirectories', directories: ['/'], ...session },
    { type: 'removeDirectories', directories: ['/p'], ...session },
    { type: 'setMode', mode: 'bypassPermissions', ...session },
    { type: 'setMode', mode: 'acceptEdits', ...session },
  ])('a hook cannot widen: %j', async (update) => {
    expect(await rulesAfter([update])).toEqual(unchanged);
  });

  test('a hook may tighten, add a rule for this session, and folders inside', async () => {
    const updates: readonly PermissionUpdate[] = [
      addRules('Other', 'deny'),
      addRules('Echo'),
      { type: 'addDirectories', directories: ['/p/sub'], ...session },
      { type: 'setMode', mode: 'plan', ...session },
    ];
    expect(await rulesAfter(updates)).toEqual({
      outcome: 'ok',
      rules: ['deny Kept', 'deny Other', 'allow Echo'],
      mode: 'plan',
      directories: ['/p/sub'],
      codes: [],
    });
  });

  test('nobody’s answer bypasses permissions where the session was not started so', async () => {
    const bypass: PermissionUpdate = { type: 'setMode', mode: 'bypassPermissions', ...session };
    expect(await rulesAfter([bypass], {}, 'person')).toEqual(unchanged);
  });

  test('a person may do all of that in the session', async () => {
    const updates: readonly PermissionUpdate[] = [
      { ...addRules('Kept', 'deny'), type: 'removeRules' },
      { type: 'addDirectories', directories: ['/q'], ...session },
      { type: 'setMode', mode: 'acceptEdits', ...session },
    ];
    expect(await rulesAfter(updates, {}, 'person')).toEqual({
      outcome: 'ok',
      rules: [],
      mode: 'acceptEdits',
      directories: ['/q'],
      codes: [],
    });
  });

  test('nothing is kept that the backend warns of, nor under managed rules, nor of a call that was refused', async () => {
    const permissions = Object.assign(() => undefined, { whyNotKept: () => 'is dangerous' });
    expect(await rulesAfter([addRules('Echo')], { permissions })).toEqual(unchanged);
    const managed = {
      ...emptySnapshot,
      values: [
        { key: 'allowManagedPermissionRulesOnly', value: true, source: 'policySettings' as const },
      ],
    };
    const settings = { current: () => managed };
    expect(await rulesAfter([addRules('Echo')], { settings }, 'person')).toEqual(unchanged);
    const refusedCall = await rulesAfter([addRules('Echo')], {
      permissions: () => deny('no'),
    });
    expect(refusedCall).toMatchObject({ outcome: 'refused', rules: ['deny Kept'], codes: [] });
  });

  test('those who hear of denials may add a sentence for the model; one that fails is reported', async () => {
    const heard: unknown[] = [];
    const { gate, diagnostics } = gateWith({
      permissions: () => deny('No.'),
      plugin: ({ hooks }) => {
        hooks.permissionDenied.tap('a', ({ by }) => (heard.push(by), { context: 'Ask first.' }));
        hooks.permissionDenied.tap('b', () => {
          throw new Error('broken');
        });
      },
    });
    expect((await gate.run(call)).block).toEqual(refusal('No.\nAsk first.'));
    expect(heard).toEqual(['opinions']);
    expect(diagnostics.map(({ code }) => code)).toEqual(['denied-hook-failed']);
  });
});

describe('trust (security rule 7)', () => {
  const make = () =>
    buildTool({
      name: 'Self',
      description: '',
      inputSchema: z.object({}),
      isReadOnly: () => true,
      isConcurrencySafe: () => true,
      checkPermissions: () => allow('I may', 'all'),
      call: () => ({ data: 'ran' }),
    });
  test('a trusted tool’s own allow counts', async () => {
    const { gate } = gateWith({ tools: [make()] });
    expect((await gate.run(toolUse('Self'))).block).toEqual(result('ran'));
  });
  test('that of a plugin’s tool allows nothing, and neither does its isReadOnly', async () => {
    const seen: unknown[] = [];
    const { gate } = gateWith({
      plugin: ({ tools, hooks }) => {
        tools.add(make());
        hooks.opinions.tap('o', ({ effects }) => {
          seen.push([effects.readOnly, effects.concurrencySafe, effects.units]);
          return effects.readOnly ? allow('', 'all') : undefined;
        });
      },
    });
    expect(await gate.run(toolUse('Self'))).toMatchObject({ code: 'permission_denied' });
    expect(seen).toEqual([[false, false, [{ tool: 'Self', readOnly: false, own: true }]]]);
  });
  test('nor does an owner of its effects who calls it read-only', async () => {
    const seen: unknown[] = [];
    const { gate } = gateWith({
      plugin: ({ tools, hooks, effects }) => {
        tools.add(make());
        effects.own('Self', () => ({
          units: [{ tool: 'Self', readOnly: true }],
          readOnly: true,
          concurrencySafe: true,
        }));
        hooks.opinions.tap('o', (call) => void seen.push(call.effects));
      },
    });
    await gate.run(toolUse('Self'));
    expect(seen).toMatchObject([
      { readOnly: false, concurrencySafe: false, units: [{ readOnly: false }] },
    ]);
  });
  test('trust is by identity, not by name', async () => {
    const named = make();
    for (const [trust, outcome] of [
      [[named], 'ok'],
      [[make()], 'refused'],
    ] as const) {
      const { gate } = gateWith({ trust, plugin: ({ tools }) => tools.add(named) });
      expect(await gate.run(toolUse('Self'))).toMatchObject({ outcome });
    }
  });
});

describe('floors hold whatever the backend allows', () => {
  const write = buildTool({
    name: 'Put',
    description: '',
    inputSchema: z.object({ path: z.string() }),
    pathFields: { path: 'Edit' },
    call: () => ({ data: 'written' }),
  });
  const permissions = () => allow('all', 'all');
  test.for([
    ['/p/.git/hooks/pre-commit', 'refused'],
    ['/p/.GIT/config', 'refused'],
    ['/home/u/.bashrc', 'refused'],
    ['/p/.claude/settings.json', 'refused'],
    ['/p/.claude/worktrees/a/file', 'ok'],
    ['/p/src/main.ts', 'ok'],
  ] as const)('%s: %s', async ([path, outcome]) => {
    const { gate } = gateWith({ tools: [write], permissions });
    expect(await gate.run(toolUse('Put', { path }))).toMatchObject({ outcome });
  });
  test('a link to a protected path counts as one', async () => {
    const facts = {
      home: '/home/u',
      realPath: (path: string) => (path === '/p/a' ? '/p/.git/config' : path),
      folderIdentity: () => undefined,
      holds: () => false,
    };
    const { gate } = gateWith({ tools: [write], permissions, facts });
    expect(await gate.run(toolUse('Put', { path: 'a' }))).toMatchObject({ outcome: 'refused' });
  });
  test('a mode may lift a protected path, no mode a warning that asks for a person', async () => {
    const bypass = (asks: 'soft' | 'person') =>
      gateWith({
        permissions,
        plugin: ({ hooks, effects }) => {
          effects.tighten(() => ({
            warnings: [{ code: 'critical', message: 'removes all', asks }],
          }));
          hooks.resolve.tap({ name: 'm', slot: 'mode' }, () => allow('bypass', 'all'));
        },
      }).gate.run(call);
    expect(await bypass('soft')).toMatchObject({ outcome: 'ok' });
    expect((await bypass('person')).block).toEqual(
      refusal(
        'removes all Somebody must confirm it, and nobody can be asked here, so nothing ran. Do it another way, or ask the person to allow it.',
      ),
    );
  });
});

test('what the model reads of a denial holds no rule', async () => {
  const rule = { behavior: 'deny', text: 'Echo(secret)', source: 'policySettings' } as const;
  const { gate } = gateWith({ permissions: () => ({ ...deny('It is not allowed.'), rule }) });
  const { block, decision } = await gate.run(call);
  expect(block).toEqual(refusal('It is not allowed.'));
  expect(decision?.trail[0]?.rule).toEqual(rule);
});

test('explain decides alike, runs nothing, asks no one and starts no hook', async () => {
  const called: string[] = [];
  const note = (name: string) => () => void called.push(name);
  const tool = buildTool({
    name: 'Echo',
    description: '',
    inputSchema: z.object({ text: z.string() }),
    validateInput: () => (called.push('validateInput'), { result: true }),
    checkPermissions: ({ text }) =>
      text === 'old'
        ? { behavior: 'passthrough', updatedInput: { text: 'new' } }
        : { behavior: 'passthrough' },
    call: () => (called.push('call'), { data: '' }),
  });
  const gate = createToolgate({
    tools: [tool],
    permissions: ({ input }) => (input['text'] === 'new' ? ask('new asks') : undefined),
    dialog: async () => (called.push('dialog'), yes),
    plugins: [],
  });
  const hooked = gateWith({
    tools: [tool],
    permissions: ({ input }) => (input['text'] === 'new' ? ask('new asks') : undefined),
    dialog: async () => (called.push('dialog'), yes),
    plugin: ({ hooks }) => {
      hooks.start.tap('s', note('start'));
      hooks.check.tap('c', note('check'));
    },
  });
  expect(await hooked.gate.explain(toolUse('Echo', { text: 'old' }))).toMatchObject({
    behavior: 'ask',
    reason: 'new asks',
  });
  expect(await gate.explain(toolUse('Echo', { text: 5 }))).toMatchObject({ behavior: 'deny' });
  expect(await gate.explain(toolUse('Nope'))).toMatchObject({ behavior: 'deny' });
  expect(called).toEqual([]);
});
