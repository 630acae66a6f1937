import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { buildTool } from '../../src/index.ts';
import { frozenJson, sameJson } from '../../src/json.ts';
import { parseInput } from '../../src/parse-input.ts';
import { echoTool, gateWith, noUnhandledRejections, refusal, toolUse } from '../helpers.ts';

noUnhandledRejections();

const parse = (schema: z.ZodType, input: unknown) =>
  parseInput(
    buildTool({ name: 'T', description: '', inputSchema: schema, call: () => ({ data: '' }) }),
    input,
  );

describe('lenient coercion (known fault 30)', () => {
  const schema = z.object({
    count: z.number().optional(),
    whole: z.int().optional(),
    flag: z.boolean().optional(),
    list: z.array(z.string()).optional(),
    text: z.string().optional(),
    maybe: z.number().nullable().optional(),
    either: z.union([z.number(), z.boolean()]).optional(),
    mixed: z.union([z.string(), z.number()]).optional(),
    nested: z.object({ deep: z.array(z.object({ n: z.number() })) }).optional(),
    five: z.literal(5).optional(),
    record: z.record(z.string(), z.number()).optional(),
    pair: z.tuple([z.string(), z.number()]).optional(),
    shape: z
      .union([
        z.object({ kind: z.literal('x'), v: z.number() }),
        z.object({ kind: z.literal('y'), v: z.string(), w: z.number() }),
        z.array(z.boolean()),
      ])
      .optional(),
  });
  test.for([
    [{ count: '5' }, { count: 5 }],
    [{ count: '-1.5e3' }, { count: -1500 }],
    [{ whole: '890' }, { whole: 890 }],
    [{ flag: 'false' }, { flag: false }],
    [{ flag: 'true' }, { flag: true }],
    [{ list: '["a"]' }, { list: ['a'] }],
    [{ text: '[1]' }, { text: '[1]' }],
    [{ text: '5' }, { text: '5' }],
    [{ text: 'true' }, { text: 'true' }],
    [{ maybe: '3' }, { maybe: 3 }],
    [{ either: 'true' }, { either: true }],
    [{ either: '7' }, { either: 7 }],
    [{ mixed: '7' }, { mixed: '7' }],
    [{ nested: '{"deep":[{"n":"4"}]}' }, { nested: { deep: [{ n: 4 }] } }],
    [{ nested: { deep: [{ n: '4' }, { n: 5 }] } }, { nested: { deep: [{ n: 4 }, { n: 5 }] } }],
    [{ five: '5' }, { five: 5 }],
    [{ record: '{"a":1}' }, { record: { a: 1 } }],
    [{ record: { a: '1' } }, { record: { a: 1 } }],
    [{ pair: '["a","2"]' }, { pair: ['a', 2] }],
    [{ shape: { kind: 'x', v: '5' } }, { shape: { kind: 'x', v: 5 } }],
    [{ shape: { kind: 'y', v: '5', w: '6' } }, { shape: { kind: 'y', v: '5', w: 6 } }],
    [{ shape: '{"kind":"y","v":"5","w":"6"}' }, { shape: { kind: 'y', v: '5', w: 6 } }],
    [{ shape: ['true', false] }, { shape: [true, false] }],
  ])('%j is read as %j', ([given, expected]) => {
    expect(parse(schema, given)).toEqual({ ok: true, input: expected });
  });
  test.for([
    [{ maybe: 'null' }],
    [{ flag: ' true ' }],
    [{ flag: 'True' }],
    [{ flag: 'yes' }],
    [{ flag: 1 }],
    [{ count: '0x10' }],
    [{ count: '1e999' }],
    [{ count: '' }],
    [{ count: ' 5' }],
    [{ list: '["a"' }],
    [{ list: '{}' }],
    [{ five: '6' }],
    [{ count: [5] }],
    [{ count: '9007199254740993' }],
    [{ record: '{"__proto__":{"a":1}}' }],
    [{ shape: { kind: 'y', v: 5, w: '6' } }],
    [{ shape: 'kind' }],
  ])('%j is refused', ([given]) => {
    expect(parse(schema, given)).toMatchObject({ ok: false, code: 'input_invalid' });
  });
  test('what already fits is never changed', () => {
    fc.assert(
      fc.property(fc.record({ text: fc.string(), count: fc.integer() }), (input) => {
        expect(parse(schema, input)).toEqual({ ok: true, input });
      }),
    );
  });
});

describe('input that is refused before anything reads it', () => {
  const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);
  test.for([
    ['a key "__proto__"', JSON.parse('{"a":{"__proto__":{"x":1}}}'), 'a has a key "__proto__"'],
    [
      'a way to a prototype',
      JSON.parse('{"constructor":{"prototype":{"x":1}}}'),
      'it has a key "constructor"',
    ],
    ['101 levels', { a: deep(101) }, 'it is nested more than 100 levels deep'],
    [
      '200,001 values',
      { a: Array.from({ length: 200_001 }, () => 1) },
      'it holds more than 200000 values',
    ],
    ['a function', { a: () => 1 }, 'a is a function, which is no JSON'],
    ['a date', { a: [new Date(0)] }, 'a[0] is no plain object'],
    ['NaN', { a: Number.NaN }, 'a is a number, which is no JSON'],
    ['a hole', { a: Array(1) }, 'a[0] is a undefined, which is no JSON'],
  ] as const)('%s', async ([, input, problem]) => {
    const { gate } = gateWith();
    expect((await gate.run(toolUse('Echo', input))).block).toEqual(
      refusal(`InputValidationError: Echo was given an input that is refused: ${problem}.`),
    );
  });
  test('a word that only looks dangerous is not', () => {
    const schema = z.record(z.string(), z.number());
    expect(parse(schema, { constructor: 3, prototype: 1 })).toEqual({
      ok: true,
      input: { constructor: 3, prototype: 1 },
    });
  });
});

describe('a schema', () => {
  const word = 'so the call cannot be judged. Use another tool.';
  test('that throws is a result', () => {
    const schema = z.object({
      a: z.string().refine(() => {
        throw new Error('oops');
      }),
    });
    expect(parse(schema, { a: 'x' })).toEqual({
      ok: false,
      code: 'schema_invalid',
      message: 'The input schema of T failed: oops. The call cannot be made; use another tool.',
    });
  });
  test('that is asynchronous is a result', () => {
    const schema = z.object({ a: z.string().refine(async () => true) });
    expect(parse(schema, { a: 'x' })).toMatchObject({ ok: false, code: 'schema_invalid' });
  });
  test('that means something else each time is refused', () => {
    const schema = z.object({ path: z.string().transform(decodeURIComponent) });
    expect(parse(schema, { path: '%252e' })).toEqual({
      ok: false,
      code: 'schema_invalid',
      message: `The input schema of T changes a value each time it is applied, ${word}`,
    });
    expect(parse(schema, { path: 'plain' })).toMatchObject({ ok: true });
  });
  test('that yields no JSON is refused', () => {
    const schema = z.object({
      a: z.array(z.string()).transform((all) => new Map(all.map((key) => [key, 1]))),
    });
    expect(parse(schema, { a: ['x'] })).toEqual({
      ok: false,
      code: 'schema_invalid',
      message: `The input schema of T yields something that is no JSON (a is no plain object), ${word}`,
    });
  });
  test('fills in its defaults, and what comes out is frozen', () => {
    const parsed = parse(z.object({ a: z.number().default(5) }), {});
    expect(parsed).toEqual({ ok: true, input: { a: 5 } });
    expect(parsed.ok && Object.isFrozen(parsed.input)).toBe(true);
  });
});

test('a validation error says where, what was expected and what came', () => {
  const schema = z.strictObject({
    a: z.string(),
    b: z.object({ c: z.number() }),
    d: z.enum(['x', 'y']),
  });
  expect(parse(schema, { b: { c: [] }, d: 'z', e: 1 })).toEqual({
    ok: false,
    code: 'input_invalid',
    message: [
      'InputValidationError: T was given an invalid input:',
      '- `a`: is required (string)',
      '- `b.c`: expected number, got array',
      '- `d`: Invalid option: expected one of "x"|"y", got "z"',
      '- the input: unknown `e`',
    ].join('\n'),
  });
});

describe('validateInput and check taps', () => {
  const withCheck = (validateInput: () => unknown) =>
    buildTool({
      name: 'Echo',
      description: '',
      inputSchema: z.object({}),
      validateInput: validateInput as never,
      call: () => ({ data: '' }),
    });
  test('a refusal is the result, with its number beside it', async () => {
    const { gate } = gateWith({
      tools: [withCheck(() => ({ result: false, message: 'Read it first.', errorCode: 6 }))],
    });
    expect(await gate.run(toolUse('Echo'))).toMatchObject({
      block: refusal('Read it first.'),
      code: 'input_invalid',
      errorCode: 6,
    });
  });
  test('an ask needs a person, whatever hooks and modes allow', async () => {
    const { gate } = gateWith({
      tools: [withCheck(() => ({ result: false, message: 'Really?', behavior: 'ask' }))],
      permissions: () => ({ behavior: 'allow', reason: '', covers: 'all' }),
    });
    const { decision } = await gate.run(toolUse('Echo'));
    expect(decision?.trail.at(-1)).toEqual({
      step: 'opinion',
      from: 'core',
      plugin: 'toolgate',
      behavior: 'ask',
      strength: 'person',
      reason: 'Really?',
    });
  });
  test.for([[undefined], [{}], [{ result: 'yes' }], [{ result: true, extra: 1 }], [5]])(
    '%j is no answer',
    async ([answer]) => {
      const { gate } = gateWith({ tools: [withCheck(() => answer)] });
      expect(await gate.run(toolUse('Echo'))).toMatchObject({ code: 'input_invalid' });
    },
  );
  test('any refusal wins over an ask, and a failing tap refuses', async () => {
    for (const tap of [
      () => ({ result: false, message: 'no', errorCode: 1 }) as const,
      () => {
        throw new Error('broken');
      },
    ]) {
      const { gate } = gateWith({
        tools: [withCheck(() => ({ result: false, message: 'Really?', behavior: 'ask' }))],
        plugin: ({ hooks }) => hooks.check.tap('c', tap),
      });
      expect(await gate.run(toolUse('Echo'))).toMatchObject({ code: 'input_invalid' });
    }
  });
});

test('no later hook fires for an invalid call', async () => {
  const fired: string[] = [];
  const { gate } = gateWith({
    tools: [echoTool().tool],
    plugin: ({ hooks }) => {
      for (const name of ['check', 'start', 'opinions', 'result', 'postToolUseFailure'] as const)
        hooks[name].tap('note', () => void fired.push(name));
    },
  });
  await gate.run(toolUse('Echo', {}));
  expect(fired).toEqual([]);
});

test('a parse tap may speak another schema language', async () => {
  const answers = [{ input: { text: 'parsed' } }, { error: 'no text' }, { input: 5 }, {}];
  const outcomes = [];
  for (const answer of answers) {
    const { gate } = gateWith({
      permissions: () => ({ behavior: 'allow', reason: '' }),
      plugin: ({ hooks }) => hooks.parse.tap('p', () => answer as { error: string }),
    });
    const { code, block } = await gate.run(toolUse('Echo', 'raw'));
    outcomes.push([code, block.content]);
  }
  expect(outcomes).toEqual([
    [undefined, 'parsed'],
    ['input_invalid', '<tool_use_error>InputValidationError: no text</tool_use_error>'],
    [
      'schema_invalid',
      '<tool_use_error>The input of Echo could not be checked, so nothing ran.</tool_use_error>',
    ],
    [
      'schema_invalid',
      '<tool_use_error>The input of Echo was not parsed, so nothing ran.</tool_use_error>',
    ],
  ]);
});

describe('json', () => {
  test('copies and compares whatever JSON there is', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const given: unknown = JSON.parse(JSON.stringify(value));
        const copy = frozenJson(given);
        if ('problem' in copy) return;
        expect(copy.value).toEqual(given);
        expect(sameJson(copy.value, given)).toBe(true);
      }),
    );
  });
  test('equality ignores absent members and the order of keys, and tells lists from objects', () => {
    expect(sameJson({ a: 1, b: [2] }, { b: [2], a: 1 })).toBe(true);
    expect(sameJson({ a: 1 }, { a: 1, b: undefined })).toBe(true);
    expect(sameJson([1], { 0: 1 })).toBe(false);
    expect(sameJson({}, { a: 1 })).toBe(false);
  });
});

describe('a deferred tool whose input does not fit', () => {
  const make = (name: string, part: object) =>
    buildTool({
      name,
      description: '',
      inputSchema: z.object({ a: z.number() }),
      call: () => ({ data: '' }),
      ...part,
    });
  const search = make('ToolSearch', {});
  const reference = (name: string) => ({
    role: 'user' as const,
    content: [
      {
        type: 'tool_result' as const,
        tool_use_id: 't',
        content: [{ type: 'tool_reference', tool_name: name }],
      },
    ],
  });
  const contentOf = async (part: object, messages?: readonly unknown[], tools = [search]) => {
    const { gate } = gateWith({ tools: [make('Later', { shouldDefer: true, ...part }), ...tools] });
    const context = messages && { context: { messages: messages as [] } };
    return (await gate.run(toolUse('Later', {}), context)).block.content;
  };
  const error =
    '<tool_use_error>InputValidationError: Later was given an invalid input:\n- `a`: is required (number)</tool_use_error>';
  test('is told how to load the schema, unless the conversation has brought it', async () => {
    const hint =
      '<tool_use_error>The schema of Later was never sent to you, so its input could only be guessed, and it did not fit. Load it first: call ToolSearch with the query "select:Later". Then send this call again.</tool_use_error>';
    expect(await contentOf({})).toBe(hint);
    expect(await contentOf({}, [reference('Other')])).toBe(hint);
    expect(await contentOf({}, [{ role: 'user', content: 'Later' }, undefined, 5])).toBe(hint);
    expect(await contentOf({}, [reference('Other'), reference('Later')])).toBe(error);
  });
  test('is told what is wrong when it is always loaded, or when nothing could load it', async () => {
    expect(await contentOf({ alwaysLoad: true })).toBe(error);
    expect(await contentOf({ shouldDefer: false })).toBe(error);
    expect(await contentOf({}, [], [])).toBe(error);
  });
  test('is not bothered when its input fits', async () => {
    const { gate } = gateWith({
      tools: [make('Later', { shouldDefer: true }), search],
      permissions: () => ({ behavior: 'allow', reason: '', covers: 'all' }),
    });
    expect((await gate.run(toolUse('Later', { a: '1' }))).outcome).toBe('ok');
  });
});
