import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  allow,
  ask,
  buildTool,
  createToolgate,
  definePlugin,
  deny,
  strictest,
  type Opinion,
  type PluginGate,
  type ToolgateOptions,
} from '../src/index.ts';
import {
  echoTool,
  gateWith,
  hang,
  hastyClock,
  noDisk,
  noUnhandledRejections,
  refusal,
  result,
  settled,
  toolUse,
} from './helpers.ts';

noUnhandledRejections();

const yes = () => allow('fine', 'all');

describe('invariant 1: one result per call, in order', () => {
  test('for whatever a turn holds', async () => {
    const { gate } = gateWith({ permissions: yes });
    const blocks = [
      { type: 'text', text: 'hm' },
      toolUse('Echo', { text: 'a' }, { id: '1' }),
      toolUse('Nope', {}, { id: '2' }),
      toolUse('Echo', { text: 5 }, { id: '3' }),
      { type: 'tool_use', id: '4' },
      toolUse('Echo', JSON.parse('{"__proto__":{}}'), { id: '5' }),
      toolUse('Echo', { text: 'b' }, { id: '1' }),
      toolUse('__proto__', {}, { id: '6' }),
      toolUse('constructor', {}, { id: '7' }),
    ];
    const outcomes = await gate.runTurn({ role: 'assistant', content: blocks }).outcomes;
    expect(outcomes.map(({ block, code }) => [block.tool_use_id, code])).toEqual([
      ['1', undefined],
      ['2', 'tool_not_found'],
      ['3', 'input_invalid'],
      ['4', 'input_invalid'],
      ['5', 'input_invalid'],
      ['1', 'duplicate_id'],
      ['6', 'tool_not_found'],
      ['7', 'tool_not_found'],
    ]);
  });

  test('for a block that is none, and for a hostile one', async () => {
    const { gate } = gateWith({ permissions: yes });
    const hostile = {
      get type(): never {
        throw new Error('no');
      },
    };
    for (const given of [undefined, null, 5, hostile, { type: 'tool_use' }]) {
      const outcome = await gate.run(given as never); // what a careless caller hands over
      expect(outcome.block).toEqual(
        refusal('This is no tool_use block: it needs type, id, name and input.', ''),
      );
    }
  });

  test('but what is no message is a mistake of the caller, before anything starts', () => {
    const { gate } = gateWith();
    for (const message of [undefined, {}, { content: undefined }])
      expect(() => gate.runTurn(message as never)).toThrow('runTurn takes an assistant message');
  });

  test('for a message without calls', async () => {
    const { gate } = gateWith();
    for (const content of ['text', []])
      expect(await gate.runTurn({ role: 'assistant', content: content as never }).message).toEqual({
        role: 'user',
        content: [],
      });
  });
});

/** Each place where foreign code is called, as options that put `fault` there. */
type Fault = () => never | Promise<never>;
const tapped = (add: (gate: PluginGate, fault: Fault) => void) => (fault: Fault) => ({
  plugin: (gate: PluginGate) => add(gate, fault),
});
const toolWith = (part: object) => ({
  tools: [
    buildTool({
      name: 'Echo',
      description: '',
      inputSchema: z.object({ text: z.string() }),
      timeoutMs: 50,
      call: ({ text }) => ({ data: text }),
      ...part,
    }),
  ],
});
const places: Record<
  string,
  (fault: Fault) => ToolgateOptions & { plugin?: (gate: PluginGate) => void }
> = {
  ...Object.fromEntries(
    (
      [
        'lookup',
        'parse',
        'check',
        'start',
        'opinions',
        'resolve',
        'prompt',
        'execute',
        'result',
        'postToolUse',
        'postToolBatch',
        'emit',
        'trace',
        'progress',
      ] as const
    ).map((hook) => [
      `hook ${hook}`,
      tapped((gate, fault) => gate.hooks[hook].tap({ name: 'fault', limitMs: 50 }, fault)),
    ]),
  ),
  'effects tightener': tapped((gate, fault) => gate.effects.tighten(fault as never)),
  'effects owner': tapped((gate, fault) => gate.effects.own('Echo', fault as never)),
  permissions: (fault) => ({ permissions: fault, limitsMs: { opinions: 50 } }),
  'permissions.peek': (fault) => ({
    permissions: Object.assign(() => yes(), { peek: fault as never }),
  }),
  results: (fault) => ({ results: fault, limitsMs: { result: 50 } }),
  dialog: (fault) => ({ dialog: fault, permissions: () => ask('sure?'), limitsMs: { prompt: 50 } }),
  executor: (fault) => ({ executor: fault, ...toolWith({}) }),
  'ledger.find': (fault) => ({
    ledger: {
      find: fault as never,
      claim: () => ({ state: 'claimed' }),
      complete: () => undefined,
      forget: () => undefined,
    },
  }),
  'ledger.claim': (fault) => ({
    ledger: { claim: fault, complete: () => undefined, forget: () => undefined },
  }),
  'ledger.complete': (fault) => ({
    ledger: { claim: () => ({ state: 'claimed' }), complete: fault, forget: () => undefined },
  }),
  'ledger.forget': (fault) => ({
    ledger: {
      claim: () => ({ state: 'claimed' }),
      complete: () => undefined,
      forget: fault as never,
    },
  }),
  store: (fault) => ({
    store: { store: fault, owns: () => false },
    ...toolWith({ maxResultSizeChars: 1 }),
  }),
  'store, for a whole turn': (fault) => ({
    store: { store: fault, owns: () => false },
    maxTurnResultChars: 0,
    ...toolWith({ call: () => ({ data: 'x'.repeat(2_000) }) }),
  }),
  'ledger.complete, for a whole turn': (fault) => ({
    ledger: { claim: () => ({ state: 'claimed' }), complete: fault, forget: () => undefined },
    store: { store: async () => '/s', owns: () => false },
    maxTurnResultChars: 0,
    ...toolWith({ call: () => ({ data: 'x'.repeat(2_000) }) }),
  }),
  'store.remove': (fault) => ({
    store: { store: async () => '/s', owns: () => false, remove: fault },
    ...toolWith({ maxResultSizeChars: 1 }),
    plugin: ({ hooks }) => hooks.postToolUse.tap('r', () => ({ updatedOutput: 'other' })),
  }),
  'a schema of another library': (fault) =>
    toolWith({
      inputJSONSchema: { type: 'object' },
      inputSchema: { '~standard': { version: 1, vendor: 'x', validate: fault } },
    }),
  settings: (fault) => ({ settings: { current: fault as never } }),
  // The disk is asked only about calls that name a path.
  'facts.realPath': (fault) => ({
    facts: { ...noDisk, realPath: fault as never },
    tools: [buildTool({ ...echoTool().tool, pathFields: { text: 'Read' }, description: 'Reads.' })],
  }),
  'clock.now': (fault) => ({ clock: { now: fault as never, after: () => () => undefined } }),
  'clock.after': (fault) => ({ clock: { now: () => 0, after: fault as never } }),
  onDiagnostic: (fault) => ({ onDiagnostic: fault as never, permissions: fault }),
  ...Object.fromEntries(
    [
      'isEnabled',
      'effects',
      'validateInput',
      'checkPermissions',
      'backfillObservableInput',
      'isReadOnly',
      'isConcurrencySafe',
      'isDestructive',
      'isIdempotent',
      'interruptBehavior',
      'call',
      'mapToolResultToToolResultBlockParam',
    ].map((name) => [`tool.${name}`, (fault: Fault) => toolWith({ [name]: fault })]),
  ),
  'tool.inputSchema': (fault) =>
    toolWith({ inputSchema: z.object({ text: z.string().refine(() => fault() as never) }) }),
};
/** Of these faults a call goes on all the same: they are observers, or have a careful default. */
const harmless = new Set([
  'hook resolve',
  'hook prompt',
  'hook postToolUse',
  'hook postToolBatch',
  'hook emit',
  'hook trace',
  'hook progress',
  'permissions.peek',
  'ledger.complete',
  'ledger.forget',
  'store',
  'store, for a whole turn',
  'ledger.complete, for a whole turn',
  'store.remove',
  'clock.now',
  'clock.after',
  // One opaque unit more, which an allow of everything covers.
  'facts.realPath',
  'effects tightener',
  'effects owner',
  'tool.effects',
  'tool.backfillObservableInput',
  'tool.isReadOnly',
  'tool.isConcurrencySafe',
  'tool.isDestructive',
  'tool.isIdempotent',
  'tool.interruptBehavior',
]);

/** What answers late does so when the test says: after everybody stopped waiting. */
const late: (() => void)[] = [];

const faults: Record<string, Fault> = {
  throws: () => {
    throw new Error('fault');
  },
  rejects: () => Promise.reject(new Error('fault')),
  hangs: hang,
  'answers late': () => new Promise((_, reject) => void late.push(() => reject(new Error('late')))),
};

describe('invariant 2: no throw escapes', () => {
  const cases = Object.entries(places).flatMap(([place, options]) =>
    Object.entries(faults).map(([kind, fault]) => [place, kind, options(fault)] as const),
  );
  test.for(cases)('%s %s', async ([place, kind, { plugin, ...options }]) => {
    // These are synchronous by their types; a promise of theirs would be a fault of another kind.
    if (/^(settings|facts|clock)/.test(place) && kind !== 'throws') return;
    // Zod drops the promise of an asynchronous check where nobody can reach it.
    if (place === 'tool.inputSchema' && kind !== 'throws' && kind !== 'hangs') return;
    const make = () =>
      gateWith({ clock: hastyClock, permissions: yes, ...(plugin && { plugin }), ...options });
    // Settings that cannot be read are a set-up mistake when the gate is built; see the test below.
    if (place === 'settings') return;
    const { gate } = make();
    const outcome = await gate.run(toolUse('Echo', { text: 'hi' }));
    for (const answer of late.splice(0)) answer();
    await settled();
    expect([outcome.block.tool_use_id, outcome.outcome === 'ok']).toEqual([
      'toolu_1',
      harmless.has(place),
    ]);
    const turn = await gate.runTurn({
      role: 'assistant',
      content: [
        toolUse('Echo', { text: 'hi' }, { id: 'a' }),
        toolUse('Echo', { text: 'hi' }, { id: 'b' }),
      ],
    }).outcomes;
    for (const answer of late.splice(0)) answer();
    expect(turn.map(({ block }) => block.tool_use_id)).toEqual(['a', 'b']);
  });

  test('settings that break after the gate was built refuse every call of the turn', async () => {
    let works = true;
    const settings = {
      current: () => {
        if (!works) throw new Error('disk');
        return {
          rules: [],
          mode: 'default' as const,
          directories: [],
          values: [],
          diagnostics: [],
        };
      },
    };
    const { gate, ran } = gateWith({ settings, permissions: yes });
    works = false;
    const { block, code } = await gate.run(toolUse('Echo', { text: 'x' }));
    expect({ code, error: block.is_error, ran }).toEqual({
      code: 'internal_error',
      error: true,
      ran: [],
    });
  });
});

const units = [
  { tool: 'Echo', readOnly: false, own: true },
  { tool: 'Read', readOnly: true, path: '/x' },
] as const;
const anOpinion: fc.Arbitrary<Opinion> = fc.oneof(
  fc.constantFrom(allow('a'), allow('b', 'all'), allow('c', [units[1]])),
  fc.constantFrom(ask('soft', 'soft'), ask('ask'), ask('person', 'person')),
);
const aSpeed = fc.constantFrom('now', 'soon', 'later');
const at = async (speed: string): Promise<void> => {
  if (speed === 'soon') await Promise.resolve();
  if (speed === 'later') await settled();
};

describe('invariant 3: deny wins', () => {
  test('over whatever opinions in whatever order', () => {
    fc.assert(
      fc.property(fc.array(anOpinion), fc.nat(10), (others, place) => {
        const all = others.toSpliced(place, 0, deny('no'));
        expect(strictest(all, units)).toEqual(deny('no'));
      }),
    );
  });

  test('of several asks the strongest counts, whatever the order', () => {
    const asks = [ask('a', 'soft'), ask('b'), ask('c', 'person')];
    for (const all of [asks, asks.toReversed()])
      expect(strictest([allow('', 'all'), ...all], units)).toEqual(ask('c', 'person'));
  });

  test('a call without units is never allowed', () => {
    expect(strictest([allow('', 'all')], [])).toEqual({ behavior: 'undecided', uncovered: [] });
  });

  test('no allow more makes a verdict stricter, no ask is lifted by one', () => {
    fc.assert(
      fc.property(fc.array(anOpinion), (all) => {
        const rank = { allow: 0, undecided: 1, ask: 2, deny: 3 };
        const before = rank[strictest(all, units).behavior];
        const after = rank[strictest([...all, allow('x', 'all')], units).behavior];
        expect(after).toBe(before === 1 ? 0 : before);
      }),
    );
  });

  test('from every source, at every speed, with every other source saying allow', async () => {
    const sources = ['permissions', 'plugin', 'start', 'tool', 'mode'] as const;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...sources.slice(0, 4)),
        fc.tuple(aSpeed, aSpeed, aSpeed, aSpeed, aSpeed),
        async (denier, speeds) => {
          const says = (source: (typeof sources)[number]) => async () => {
            await at(speeds[sources.indexOf(source)] ?? 'now');
            return source === denier ? deny(`no from ${source}`) : allow('yes', 'all');
          };
          const tools = toolWith({ checkPermissions: says('tool') });
          const { gate } = gateWith({
            ...tools,
            permissions: says('permissions'),
            plugin: ({ hooks }) => {
              hooks.opinions.tap('p', says('plugin'));
              hooks.start.tap('s', async () => ({ opinion: await says('start')() }));
              hooks.resolve.tap({ name: 'm', slot: 'mode' }, says('mode'));
            },
            dialog: async () => ({ behavior: 'allow' }),
          });
          const { block } = await gate.run(toolUse('Echo', { text: 'x' }));
          expect(block).toEqual(refusal(`no from ${denier}`));
        },
      ),
      { numRuns: 60 },
    );
  });
});

const nobody =
  'No rule allows this call. Somebody must confirm it, and nobody can be asked here, so nothing ran. Do it another way, or ask the person to allow it.';

describe('invariant 4: unknown means ask, and with nobody to ask deny', () => {
  test('without any opinion nothing runs', async () => {
    const { gate, ran } = gateWith();
    expect((await gate.run(toolUse('Echo', { text: 'x' }))).block).toEqual(refusal(nobody));
    expect(ran).toEqual([]);
  });

  test('without any opinion a person is asked, and a silent one has not allowed it', async () => {
    const { gate, ran } = gateWith({ dialog: async () => undefined });
    expect((await gate.run(toolUse('Echo', { text: 'x' }))).block).toEqual(
      refusal('No rule allows this call. Nobody confirmed it, so nothing ran.'),
    );
    expect(ran).toEqual([]);
  });

  test('a person’s plain no has its own text, a reason is handed on', async () => {
    const plain = gateWith({ dialog: async () => ({ behavior: 'deny' }) });
    expect((await plain.gate.run(toolUse('Echo', { text: 'x' }))).block).toEqual(
      refusal(
        'The person did not want this call to run, so nothing was done. Stop here and wait for them to say how to go on.',
      ),
    );
    const told = gateWith({ dialog: async () => ({ behavior: 'deny', message: 'Use git.' }) });
    expect((await told.gate.run(toolUse('Echo', { text: 'x' }))).block).toEqual(
      refusal('Use git.'),
    );
  });

  test.for([
    ['a misspelled key', { behavior: 'allow', rule: ['x'] }],
    ['a misspelled word', { behavior: 'alow' }],
    ['a list that prints like the word', { behavior: ['allow'] }],
    ['an input that is no object', { behavior: 'allow', updatedInput: 'x' }],
    ['rules that are no texts', { behavior: 'allow', rules: [5] }],
    ['true', true],
  ])('a dialog’s answer with %s allows nothing', async ([, answer]) => {
    const { gate, ran, diagnostics } = gateWith({ dialog: async () => answer as never });
    expect(await gate.run(toolUse('Echo', { text: 'x' }))).toMatchObject({
      code: 'permission_denied',
    });
    expect(ran).toEqual([]);
    expect(diagnostics.map(({ code }) => code)).toEqual(['answer-dropped']);
  });

  test.for([
    ['an unknown word', { behavior: 'yes' }],
    ['a misspelled key', { behavior: 'allow', cover: 'all' }],
    ['considered that is no list', { behavior: 'allow', considered: 5 }],
    ['covers that is nothing', { behavior: 'allow', covers: 5 }],
  ])('an opinion with %s denies', async ([, opinion]) => {
    const { gate } = gateWith({ permissions: () => opinion as never });
    expect((await gate.run(toolUse('Echo', { text: 'x' }))).block).toEqual(
      refusal('A permission source failed, so the call was refused.'),
    );
  });
});

describe('invariant 5: approved input is executed input', () => {
  const bash = () => {
    const ran: string[] = [];
    const seen: string[] = [];
    const tool = buildTool({
      name: 'Sh',
      description: '',
      inputSchema: z.object({ command: z.string(), timeout: z.number().default(5) }),
      effects: ({ command }) => ({ units: [{ tool: 'Sh', readOnly: false, content: command }] }),
      call: ({ command }) => {
        ran.push(command);
        return { data: 'done' };
      },
    });
    return { tool, ran, seen };
  };
  const onlyTest = (call: { input: { command?: unknown } }) =>
    call.input.command === 'npm test' ? allow() : undefined;
  const rewriteTo = (command: string) => () => ({ updatedInput: { command } });

  test('an allow of the old input is dropped when a hook rewrites it', async () => {
    const { tool, ran } = bash();
    const { gate } = gateWith({
      tools: [tool],
      permissions: onlyTest,
      plugin: ({ hooks }) => hooks.start.tap('rewrite', rewriteTo('npm publish')),
    });
    expect((await gate.run(toolUse('Sh', { command: 'npm test' }))).block).toEqual(refusal(nobody));
    expect(ran).toEqual([]);
  });

  test('what the rewriting hook itself allowed, it allowed of the new input', async () => {
    const { tool, ran } = bash();
    const { gate } = gateWith({
      tools: [tool],
      plugin: ({ hooks }) =>
        hooks.start.tap('rewrite', () => ({ opinion: allow(), updatedInput: { command: 'ls' } })),
    });
    expect(await gate.run(toolUse('Sh', { command: 'npm test' }))).toMatchObject({ outcome: 'ok' });
    expect(ran).toEqual(['ls']);
  });

  test.for([['guard first'], ['rewriter first'], ['same tap name']])(
    'a guard sees what its sibling wrote: %s',
    async ([order]) => {
      const { tool, ran } = bash();
      const name = order === 'same tap name' ? 'pre' : 'guard';
      const guard = definePlugin({
        name: 'guard',
        setup: ({ hooks }) =>
          hooks.start.tap(name, async ({ call }) => {
            await settled();
            return call.input['command'] === 'touch x'
              ? { opinion: deny('no touching') }
              : { opinion: allow('', 'all') };
          }),
      });
      const rewriter = definePlugin({
        name: 'rewriter',
        setup: ({ hooks }) =>
          hooks.start.tap('pre', () => ({ opinion: allow('', 'all'), ...rewriteTo('touch x')() })),
      });
      const plugins = order === 'guard first' ? [guard(), rewriter()] : [rewriter(), guard()];
      const { gate } = gateWith({ tools: [tool], permissions: yes, plugins });
      expect((await gate.run(toolUse('Sh', { command: 'echo' }))).block).toEqual(
        refusal('no touching'),
      );
      expect(ran).toEqual([]);
    },
  );

  test('a deny of the old input survives its replacement', async () => {
    const { tool } = bash();
    const { gate } = gateWith({
      tools: [tool],
      permissions: yes,
      plugin: ({ hooks }) => {
        hooks.start.tap('rewrite', rewriteTo('ls'));
        hooks.start.tap('guard', ({ call }) =>
          call.input['command'] === 'rm' ? { opinion: deny('not that') } : undefined,
        );
      },
    });
    expect((await gate.run(toolUse('Sh', { command: 'rm' }))).block).toEqual(refusal('not that'));
  });

  test('a second rewrite refuses the call; the same one again does not', async () => {
    for (const [second, outcome] of [
      ['b', 'refused'],
      ['a', 'ok'],
    ] as const) {
      const { tool, ran } = bash();
      const { gate } = gateWith({
        tools: [tool],
        permissions: yes,
        plugin: ({ hooks }) => {
          hooks.start.tap('one', ({ recheck }) => (recheck ? undefined : rewriteTo('a')()));
          hooks.start.tap('two', ({ recheck }) => (recheck ? rewriteTo(second)() : undefined));
        },
      });
      expect(await gate.run(toolUse('Sh', { command: 'x' }))).toMatchObject({ outcome });
      expect(ran).toEqual(outcome === 'ok' ? ['a'] : []);
    }
  });

  test('two different rewrites at once refuse the call', async () => {
    const { tool } = bash();
    const { gate } = gateWith({
      tools: [tool],
      permissions: yes,
      plugin: ({ hooks }) => {
        hooks.start.tap('one', rewriteTo('a'));
        hooks.start.tap('two', rewriteTo('b'));
      },
    });
    expect((await gate.run(toolUse('Sh', { command: 'x' }))).block).toEqual(
      refusal('one and two rewrote this call differently.'),
    );
  });

  test('a rewrite that breaks the schema is a validation result that names its author', async () => {
    const { tool } = bash();
    const { gate } = gateWith({
      tools: [tool],
      permissions: yes,
      plugin: ({ hooks }) => hooks.start.tap('rewrite', () => ({ updatedInput: { command: 42 } })),
    });
    const { block, code } = await gate.run(toolUse('Sh', { command: 'x' }));
    expect(code).toBe('input_invalid');
    expect(block.content).toBe(
      '<tool_use_error>InputValidationError: Sh was given an invalid input:\n- `command`: expected string, got number\nThis input came from rewrite, which replaced yours.</tool_use_error>',
    );
  });

  test('a hook that hands back what it was shown has changed nothing', async () => {
    const { ran } = bash();
    const revisions: number[] = [];
    const tool = buildTool({
      name: 'Sh',
      description: '',
      inputSchema: z.strictObject({ file: z.string() }),
      backfillObservableInput: (input, { cwd }) => ({
        ...input,
        file: `${cwd}/${String(input['file'])}`,
        extra: 1,
      }),
      call: (input) => (ran.push(input.file), { data: '' }),
    });
    const { gate } = gateWith({
      tools: [tool],
      permissions: (call) => (revisions.push(call.revision), allow()),
      plugin: ({ hooks }) =>
        hooks.start.tap('echo', ({ call }) => ({ updatedInput: { ...call.observedInput } })),
    });
    expect(await gate.run(toolUse('Sh', { file: 'a' }))).toMatchObject({ outcome: 'ok' });
    expect({ ran, revisions }).toEqual({ ran: ['a'], revisions: [0] });
  });

  test('checkPermissions replaces the input once, and the new one is judged anew', async () => {
    for (const [again, expected] of [
      [false, 'ok'],
      [true, 'refused'],
    ] as const) {
      const judged: unknown[] = [];
      const { tools } = toolWith({
        checkPermissions: (input: { text: string }) =>
          input.text === 'old' || again
            ? { behavior: 'allow', reason: 'mine', updatedInput: { text: `${input.text}+` } }
            : { behavior: 'passthrough' },
      });
      const { gate } = gateWith({
        tools,
        permissions: (call) => (judged.push(call.input['text']), allow()),
      });
      const { outcome, block } = await gate.run(toolUse('Echo', { text: 'old' }));
      expect({ outcome, judged, content: block.content }).toEqual({
        outcome: expected,
        judged: ['old+'],
        content: again
          ? '<tool_use_error>Echo replaced its input a second time.</tool_use_error>'
          : 'old+',
      });
    }
  });

  test('the allow that comes with a tool’s rewrite does not outlive it', async () => {
    const { tools } = toolWith({
      checkPermissions: (input: { text: string }) =>
        input.text === 'old'
          ? { behavior: 'allow', reason: 'mine', updatedInput: { text: 'new' } }
          : { behavior: 'passthrough' },
    });
    const { gate } = gateWith({ tools });
    expect((await gate.run(toolUse('Echo', { text: 'old' }))).block).toEqual(refusal(nobody));
  });

  test('a person’s edit is that person’s approval, under denies and rule asks', async () => {
    const rule = { behavior: 'ask', text: 'Echo(x)', source: 'userSettings' } as const;
    const about: Record<string, Opinion> = {
      plain: ask('hook-like ask'),
      denied: deny('never'),
      ruled: { ...ask('a rule asks'), rule },
    };
    const prompts: unknown[] = [];
    const dialog =
      (edit: string) => async (prompt: { input: Readonly<Record<string, unknown>> }) => {
        prompts.push(prompt.input['text']);
        return {
          behavior: 'allow' as const,
          ...(prompt.input['text'] === 'old' && { updatedInput: { text: edit } }),
        };
      };
    const outcomes: unknown[] = [];
    for (const edit of ['plain', 'denied', 'ruled']) {
      const { gate } = gateWith({
        permissions: (call) => about[String(call.input['text'])],
        dialog: dialog(edit),
      });
      outcomes.push((await gate.run(toolUse('Echo', { text: 'old' }))).block);
    }
    expect(outcomes).toEqual([result('plain'), refusal('never'), result('ruled')]);
    expect(prompts).toEqual(['old', 'old', 'old', 'ruled']);
  });

  test('a tool learns that a person edited its input', async () => {
    const seen: boolean[] = [];
    const { tools } = toolWith({
      call: (_: unknown, context: { userModified: boolean }) => (
        seen.push(context.userModified),
        { data: '' }
      ),
    });
    const { gate } = gateWith({
      tools,
      dialog: async () => ({ behavior: 'allow', updatedInput: { text: 'b' } }),
    });
    await gate.run(toolUse('Echo', { text: 'a' }));
    const same = gateWith({
      tools,
      dialog: async () => ({ behavior: 'allow', updatedInput: { text: 'a' } }),
    });
    await same.gate.run(toolUse('Echo', { text: 'a' }));
    expect(seen).toEqual([true, false]);
  });

  test('an edit that is edited again refuses the call', async () => {
    const rule = { behavior: 'ask', text: 'Echo', source: 'userSettings' } as const;
    let edits = 0;
    const { gate, ran } = gateWith({
      permissions: () => ({ ...ask('sure?'), rule }),
      dialog: async () => ({ behavior: 'allow', updatedInput: { text: `edit ${edits++}` } }),
    });
    expect((await gate.run(toolUse('Echo', { text: 'old' }))).block).toEqual(
      refusal('The input was edited twice; send the call again.'),
    );
    expect(ran).toEqual([]);
  });

  test('a hook’s edit allows what nobody asks about; an ask of the new input needs a person', async () => {
    for (const [opinion, expected] of [
      [undefined, result('new')],
      [ask('hm'), refusal('hm Nobody confirmed it, so nothing ran.')],
    ] as const) {
      let asked = 0;
      const { gate } = gateWith({
        permissions: (call) => (call.input['text'] === 'new' ? opinion : undefined),
        plugin: ({ hooks }) => {
          hooks.start.tap('hooks', ({ recheck }) =>
            recheck ? undefined : { opinion: ask('first') },
          );
          hooks.prompt.tap({ name: 'hooks', slot: 'hooks' }, () => {
            asked += 1;
            return { by: 'hook', answer: { behavior: 'allow', updatedInput: { text: 'new' } } };
          });
        },
      });
      expect((await gate.run(toolUse('Echo', { text: 'old' }))).block).toEqual(expected);
      expect(asked).toBe(1);
    }
  });

  test('the classifier’s guess about the old input does not travel with the new one', async () => {
    const pending: unknown[] = [];
    const { gate } = gateWith({
      permissions: (call) => (pending.push(call.pendingClassifierCheck), allow()),
      plugin: ({ hooks }) => {
        hooks.start.tap('classifier', ({ recheck }) =>
          recheck ? undefined : { later: Promise.resolve(allow()) },
        );
        hooks.start.tap('rewrite', () => ({ updatedInput: { text: 'new' } }));
      },
    });
    await gate.run(toolUse('Echo', { text: 'old' }));
    expect(pending).toEqual([undefined]);
  });

  test('a promise handed over for later may reject, also when nobody takes it', async () => {
    const { gate } = gateWith({
      permissions: yes,
      plugin: ({ hooks }) => {
        hooks.start.tap('a', () => ({ later: Promise.reject(new Error('a')) }));
        hooks.start.tap('b', () => ({ later: Promise.reject(new Error('b')) }));
      },
    });
    expect(await gate.run(toolUse('Echo', { text: 'x' }))).toMatchObject({ outcome: 'ok' });
  });

  test('no tap can change what was approved (security rule 22)', async () => {
    const thrown: string[] = [];
    const attack = (call: object) => {
      for (const [path, work] of [
        ['input', () => Object.assign(call, { input: { text: 'evil' } })],
        ['input.text', () => Object.assign((call as { input: object }).input, { text: 'evil' })],
        ['units', () => (call as { effects: { units: unknown[] } }).effects.units.pop()],
        ['toolUse', () => Object.assign((call as { toolUse: object }).toolUse, { name: 'evil' })],
        [
          'settings',
          () =>
            Object.assign((call as { settings: object }).settings, { mode: 'bypassPermissions' }),
        ],
        [
          'tool',
          () => Object.assign((call as { tool: object }).tool, { call: () => ({ data: 'evil' }) }),
        ],
      ] as const)
        try {
          work();
        } catch {
          thrown.push(path);
        }
      return undefined;
    };
    const { gate, ran } = gateWith({
      permissions: (call) => (attack(call), allow()),
      plugin: ({ hooks }) => {
        hooks.check.tap('x', (call) => (attack({ settings: {}, ...call }), undefined));
        hooks.start.tap('x', ({ call }) => attack(call));
        hooks.result.tap('x', ({ call }) => attack(call));
        hooks.execute.tap('x', attack);
        hooks.postToolUse.tap('x', attack);
      },
    });
    expect((await gate.run(toolUse('Echo', { text: 'good' }))).block).toEqual(result('good'));
    expect(ran).toEqual([{ text: 'good' }]);
    expect(thrown.filter((path) => path === 'input')).toHaveLength(5);
    expect(thrown.filter((path) => path === 'settings')).toHaveLength(5);
  });

  test('a rewrite’s effects, working directory and digest are the new input’s', async () => {
    const { tool } = bash();
    const prompts: { digest: string; units: readonly { content?: string }[] }[] = [];
    const { gate } = gateWith({
      tools: [tool],
      dialog: async (prompt) => (prompts.push(prompt), undefined),
      plugin: ({ hooks }) =>
        hooks.start.tap('r', ({ call }) =>
          call.input['command'] === 'a' ? rewriteTo('b')() : undefined,
        ),
    });
    await gate.run(toolUse('Sh', { command: 'a' }));
    await gate.run(toolUse('Sh', { command: 'b' }));
    expect(prompts.map(({ units: [unit] }) => unit?.content)).toEqual(['b', 'b']);
    expect(prompts[0]?.digest).toBe(prompts[1]?.digest);
  });
});

test('in the second round an allow counts for nothing: it spares no dialog', async () => {
  const { gate } = gateWith({
    plugin: ({ hooks }) => {
      hooks.start.tap('rewrite', () => ({ updatedInput: { text: 'new' } }));
      hooks.start.tap('eager', () => ({ opinion: allow('yes', 'all') }));
    },
  });
  expect((await gate.run(toolUse('Echo', { text: 'old' }))).block).toEqual(refusal(nobody));
});

test('after a hook’s edit no other hook settles an ask of the new input', async () => {
  const { gate, ran } = gateWith({
    permissions: ({ input }) => (input['text'] === 'new' ? ask('hm') : undefined),
    plugin: ({ hooks }) => {
      hooks.prompt.tap('edits', ({ call }) =>
        call.input['text'] === 'old'
          ? { by: 'hook', answer: { behavior: 'allow', updatedInput: { text: 'new' } } }
          : undefined,
      );
      hooks.prompt.tap('nods', async ({ call }) =>
        call.input['text'] === 'new' ? { by: 'hook', answer: { behavior: 'allow' } } : undefined,
      );
    },
  });
  expect((await gate.run(toolUse('Echo', { text: 'old' }))).block).toEqual(
    refusal('hm Nobody confirmed it, so nothing ran.'),
  );
  expect(ran).toEqual([]);
});

describe('invariant 6: the model’s input bytes are untouched', () => {
  test('neither changed, frozen nor shared', async () => {
    const input = { text: 'x', list: [{ a: 1 }] };
    const use = toolUse('Echo', input);
    const before = JSON.stringify(use);
    const seen: unknown[] = [];
    const { tools } = toolWith({
      inputSchema: z.looseObject({ text: z.string() }),
      call: (given: unknown) => (seen.push(given), { data: '' }),
    });
    const { gate } = gateWith({
      tools,
      permissions: (call) => (seen.push(call.input, call.toolUse, call.toolUse.input), allow()),
      plugin: ({ hooks }) => hooks.lookup.tap('l', (given) => void seen.push(given)),
    });
    await gate.run(use);
    await gate.runTurn({ role: 'assistant', content: [use] }).message;
    expect(JSON.stringify(use)).toBe(before);
    expect([use, input, input.list, input.list[0]].map(Object.isFrozen)).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect(seen.length).toBe(10);
    expect(seen.every((one) => one !== use && one !== input)).toBe(true);
    expect(seen.every(Object.isFrozen)).toBe(true);
  });
});

test('createToolgate refuses a misspelled option and names the nearest', () => {
  const options: object = { permisions: yes };
  expect(() => createToolgate(options)).toThrow(
    'createToolgate has the unknown key "permisions". Did you mean "permissions"?',
  );
  const limits: object = { limitsMs: { opinons: 5 } };
  expect(() => createToolgate(limits)).toThrow(
    'limitsMs has the unknown key "opinons". Did you mean "opinions"?',
  );
});
