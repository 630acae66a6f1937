import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  allow,
  ask,
  buildTool,
  deny,
  type Opinion,
  type PermissionAnswer,
  type PermissionBackend,
  type PermissionPrompt,
  type PluginGate,
  type PromptAnswer,
  type ToolgateOptions,
} from '../src/index.ts';
import { gateWith, hang, noUnhandledRejections, refusal, toolUse } from './helpers.ts';

noUnhandledRejections();

type Slot = 'hooks' | 'classifier' | 'dialog';
const yes = { behavior: 'allow' } as const;
const no = { behavior: 'deny', message: 'No.' } as const;
const units = ['a', 'b', 'c'].map((content) => ({ tool: 'T', content, readOnly: false }));
const tool = buildTool({
  name: 'T',
  description: '',
  inputSchema: z.object({ text: z.string().default('') }),
  effects: () => ({ units, suggestedRules: ['T(a)', 'Edit(/x)', 'Reader(x)', 'My Edit(x)'] }),
  call: () => ({ data: 'ran' }),
});

/** Runs one call; the taps answer in the slots they are given. */
async function asked(
  permissions: ToolgateOptions['permissions'],
  answers: readonly (readonly [Slot, PromptAnswer['by'], PermissionAnswer])[],
  more: ToolgateOptions & { readonly plugin?: (gate: PluginGate) => void } = {},
) {
  const prompts: PermissionPrompt[] = [];
  const { plugin, ...options } = more;
  const { gate, diagnostics } = gateWith({
    tools: [tool],
    permissions: permissions ?? (() => undefined),
    plugin: (given) => {
      for (const [index, [slot, by, answer]] of answers.entries())
        given.hooks.prompt.tap({ name: `${slot}-${index}`, slot }, ({ prompt }) => {
          prompts.push(prompt);
          return { answer, by };
        });
      plugin?.(given);
    },
    ...options,
  });
  const outcome = await gate.run(toolUse('T', {}));
  const dropped = diagnostics.filter(({ code }) => code === 'answer-dropped');
  return { ...outcome, prompts, dropped };
}

describe('an answer that does not count is dropped, reported, and in the trail', () => {
  test.for<[Slot, PromptAnswer['by'], PermissionAnswer, Opinion | undefined, string]>([
    ['hooks', 'person', yes, undefined, 'a tap in slot hooks cannot answer as person'],
    ['hooks', 'classifier', yes, undefined, 'a tap in slot hooks cannot answer as classifier'],
    ['dialog', 'hook', yes, undefined, 'a tap in slot dialog cannot answer as hook'],
    ['classifier', 'person', yes, undefined, 'a tap in slot classifier cannot answer as person'],
    ['hooks', 'hook', yes, ask('sure?', 'person'), 'this ask needs a person'],
    [
      'classifier',
      'classifier',
      yes,
      ask('sure?', 'soft'),
      'a classifier can only allow what nobody asked about',
    ],
    [
      'classifier',
      'classifier',
      no,
      undefined,
      'a classifier can only allow what nobody asked about',
    ],
  ])('%s as %s: %j to %j', async ([slot, by, answer, opinion, problem]) => {
    const { code, decision, dropped } = await asked(() => opinion, [[slot, by, answer]]);
    expect(code).toBe('permission_denied');
    expect(dropped).toEqual([
      {
        code: 'answer-dropped',
        severity: 'warning',
        message: `an answer of ${slot}-0 (probe) did not count: ${problem}`,
      },
    ]);
    expect(decision?.trail.at(-1)).toEqual({
      step: 'prompt',
      from: `${slot}-0`,
      plugin: 'probe',
      behavior: 'dropped',
      reason: problem,
    });
    expect(decision).toMatchObject({
      behavior: 'deny',
      reason: `${opinion?.reason ?? 'No rule allows this call.'} Nobody confirmed it, so nothing ran.`,
    });
  });
  test('a tap without a slot speaks for nobody', async () => {
    const { code, dropped } = await asked(undefined, [], {
      plugin: ({ hooks }) => hooks.prompt.tap('free', () => ({ answer: yes, by: 'person' })),
    });
    expect(code).toBe('permission_denied');
    expect(dropped[0]?.message).toMatch(
      /^an answer of free \(probe\) did not count: a tap in slot /,
    );
  });
  test('one that fails is no answer', async () => {
    const { decision, dropped } = await asked(undefined, [], {
      plugin: ({ hooks }) =>
        hooks.prompt.tap({ name: 'broken', slot: 'hooks' }, () =>
          Promise.reject(new Error('down')),
        ),
    });
    expect(decision?.trail.at(-1)).toEqual({
      step: 'prompt',
      from: 'broken',
      plugin: 'probe',
      behavior: 'failed',
      reason: 'down',
    });
    expect(dropped[0]?.message).toBe('an answer of broken (probe) did not count: down');
  });
});

describe('an answer that counts', () => {
  test.for<[Slot, PromptAnswer['by'], PermissionAnswer, Opinion | undefined, string]>([
    ['dialog', 'person', yes, ask('sure?', 'person'), 'A person allowed it.'],
    ['hooks', 'hook', yes, ask('sure?', 'ask'), 'A hook allowed it.'],
    ['hooks', 'hook', yes, undefined, 'A hook allowed it.'],
    ['classifier', 'classifier', yes, undefined, 'The classifier allowed it.'],
  ])('%s as %s allows: %j to %j', async ([slot, by, answer, opinion, reason]) => {
    const { outcome, decision } = await asked(() => opinion, [[slot, by, answer]]);
    expect(outcome).toBe('ok');
    expect(decision).toMatchObject({ behavior: 'allow', reason });
    expect(decision?.trail.at(-1)).toEqual({
      step: 'prompt',
      from: `${slot}-0`,
      plugin: 'probe',
      behavior: 'allow',
    });
  });
  test('a person who edits is said to have', async () => {
    const answer = { behavior: 'allow', updatedInput: { text: 'edited' } } as const;
    const { decision } = await asked(undefined, [['dialog', 'person', answer]]);
    expect(decision).toMatchObject({
      behavior: 'allow',
      reason: expect.stringContaining('A person edited and allowed it.'),
    });
  });
  test('a hook may always say no, and has a text of its own', async () => {
    const { block } = await asked(
      () => ask('sure?', 'person'),
      [['hooks', 'hook', { behavior: 'deny' }]],
    );
    expect(block).toEqual(refusal('A hook refused this call.'));
  });
  test.for<[PermissionAnswer, string]>([
    [{ behavior: 'deny', message: 'Stop it.', interrupt: true }, 'Stop it.'],
    [{ behavior: 'deny', interrupt: true }, 'The person said no.'],
  ])('a no that interrupts ends the loop: %j', async ([answer, reason]) => {
    const { stop, decision } = await asked(undefined, [['dialog', 'person', answer]]);
    expect(stop).toEqual({ reason });
    expect(decision?.behavior).toBe('deny');
  });
  test('a no that does not interrupt lets the loop go on', async () => {
    const { stop } = await asked(undefined, [['dialog', 'person', no]]);
    expect(stop).toBeUndefined();
  });
});

describe('a prompt shows the parts to approve', () => {
  const shown = async (permissions: ToolgateOptions['permissions']) =>
    (await asked(permissions, [['dialog', 'person', no]])).prompts[0]?.units.map(
      ({ content }) => content,
    );
  test('those that nothing covers', async () => {
    expect(await shown(({ effects }) => allow('', effects.units.slice(0, 1)))).toEqual(['b', 'c']);
  });
  test('those that somebody asks about, and those that no rule allows', async () => {
    const about = (opinion: Opinion, unit: Opinion['unit']): Opinion =>
      unit ? { ...opinion, unit } : opinion;
    expect(
      await shown(
        ({
          effects: {
            units: [a, b],
          },
        }) => [
          about(ask('sure?'), a),
          about(allow('', a ? [a] : []), a),
          about(allow('', b ? [b] : []), b),
        ],
      ),
    ).toEqual(['a', 'c']);
  });
  test('those that are asked about although a rule allows them', async () => {
    expect(
      await shown(({ effects }) => [
        ...effects.units.map((unit): Opinion => ({ ...allow('', [unit]), unit })),
        ...effects.units
          .filter(({ content }) => content !== 'b')
          .map((unit): Opinion => ({ ...ask('sure?'), unit })),
      ]),
    ).toEqual(['a', 'c']);
  });
  test('all of them, when it is the call that is asked about', async () => {
    expect(
      await shown(({ effects }) => [
        ask('sure?'),
        ...effects.units.map((unit): Opinion => ({ ...allow('', [unit]), unit })),
      ]),
    ).toEqual(['a', 'b', 'c']);
  });
});

test('a prompt offers rules with the place they usually go to, and none where a person alone decides', async () => {
  const offered = async (opinion: Opinion, options: ToolgateOptions = {}) =>
    (
      await asked(() => opinion, [['dialog', 'person', no]], options)
    ).prompts[0]?.suggestedRules.map(({ rule, destination }) => `${rule} ${destination}`);
  expect(await offered(ask('sure?'))).toEqual([
    'T(a) session',
    'Edit(/x) session',
    'Reader(x) session',
    'My Edit(x) session',
  ]);
  expect(await offered(ask('sure?', 'person'))).toEqual([]);
});

test('a prompt names the agent and a classifier that is still at work', async () => {
  const { gate } = gateWith({ tools: [tool] });
  void gate;
  const first = await asked(undefined, [['dialog', 'person', no]]);
  expect(first.prompts[0]).not.toHaveProperty('agentId');
  expect(first.prompts[0]).not.toHaveProperty('classifier');
  const second = await asked(undefined, [['dialog', 'person', no]], {
    classifierWaitMs: 0,
    plugin: ({ hooks }) => hooks.resolve.tap({ name: 'c', slot: 'classifier' }, hang),
  });
  expect(second.prompts[0]).toMatchObject({ classifier: 'pending' });
});

describe('after an edit', () => {
  const edits = { behavior: 'allow', updatedInput: { text: 'edited' } } as const;
  test('of a hook only a person can allow, and that hook is not asked again', async () => {
    const heard: string[] = [];
    const { gate } = gateWith({
      tools: [tool],
      permissions: ({ input }) => (input['text'] === 'edited' ? ask('still?') : undefined),
      plugin: ({ hooks }) => {
        hooks.prompt.tap({ name: 'editor', slot: 'hooks' }, () => {
          heard.push('editor');
          return { answer: edits, by: 'hook' };
        });
        hooks.prompt.tap({ name: 'other', slot: 'hooks' }, ({ prompt }) => {
          heard.push(`other ${String(prompt.input['text'])}`);
          return prompt.input['text'] === 'edited' ? { answer: yes, by: 'hook' } : undefined;
        });
      },
    });
    const { code, decision } = await gate.run(toolUse('T', {}));
    expect(code).toBe('permission_denied');
    expect(heard).toEqual(['editor', 'other edited']);
    expect(decision?.trail.at(-1)).toMatchObject({
      from: 'other',
      behavior: 'dropped',
      reason: 'this ask needs a person',
    });
  });
  test('of a person everybody is asked again, the person too', async () => {
    let times = 0;
    const { gate } = gateWith({
      tools: [tool],
      permissions: ({ input }) =>
        input['text'] === 'edited'
          ? { ...ask('a rule asks'), rule: { behavior: 'ask', text: 'T', source: 'userSettings' } }
          : undefined,
      dialog: async () => ((times += 1) === 1 ? edits : yes),
    });
    expect((await gate.run(toolUse('T', {}))).outcome).toBe('ok');
    expect(times).toBe(2);
  });
  test('a no to the edited call is one', async () => {
    const { gate } = gateWith({
      tools: [tool],
      permissions: ({ input }) => (input['text'] === 'edited' ? deny('Not that.') : undefined),
      dialog: async () => edits,
    });
    expect((await gate.run(toolUse('T', {}))).block).toEqual(refusal('Not that.'));
  });
});

describe('what stage 4 does with an answer', () => {
  const edits = (text: string) => ({ behavior: 'allow', updatedInput: { text } }) as const;
  const asksAfter =
    (text: string): PermissionBackend =>
    (given) =>
      given.input['text'] === text
        ? { ...ask('a rule asks'), rule: { behavior: 'ask', text: 'T', source: 'userSettings' } }
        : undefined;
  test('an input that is edited a second time runs nothing', async () => {
    let times = 0;
    const { gate } = gateWith({
      tools: [tool],
      permissions: asksAfter('first'),
      dialog: async () => edits((times += 1) === 1 ? 'first' : 'second'),
    });
    const { block, code, decision } = await gate.run(toolUse('T', {}));
    expect([block, code, decision?.behavior]).toEqual([
      refusal('The input was edited twice; send the call again.'),
      'permission_denied',
      'deny',
    ]);
  });
  test('rules of the answer to an edited call are kept, and the tool learns of the edit', async () => {
    let times = 0;
    const modified: boolean[] = [];
    const watching = {
      ...tool,
      call: (_: unknown, context: { userModified: boolean }) => {
        modified.push(context.userModified);
        return { data: '' };
      },
    };
    const { gate } = gateWith({
      tools: [watching as typeof tool],
      permissions: asksAfter('first'),
      dialog: async () => ((times += 1) === 1 ? edits('first') : { ...yes, rules: ['T(a)'] }),
    });
    expect((await gate.run(toolUse('T', {}))).outcome).toBe('ok');
    expect(modified).toEqual([true]);
    expect(gate.policy.snapshot().rules.map(({ text }) => text)).toEqual(['T(a)']);
  });
  test.for<[string, ToolgateOptions, string]>([
    [
      'checkPermissions',
      {
        tools: [
          {
            ...tool,
            checkPermissions: () => ({ behavior: 'passthrough', updatedInput: { text: 5 } }),
          },
        ],
      },
      'checkPermissions',
    ],
    ['a person', { dialog: async () => ({ ...yes, updatedInput: { text: 5 } }) }, 'dialog'],
  ])('an input of %s that does not fit names its author', async ([, options, author]) => {
    const { gate } = gateWith({ tools: [tool], ...options });
    const { code, block } = await gate.run(toolUse('T', {}));
    expect(code).toBe('input_invalid');
    expect(block.content).toContain(`This input came from ${author}, which replaced yours.`);
  });
  test.for<[string, ToolgateOptions, string]>([
    ['opinions', { permissions: () => deny('No.') }, 'opinions'],
    ['a person', { dialog: async () => no }, 'person'],
    ['silence', { dialog: async () => undefined }, 'nobody'],
    ['nobody', {}, 'nobody'],
  ])('who hears of denials learns who it was: %s', async ([, options, who]) => {
    const heard: string[] = [];
    const { gate, diagnostics } = gateWith({
      tools: [tool],
      ...options,
      plugin: ({ hooks }) => {
        hooks.permissionDenied.tap('one', ({ by }) => {
          heard.push(String(by));
          return { context: 'Ask first.', message: 'Somebody tried.' };
        });
        hooks.permissionDenied.tap('two', () => ({ context: 'Then wait.' }));
        hooks.permissionDenied.tap('three', () => Promise.reject(new Error('down')));
      },
    });
    const { block } = await gate.run(toolUse('T', {}));
    expect(heard).toEqual([who]);
    expect(block.content).toMatch(/\nAsk first\.\nThen wait\.<\/tool_use_error>$/);
    expect(diagnostics.map(({ code, severity, message }) => [code, severity, message])).toEqual([
      ['denied-hook-failed', 'warning', 'three of probe failed: down'],
      ['hook-message', 'info', 'Somebody tried.'],
    ]);
  });
  test('work that was begun for the decision learns when it is made', async () => {
    let signal: AbortSignal | undefined;
    const atDenial: (boolean | undefined)[] = [];
    const { gate } = gateWith({
      tools: [tool],
      permissions: () => deny('No.'),
      plugin: ({ hooks }) => {
        hooks.start.tap('early', (input) => {
          signal = input.signal;
          return undefined;
        });
        hooks.permissionDenied.tap('note', () => {
          atDenial.push(signal?.aborted);
          return undefined;
        });
      },
    });
    await gate.run(toolUse('T', {}));
    expect(atDenial).toEqual([true]);
  });
});

test('a hook that has nothing to say is nobody to ask', async () => {
  const { gate } = gateWith({
    plugin: ({ hooks }) => hooks.prompt.tap({ name: 'silent', slot: 'hooks' }, () => undefined),
  });
  const { block } = await gate.run(toolUse('Echo', { text: 'x' }));
  expect(block.content).toContain('nobody can be asked here');
});
