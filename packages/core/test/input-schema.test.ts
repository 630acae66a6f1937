import { toStandardJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { buildTool, type AnyObject, type AnyTool, type StandardSchema } from '../src/index.ts';
import { parseInput } from '../src/parse-input.ts';
import { gateWith, refusal, toolUse } from './helpers.ts';

const weather: AnyObject = {
  type: 'object',
  properties: {
    city: { type: 'string', minLength: 1 },
    days: { type: 'integer', minimum: 1, maximum: 7, default: 3 },
    units: { enum: ['metric', 'imperial'] },
    near: { type: ['array', 'null'], items: { type: 'number' } },
    at: { $ref: '#/$defs/point' },
  },
  required: ['city'],
  additionalProperties: false,
  $defs: { point: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] } },
};
const ofJson = (inputJSONSchema: AnyObject) =>
  buildTool({ name: 'T', description: '', inputJSONSchema, call: () => ({ data: '' }) });

describe('a tool with a JSON Schema', () => {
  const tool = ofJson(weather);
  test.for([
    [{ city: 'Bern' }, { city: 'Bern' }],
    [
      { city: 'Bern', days: '5' },
      { city: 'Bern', days: 5 },
    ],
    [
      { city: '5', near: '[1,2]' },
      { city: '5', near: [1, 2] },
    ],
    [
      { city: 'Bern', near: null, at: '{"x":"1.5"}' },
      { city: 'Bern', near: null, at: { x: 1.5 } },
    ],
  ])('takes %j as %j', ([given, input]) => {
    expect(parseInput(tool, given)).toEqual({ ok: true, input });
  });
  test('says what is wrong with an input', () => {
    expect(parseInput(tool, { days: 9, units: 'old', near: [true], at: {}, more: 1 })).toEqual({
      ok: false,
      code: 'input_invalid',
      message: [
        'InputValidationError: T was given an invalid input:',
        '- `city`: is required (string)',
        '- `days`: Too big: expected number to be <=7, got 9',
        '- `units`: Invalid option: expected one of "metric"|"imperial", got "old"',
        '- `near.0`: expected number, got boolean',
        '- `at.x`: is required (number)',
        '- the input: unknown `more`',
      ].join('\n'),
    });
  });
  test('is offered to the model with the very same schema, and runs', async () => {
    const ran: unknown[] = [];
    const { gate } = gateWith({
      permissions: () => ({ behavior: 'allow', reason: '', covers: 'all' }),
      tools: [
        buildTool({
          name: 'Weather',
          description: 'Tells the weather.',
          inputJSONSchema: weather,
          call: (input) => {
            ran.push(input['city']);
            return { data: 'sun' };
          },
        }),
      ],
    });
    expect(await gate.toolDefinitions()).toEqual([
      { name: 'Weather', description: 'Tells the weather.', input_schema: weather },
    ]);
    expect(await gate.run(toolUse('Weather', { city: 'Bern' }))).toMatchObject({ outcome: 'ok' });
    expect((await gate.run(toolUse('Weather', {}))).block).toEqual(
      refusal(
        'InputValidationError: Weather was given an invalid input:\n- `city`: is required (string)',
      ),
    );
    expect(ran).toEqual(['Bern']);
  });
  test.for<[string, AnyObject, string]>([
    ['a condition', { if: {} }, '#/properties/a/if cannot be judged'],
    ['a negation', { not: { type: 'string' } }, '#/properties/a/not cannot be judged'],
    ['dependencies', { dependentRequired: {} }, '#/properties/a/dependentRequired cannot'],
    ['a foreign reference', { $ref: 'https://x.invalid/a' }, '#/properties/a/$ref leads nowhere'],
    ['a reference to nothing', { $ref: '#/$defs/b' }, '#/properties/a/$ref leads nowhere'],
    ['a limit that is none', { minimum: '5' }, '#/properties/a/minimum is not a number'],
    ['a type that is none', { type: 'text' }, '#/properties/a/type is not a type'],
    ['a broken pattern', { pattern: '(' }, '#/properties/a/pattern is no regular expression'],
    ['a list for properties', { properties: [] }, '#/properties/a/properties is no object'],
    ['values that are compared as wholes', { enum: [{}] }, '#/properties/a/enum/0 is not a plain'],
  ])('is refused when it is built for %s', ([, a, problem]) => {
    expect(() => ofJson({ type: 'object', properties: { a } })).toThrow(
      `tool T has an inputJSONSchema that cannot be used: ${problem}`,
    );
  });
  test.for([
    [{}],
    [{ type: 'string' }],
    [{ properties: {} }],
    ['x'],
    [{ type: 'object', x: () => 1 }],
  ])('is refused when it describes no object: %j', ([schema]) => {
    expect(() => ofJson(schema as AnyObject)).toThrow(/^tool T has an inputJSONSchema that/);
  });
  test('that leads back to itself without end is a result', () => {
    const loop = ofJson({
      type: 'object',
      properties: { a: { $ref: '#/$defs/a' } },
      $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }] } },
    });
    expect(parseInput(loop, { a: 1 })).toMatchObject({ ok: false, code: 'schema_invalid' });
  });
  test('may be judged by a schema of a library instead, and then by that alone', () => {
    const judged = buildTool({
      name: 'T',
      description: '',
      inputJSONSchema: { type: 'object', if: {} },
      inputSchema: z.object({ n: z.number() }),
      call: () => ({ data: '' }),
    });
    expect(parseInput(judged, { n: '5' })).toEqual({ ok: true, input: { n: 5 } });
  });
});

describe('a tool with a schema of another library', () => {
  const schema = v.object({ n: v.number(), list: v.optional(v.array(v.string())) });
  const tools: readonly [string, AnyTool][] = [
    [
      'with the JSON Schema that it exports',
      buildTool({
        name: 'T',
        description: '',
        inputSchema: toStandardJsonSchema(schema),
        call: ({ n }) => ({ data: n.toFixed(1) }),
      }),
    ],
    [
      'with a JSON Schema beside it',
      buildTool({
        name: 'T',
        description: '',
        inputSchema: schema,
        inputJSONSchema: {
          type: 'object',
          properties: { n: { type: 'number' }, list: { type: 'array' } },
        },
        call: ({ n }) => ({ data: n.toFixed(1) }),
      }),
    ],
  ];
  test.for(tools)('parses strictly, then leniently, %s', async ([, tool]) => {
    expect(parseInput(tool, { n: 1, list: ['5'] })).toEqual({
      ok: true,
      input: { n: 1, list: ['5'] },
    });
    expect(parseInput(tool, { n: '5', list: '["a"]' })).toEqual({
      ok: true,
      input: { n: 5, list: ['a'] },
    });
    expect(parseInput(tool, { n: 'x' })).toEqual({
      ok: false,
      code: 'input_invalid',
      message:
        'InputValidationError: T was given an invalid input:\n- `n`: Invalid type: Expected number but received "x", got "x"',
    });
    const { gate } = gateWith({ tools: [tool] });
    expect((await gate.toolDefinitions())[0]?.input_schema['properties']).toMatchObject({
      n: { type: 'number' },
    });
  });
  test('is refused without a JSON Schema', () => {
    expect(() =>
      buildTool({ name: 'T', description: '', inputSchema: schema, call: () => ({ data: '' }) }),
    ).toThrow('tool T needs an inputJSONSchema too: its inputSchema cannot be exported.');
  });
  const answering = (answer: unknown): AnyTool => {
    const odd: StandardSchema<AnyObject> = {
      '~standard': { version: 1, vendor: 'odd', validate: () => answer },
    };
    const inputJSONSchema = { type: 'object' };
    const call = () => ({ data: '' });
    return buildTool({ name: 'T', description: '', inputSchema: odd, inputJSONSchema, call });
  };
  test.for([[Promise.resolve({ value: {} })], [undefined], [5], [{}]])(
    'that gives no answer at once is a result: %j',
    ([answer]) => {
      expect(parseInput(answering(answer), {})).toMatchObject({
        ok: false,
        code: 'schema_invalid',
      });
    },
  );
  test('may name a place by a path of keys', () => {
    const issues = [{ message: 'is odd', path: [{ key: 'a' }, 0] }];
    expect(parseInput(answering({ issues }), { a: [7] })).toMatchObject({
      message: 'InputValidationError: T was given an invalid input:\n- `a.0`: is odd, got 7',
    });
  });
});

test('of a union the branch that came closest is told', () => {
  const schema = z.object({
    a: z.union([
      z.object({ kind: z.literal('x'), n: z.number() }),
      z.object({ kind: z.literal('y'), n: z.boolean(), m: z.number() }),
      z.string(),
    ]),
    b: z.union([z.number(), z.boolean()]),
  });
  const tool = buildTool({
    name: 'T',
    description: '',
    inputSchema: schema,
    call: () => ({ data: '' }),
  });
  expect(parseInput(tool, { a: { kind: 'y', n: true, m: null }, b: 'x' })).toMatchObject({
    message: [
      'InputValidationError: T was given an invalid input:',
      '- `a.m`: expected number, got null',
      '- `b`: expected number or boolean, got string',
    ].join('\n'),
  });
});
