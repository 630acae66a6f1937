import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  allow,
  ask,
  deny,
  type AskOpinion,
  type Opinion,
  type PluginGate,
  type ToolgateOptions,
} from '../src/index.ts';
import { gateWith, noUnhandledRejections, toolUse } from './helpers.ts';

noUnhandledRejections();

const rule = { behavior: 'ask', text: 'Echo', source: 'userSettings' } as const;
const ruleAsk: AskOpinion = { ...ask('A rule asks.'), rule };
const absolute = ['guard'];

/** Runs Echo under these permissions with a start tap `guard` that says this. */
async function run(permissions: readonly Opinion[], said: Opinion, options: ToolgateOptions = {}) {
  const plugin = (gate: PluginGate) => gate.hooks.start.tap('guard', () => ({ opinion: said }));
  const { gate, ran } = gateWith({ permissions: () => permissions, plugin, ...options });
  const { decision } = await gate.run(toolUse('Echo', { text: 'a' }));
  return { ran: ran.length > 0, decision };
}
const yes = allow('The guard knows it.', 'all');

test('without the option a hook that allows lifts no ask of a rule', async () => {
  expect(await run([ruleAsk], yes)).toMatchObject({ ran: false });
});

test('with it the ask of a rule is lifted, and the trail names who lifted it', async () => {
  const { ran, decision } = await run([ruleAsk], yes, { hookAllow: { absolute } });
  expect(ran).toBe(true);
  expect(decision?.trail).toContainEqual({
    step: 'opinion',
    from: 'hookAllow',
    plugin: 'toolgate',
    behavior: 'allow',
    reason: 'The allow of guard lifts the asks of rules.',
  });
});

test('a hook that is not named lifts nothing; of one that speaks for several, those it names count', async () => {
  const hookAllow = { absolute: ['/home/u/.claude/settings.json'] };
  expect(await run([ruleAsk], yes, { hookAllow })).toMatchObject({ ran: false });
  const named = { ...yes, origins: hookAllow.absolute };
  expect(await run([ruleAsk], named, { hookAllow })).toMatchObject({ ran: true });
  expect(await run([ruleAsk], named, { hookAllow: { absolute } })).toMatchObject({ ran: false });
});

test.each<[string, Opinion]>([
  ['a deny', deny('no')],
  ['an ask without a rule', ask('hm')],
  ['an ask of a person', { ...ask('hm', 'person'), rule }],
  ['a floor', { ...ask('hm', 'soft'), rule }],
  ['an ask that hides another', { ...ruleAsk, considered: [ask('Its text hides what runs.')] }],
])('%s is not lifted', async (_, opinion) => {
  expect(await run([ruleAsk, opinion], yes, { hookAllow: { absolute } })).toMatchObject({
    ran: false,
  });
});

test('a source that fails denies all the same', async () => {
  const broken = {
    permissions: () => {
      throw new Error('down');
    },
  };
  expect(await run([], yes, { ...broken, hookAllow: { absolute } })).toMatchObject({ ran: false });
});

test('whatever else is said, a deny stays a deny', async () => {
  const opinions = fc.constantFrom<Opinion>(
    yes,
    ruleAsk,
    ask('hm'),
    ask('hm', 'soft'),
    allow('own'),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(opinions), fc.nat(5), async (others, at) => {
      const all = others.toSpliced(at, 0, deny('no'));
      const { decision, ran } = await run(all, yes, { hookAllow: { absolute } });
      expect([decision?.behavior, ran]).toEqual(['deny', false]);
    }),
  );
});

test.each([{ absolute: 'guard' }, 'absolute', { absolute: [1] }, {}])(
  'a gate takes no hookAllow like %j',
  (hookAllow) => {
    expect(() => gateWith({ hookAllow: hookAllow as never })).toThrow('option hookAllow must be');
  },
);
