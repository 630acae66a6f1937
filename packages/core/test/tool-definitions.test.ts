import { expect, test } from 'vitest';
import { z } from 'zod';
import { allow, buildTool } from '../src/index.ts';
import { gateWith, hang, hastyClock, noUnhandledRejections } from './helpers.ts';

noUnhandledRejections();

const tool = (name: string, part: object = {}) =>
  buildTool({
    name,
    description: `About ${name}.`,
    inputSchema: z.object({ a: z.string() }),
    call: () => ({ data: '' }),
    ...part,
  });
const schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: { a: { type: 'string' } },
  required: ['a'],
};

test('the model gets enabled tools in the order of registration, always the same', async () => {
  const { gate } = gateWith({
    tools: [
      tool('B'),
      tool('A'),
      tool('Off', { isEnabled: () => false }),
      tool('Later', { shouldDefer: true }),
      tool('Kept', { shouldDefer: true, alwaysLoad: true }),
    ],
  });
  const first = await gate.toolDefinitions();
  expect(first).toEqual(
    ['B', 'A', 'Kept'].map((name) => ({
      name,
      description: `About ${name}.`,
      input_schema: schema,
    })),
  );
  Object.assign(first[0]?.input_schema['properties'] ?? {}, { evil: 1 });
  expect((await gate.toolDefinitions())[0]?.input_schema).toEqual(schema);
});

test('a tool that cannot be described is left out, and that is said', async () => {
  const { gate, diagnostics } = gateWith({
    clock: hastyClock,
    tools: [
      tool('Throws', {
        prompt: () => {
          throw new Error('x');
        },
      }),
      tool('Hangs', { prompt: hang }),
      tool('Mute', { prompt: () => 5 }),
      tool('Odd', {
        inputSchema: z.object({ a: z.string().transform(Number) }).transform(() => ({})),
      }),
      tool('Text', { inputSchema: z.string() }),
      tool('Good'),
    ],
  });
  expect((await gate.toolDefinitions()).map(({ name }) => name)).toEqual(['Odd', 'Good']);
  expect(
    diagnostics.map(({ code, message }) => `${code} ${message.split(' ')[1]}`).toSorted(),
  ).toEqual([
    'tool-left-out Hangs',
    'tool-left-out Mute',
    'tool-left-out Text',
    'tool-left-out Throws',
  ]);
});

test('a backend may hide a tool; one that cannot say hides nothing', async () => {
  const hides = (answer: () => unknown) =>
    gateWith({
      tools: [tool('A'), tool('B')],
      permissions: Object.assign(() => allow(), { hides: answer as () => boolean }),
    });
  const hidden = hides(((one: { name: string }) => one.name === 'A') as never);
  expect((await hidden.gate.toolDefinitions()).map(({ name }) => name)).toEqual(['B']);
  for (const broken of [
    () => {
      throw new Error('x');
    },
    () => Promise.reject(new Error('x')),
  ]) {
    const { gate, diagnostics } = hides(broken);
    expect((await gate.toolDefinitions()).map(({ name }) => name)).toEqual(['A', 'B']);
    expect(diagnostics.map(({ code }) => code)).toEqual(['hides-failed', 'hides-failed']);
  }
});

test('plan mode hides what can never be read-only, and shows it again afterwards', async () => {
  const { gate } = gateWith({
    tools: [
      tool('Writer'),
      tool('Reader', { isReadOnly: () => true }),
      tool('Either', { isReadOnly: (input: object) => 'x' in input }),
      tool('Units', { effects: () => ({ readOnly: true }) }),
      tool('Owned'),
    ],
    plugin: ({ effects, hooks }) => {
      effects.own('Owned', () => ({}));
      hooks.resolve.tap({ name: 'm', slot: 'mode' }, () => undefined);
    },
  });
  const names = async () => (await gate.toolDefinitions()).map(({ name }) => name);
  const all = ['Writer', 'Reader', 'Either', 'Units', 'Owned'];
  expect(await names()).toEqual(all);
  gate.policy.setMode('plan');
  expect(await names()).toEqual(all.slice(1));
  gate.policy.setMode('default');
  expect(await names()).toEqual(all);
});

test('a deferred tool is offered once the conversation has loaded it', async () => {
  const { gate, diagnostics } = gateWith({
    tools: [tool('Now'), tool('Later', { shouldDefer: true })],
  });
  const loads = (name: string) => [
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'x',
          content: [{ type: 'tool_reference', tool_name: name }],
        },
      ],
    },
  ];
  const names = async (messages?: readonly unknown[]) =>
    (await gate.toolDefinitions(messages && { messages })).map(({ name }) => name);
  expect(await names()).toEqual(['Now']);
  expect(await names(loads('Other'))).toEqual(['Now']);
  expect(await names(loads('Later'))).toEqual(['Now', 'Later']);
  expect(diagnostics).toEqual([]);
});
