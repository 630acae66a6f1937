import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  allow,
  buildTool,
  type Effects,
  type EffectsAnswer,
  type PermissionUnit,
  type PluginGate,
} from '../src/index.ts';
import { gateWith, noUnhandledRejections, toolUse } from './helpers.ts';

noUnhandledRejections();

async function effectsOf(
  part: object = {},
  plugin?: (gate: PluginGate) => void,
): Promise<Effects | undefined> {
  let seen: Effects | undefined;
  const tool = buildTool({
    name: 'Sh',
    description: '',
    inputSchema: z.object({ path: z.string().optional() }),
    call: () => ({ data: '' }),
    ...part,
  });
  const { gate } = gateWith({
    tools: [tool],
    permissions: ({ effects }) => void (seen = effects),
    ...(plugin && { plugin }),
  });
  await gate.run(toolUse('Sh', { path: 'a/../b' }));
  return seen;
}
const own: PermissionUnit = { tool: 'Sh', readOnly: false, own: true };
const opaque = { ...own, allowBy: 'exact' };
const bare = {
  units: [own],
  readOnly: false,
  destructive: false,
  concurrencySafe: false,
  warnings: [],
  suggestedRules: [],
  needs: [],
};
const untold = (message: string, units: readonly object[] = [opaque]) => ({
  ...bare,
  units,
  destructive: true,
  warnings: [
    { code: 'effects-unknown', message: `What Sh would do could not be told: ${message}` },
  ],
});

test('a tool that says nothing has one unit of its own, not read-only', async () => {
  expect(await effectsOf()).toEqual(bare);
});

test('path fields are units, absolute and normalised', async () => {
  expect(await effectsOf({ pathFields: { path: 'Edit' }, isReadOnly: () => false })).toEqual({
    ...bare,
    units: [{ tool: 'Edit', path: '/p/b', realPath: '/p/b', readOnly: false, own: true }],
  });
  expect(
    (
      await effectsOf({
        pathFields: { other: { as: 'Read', open: true, whenMissing: '.' } },
        isReadOnly: () => true,
      })
    )?.units,
  ).toEqual([{ tool: 'Read', path: '/p', realPath: '/p', readOnly: true, open: true, own: true }]);
});

describe('the owner of a tool’s effects', () => {
  const owned = (answer: () => EffectsAnswer): Promise<Effects | undefined> =>
    effectsOf({}, ({ effects }) => effects.own('Sh', answer));
  test('speaks in the tool’s place, and core says which units are the call’s own', async () => {
    const answer: EffectsAnswer = {
      units: [
        { tool: 'Sh', content: 'ls', readOnly: true },
        { tool: 'Read', readOnly: true, own: true, filtered: true },
      ],
      readOnly: true,
      concurrencySafe: true,
    };
    expect(await owned(() => answer)).toEqual({
      ...bare,
      units: [
        { tool: 'Sh', content: 'ls', readOnly: true, own: true, filtered: false },
        { tool: 'Read', readOnly: true, own: false, filtered: false },
      ],
      readOnly: true,
      concurrencySafe: true,
    });
  });
  test('cannot call what writes read-only, nor leave the call without a unit', async () => {
    expect(await owned(() => ({ readOnly: true, units: [own] }))).toMatchObject({
      readOnly: false,
    });
    expect((await owned(() => ({ units: [] })))?.units).toEqual([own]);
  });
  test.for([
    [
      'a throw',
      () => {
        throw new Error('oops');
      },
      'oops',
    ],
    ['a promise', () => Promise.reject(new Error('late')), 'it answered with a promise'],
    ['no object', () => 5, 'its effects is no object.'],
    [
      'a misspelled key',
      () => ({ readonly: true }),
      'its effects has the unknown key "readonly". Did you mean "readOnly"?',
    ],
    ['a word for a boolean', () => ({ readOnly: 'yes' }), 'readOnly in its effects is no boolean.'],
    [
      'units that are none',
      () => ({ units: [{}] }),
      'tool of a unit in units in its effects is no text.',
    ],
    ['warnings that are none', () => ({ warnings: 'x' }), 'warnings in its effects is no list.'],
    [
      'a strength that is none',
      () => ({ warnings: [{ code: '', message: '', asks: 'softly' }] }),
      'asks in warnings in its effects is "softly", not one of soft, ask, person. Did you mean "soft"?',
    ],
  ] as readonly (readonly [string, () => unknown, string])[])(
    '%s leaves one opaque unit',
    async ([, answer, message]) => {
      expect(await owned(answer as () => EffectsAnswer)).toEqual(untold(message));
    },
  );
});

describe('others', () => {
  const tool = { isReadOnly: () => true, isConcurrencySafe: () => true };
  test('can add and tighten', async () => {
    const seen = await effectsOf(tool, ({ effects }) => {
      effects.tighten((_, facts) => ({
        units: [facts.pathUnit('Edit', 'x')],
        destructive: true,
        warnings: [{ code: 'w', message: 'm' }],
        needs: ['git-context'],
      }));
      effects.tighten(() => undefined);
    });
    expect(seen).toEqual({
      ...bare,
      units: [
        { ...own, readOnly: true },
        {
          tool: 'Edit',
          path: '/p/x',
          realPath: '/p/x',
          readOnly: false,
          own: false,
          filtered: false,
        },
      ],
      destructive: true,
      concurrencySafe: true,
      warnings: [{ code: 'w', message: 'm' }],
      needs: ['git-context'],
    });
  });
  test('cannot loosen', async () => {
    const seen = await effectsOf({ isDestructive: () => true }, ({ effects }) =>
      effects.tighten(() => ({
        readOnly: true,
        destructive: false,
        concurrencySafe: true,
        units: [],
      })),
    );
    expect(seen).toEqual({ ...bare, destructive: true });
  });
  test('that fail leave what was known, so that denies still match, and one opaque unit more', async () => {
    const seen = await effectsOf({ ...tool, pathFields: { path: 'Read' } }, ({ effects }) =>
      effects.tighten(() => {
        throw new Error('oops');
      }),
    );
    expect(seen).toEqual(
      untold('oops', [
        { tool: 'Read', path: '/p/b', realPath: '/p/b', readOnly: true, own: true },
        opaque,
      ]),
    );
  });
});

test('an allow of the tool’s own unit does not cover the file it reads (security rule 5)', async () => {
  const { gate } = gateWith({
    permissions: () => allow(),
    plugin: ({ effects }) =>
      effects.tighten((_, facts) => ({ units: [facts.pathUnit('Read', '/etc/shadow')] })),
  });
  expect(await gate.run(toolUse('Echo', { text: 'x' }))).toMatchObject({
    code: 'permission_denied',
  });
});

test('a predicate that throws or answers with anything else has the careful answer', async () => {
  const seen = await effectsOf({
    isReadOnly: () => 'yes',
    isConcurrencySafe: () => {
      throw new Error('x');
    },
    isDestructive: () => undefined,
  });
  expect(seen).toEqual({ ...bare, destructive: true });
});

test('a tool whose backfill lies about a path is judged on the true one', async () => {
  const lying = {
    pathFields: { path: 'Read' },
    backfillObservableInput: () => ({ path: '/p/innocent' }),
  };
  expect((await effectsOf(lying))?.units[0]?.path).toBe('/p/b');
});
