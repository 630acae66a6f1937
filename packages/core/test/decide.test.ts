import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  allow,
  ask,
  buildTool,
  coversUnit,
  deny,
  type AnyTool,
  type Opinion,
  type PluginGate,
  type RuleEntry,
  type TrailEntry,
} from '../src/index.ts';
import { decideReplay } from '../src/decide.ts';
import { gateWith, hang, hastyClock, noUnhandledRejections, refusal, toolUse } from './helpers.ts';

noUnhandledRejections();

const units = [
  { tool: 'T', content: 'a', readOnly: false },
  { tool: 'T', content: 'b', readOnly: false },
];
const toolWith = (part: object = {}): AnyTool =>
  buildTool({
    name: 'T',
    description: '',
    inputSchema: z.object({}),
    call: () => ({ data: 'ran' }),
    ...part,
  });
const said = (trail: readonly TrailEntry[] | undefined) =>
  trail?.map(({ step, from, plugin, behavior, strength, reason, unit }) => ({
    step,
    from,
    plugin,
    behavior,
    ...(strength && { strength }),
    reason,
    ...(unit && { unit: unit.content }),
  }));
const opinion = (behavior: string, reason: string, more: object = {}) => ({
  step: 'opinion',
  from: 'permissions',
  plugin: 'toolgate',
  behavior,
  reason,
  ...more,
});

describe('a tool whose checkPermissions gives no answer has said no', () => {
  test.for<[string, () => unknown, RegExp]>([
    [
      'it throws',
      () => {
        throw new Error('broken');
      },
      /^broken$/,
    ],
    ['it rejects', () => Promise.reject(new Error('broken')), /^broken$/],
    ['it never answers', hang, /./],
    ['it answers nothing', () => undefined, /^it gave no answer$/],
    ['it answers a word', () => 'allow', /the answer of T's checkPermissions/],
    ['a misspelled word', () => ({ behavior: 'alow', reason: '' }), /the answer of T's check/],
    ['a key too many', () => ({ behavior: 'passthrough', reason: '' }), /checkPermissions/],
  ])('%s', async ([, checkPermissions, failure]) => {
    const { gate } = gateWith({
      clock: hastyClock,
      tools: [toolWith({ checkPermissions })],
      permissions: () => allow('', 'all'),
    });
    const { block, code, decision } = await gate.run(toolUse('T'));
    expect(block).toEqual(refusal('T could not tell whether it may run, so the call was refused.'));
    expect(code).toBe('permission_denied');
    expect(said(decision?.trail)?.[1]).toEqual({
      step: 'opinion',
      from: 'checkPermissions',
      plugin: 'T',
      behavior: 'failed',
      reason: expect.stringMatching(failure),
    });
  });
});

test.for<[Opinion, object]>([
  [deny('Not with me.'), { behavior: 'deny', reason: 'Not with me.' }],
  [ask('Sure?', 'person'), { behavior: 'ask', strength: 'person', reason: 'Sure?' }],
])('a tool that nobody trusts may still tighten: %j', async ([answer, entry]) => {
  const { gate } = gateWith({
    tools: [],
    permissions: () => allow('', 'all'),
    plugin: ({ tools }) => tools.add(toolWith({ checkPermissions: () => answer })),
  });
  const { code, decision } = await gate.run(toolUse('T'));
  expect(code).toBe('permission_denied');
  expect(said(decision?.trail)?.[1]).toEqual({
    step: 'opinion',
    from: 'checkPermissions',
    plugin: 'T',
    ...entry,
  });
});

describe('what opinions leave open', () => {
  /** A gate whose resolvers note what they are asked. */
  const asking = (
    permissions: () => Opinion | readonly Opinion[] | undefined,
    slots: readonly (readonly ['mode' | 'classifier', () => Opinion | undefined])[] = [],
    more: (gate: PluginGate) => void = () => undefined,
  ) => {
    const asked: unknown[] = [];
    const heard: unknown[] = [];
    const { gate, diagnostics } = gateWith({
      tools: [toolWith({ effects: () => ({ units }) })],
      permissions,
      plugin: (given) => {
        for (const [index, [slot, answer]] of slots.entries())
          given.hooks.resolve.tap({ name: `${slot}-${index}`, slot }, (input) => {
            asked.push({
              tool: input.call.tool.name,
              verdict: input.verdict,
              uncovered: input.uncovered.map(({ content }) => content),
            });
            return answer();
          });
        given.hooks.permissionDenied.tap('note', ({ by }) => void heard.push(by));
        more(given);
      },
    });
    const run = () => gate.run(toolUse('T'));
    return { run, asked, heard, diagnostics };
  };

  test('goes to the resolvers with the units that nothing allows, and each is in the trail', async () => {
    const { run, asked, heard } = asking(
      () => ({ behavior: 'allow', reason: 'half', covers: units.slice(0, 0) }),
      [['mode', () => undefined]],
    );
    const { decision } = await run();
    expect(asked).toMatchObject([
      {
        tool: 'T',
        verdict: { behavior: 'undecided', reason: 'No rule allows this call.' },
        uncovered: ['a', 'b'],
      },
    ]);
    expect(said(decision?.trail)).toEqual([
      opinion('allow', 'half'),
      ...['a', 'b'].map((unit) =>
        opinion('none', 'Nothing allows this part.', { from: 'core', unit }),
      ),
    ]);
    expect(heard).toEqual(['nobody']);
  });
  test('of several units only those that are not covered are left', async () => {
    const { gate } = gateWith({
      tools: [toolWith({ effects: () => ({ units }) })],
      permissions: ({ effects }) => allow('one of two', effects.units.slice(0, 1)),
    });
    const { decision } = await gate.run(toolUse('T'));
    expect(said(decision?.trail)).toEqual([
      opinion('allow', 'one of two'),
      opinion('none', 'Nothing allows this part.', { from: 'core', unit: 'b' }),
    ]);
  });
  test.for(['mode', 'classifier'] as const)(
    'a %s may say no, and who it was is told',
    async (slot) => {
      const { run, heard } = asking(() => undefined, [[slot, () => deny('Not today.')]]);
      const { decision, block } = await run();
      expect(block).toEqual(refusal('Not today.'));
      expect(said(decision?.trail)?.at(-1)).toEqual({
        step: 'resolve',
        from: `${slot}-0`,
        plugin: 'probe',
        behavior: 'deny',
        reason: 'Not today.',
      });
      expect(heard).toEqual([slot]);
    },
  );
  test('a mode that fails has said no; a classifier that fails has said nothing', async () => {
    const fails = () => {
      throw new Error('down');
    };
    const mode = asking(() => undefined, [['mode', fails]]);
    const refused = await mode.run();
    expect(refused.block).toEqual(
      refusal('The permission mode could not be applied, so the call was refused.'),
    );
    expect(said(refused.decision?.trail)?.at(-1)).toMatchObject({
      step: 'resolve',
      behavior: 'failed',
      reason: 'down',
    });
    expect(mode.heard).toEqual(['mode']);
    const classifier = asking(() => undefined, [['classifier', fails]]);
    const open = await classifier.run();
    expect(said(open.decision?.trail)?.at(-1)).toMatchObject({ behavior: 'failed' });
    expect(classifier.heard).toEqual(['nobody']);
  });
  test.for<['mode' | 'classifier', Opinion, Opinion | undefined, boolean]>([
    ['mode', ask('more', 'person'), ask('less', 'ask'), true],
    ['mode', ask('less', 'soft'), ask('more', 'ask'), false],
    ['mode', ask('same', 'ask'), ask('first', 'ask'), false],
    ['classifier', ask('more', 'person'), ask('less', 'soft'), true],
    ['mode', ask('any', 'soft'), undefined, true],
    ['classifier', allow('yes', 'all'), ask('less', 'soft'), false],
    ['mode', allow('yes', 'all'), ask('less', 'soft'), true],
    ['mode', allow('yes', 'all'), ask('more', 'ask'), false],
    ['mode', allow('half', []), undefined, false],
    ['mode', allow('half', []), ask('less', 'soft'), false],
  ])('a %s that answers %j to %j is heard: %s', async ([slot, answer, verdict, isTaken]) => {
    const { run, diagnostics, asked } = asking(() => verdict, [[slot, () => answer]]);
    const { decision } = await run();
    const entry = said(decision?.trail)?.find(({ step }) => step === 'resolve');
    expect(entry?.behavior).toBe(isTaken ? answer.behavior : 'dropped');
    expect(diagnostics.filter(({ code }) => code === 'answer-dropped')).toEqual(
      isTaken
        ? []
        : [
            {
              code: 'answer-dropped',
              severity: 'warning',
              message: `${slot}-0 of probe may not settle this: its ${answer.behavior} was dropped.`,
            },
          ],
    );
    expect(asked).toMatchObject([{ verdict: verdict ?? { behavior: 'undecided' } }]);
  });
  test('an ask keeps its own reason when nobody settles it', async () => {
    const { run, heard } = asking(() => ask('Is it safe?', 'ask'));
    const { decision } = await run();
    expect(decision?.reason).toContain('Is it safe?');
    expect(said(decision?.trail)).toEqual([opinion('ask', 'Is it safe?', { strength: 'ask' })]);
    expect(heard).toEqual(['nobody']);
  });
});

test('the trail names rule, unit and what else was looked at', async () => {
  const rule: RuleEntry = { behavior: 'deny', text: 'T(a)', source: 'userSettings' };
  const { gate } = gateWith({
    tools: [toolWith({ effects: () => ({ units }) })],
    permissions: ({
      effects: {
        units: [unit],
      },
    }) => ({
      ...deny('A rule says no.'),
      rule,
      ...(unit && { unit }),
      considered: [{ ...allow('Another says yes.'), rule: { ...rule, behavior: 'allow' } }],
    }),
  });
  const { decision } = await gate.run(toolUse('T'));
  expect(decision?.trail).toEqual([
    { ...opinion('deny', 'A rule says no.'), rule, unit: expect.objectContaining(units[0] ?? {}) },
    { ...opinion('allow', 'Another says yes.'), rule: { ...rule, behavior: 'allow' } },
  ]);
  expect(said(decision?.trail)?.[0]).toHaveProperty('unit', 'a');
});

test('an ask and a deny cover nothing, an allow by default the tool’s own unit', () => {
  const own = { tool: 'T', readOnly: false, own: true };
  expect([ask('sure?'), deny('no'), allow()].map((one) => coversUnit(one, own))).toEqual([
    false,
    false,
    true,
  ]);
  expect(coversUnit(allow(), { ...own, own: false })).toBe(false);
  expect(allow().reason).toBe('Allowed.');
});

test('of a call that was done only a deny counts, wherever it stands', () => {
  const heard = (...opinions: readonly Opinion[]) =>
    decideReplay(opinions.map((one) => ({ opinion: one, from: 'f', plugin: 'p' })));
  expect(heard(allow('yes', 'all'), ask('sure?', 'person'))).toMatchObject({ behavior: 'allow' });
  expect(heard()).toEqual({ behavior: 'allow', reason: 'This very call ran before.', trail: [] });
  expect(heard(allow('yes', 'all'), ask('sure?'), deny('no'), allow('yes'))).toMatchObject({
    behavior: 'deny',
    reason: 'no',
    trail: [
      { behavior: 'allow' },
      { behavior: 'ask' },
      { behavior: 'deny' },
      { behavior: 'allow' },
    ],
  });
});
