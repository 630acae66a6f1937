import { Validator, type Schema } from '@cfworker/json-schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { buildTool, type AnyTool } from '../src/index.ts';
import { attemptNow } from '../src/hooks/guard.ts';
import { sameJson } from '../src/json.ts';
import { parseInput } from '../src/parse-input.ts';
import { zodOfJsonSchema } from '../src/json-schema.ts';
import type { AnyObject } from '../src/tool.ts';
import { runs } from './helpers.ts';

/** As slow as the machine; a deep run has more to do. */
const unhurried = { timeout: 600_000 };

/** Schemas of few names and values, so that a random value often almost fits. */
const key = fc.constantFrom('a', 'b', 'ab');
const leaf = fc.constantFrom(0, 1, 1.5, -2, 'a', 'ab', '', null, true, false);
const type = fc.constantFrom('null', 'boolean', 'number', 'integer', 'string', 'array', 'object');
const few = fc.nat(2);
const { value, schema } = fc.letrec<{ value: unknown; schema: AnyObject | boolean }>((tie) => {
  const list = fc.array(tie('schema'), { minLength: 1, maxLength: 2 });
  const map = fc.dictionary(key, tie('schema'), { maxKeys: 2 });
  const keywords: Record<string, fc.Arbitrary<unknown>> = {
    type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
    enum: fc.uniqueArray(leaf, { minLength: 1, maxLength: 4 }),
    const: leaf,
    properties: map,
    required: fc.uniqueArray(key, { maxLength: 2 }),
    additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
    patternProperties: map.map((all) =>
      Object.fromEntries(Object.entries(all).map(([one, sub]) => [`^${one}`, sub])),
    ),
    propertyNames: fc.record({ maxLength: few }),
    minProperties: few,
    maxProperties: few,
    items: tie('schema'),
    prefixItems: list,
    minItems: few,
    maxItems: few,
    uniqueItems: fc.boolean(),
    contains: tie('schema'),
    minContains: few,
    maxContains: few,
    minLength: few,
    maxLength: few,
    pattern: fc.constantFrom('a', '^a$', 'b+'),
    minimum: few,
    maximum: few,
    exclusiveMinimum: few,
    exclusiveMaximum: few,
    multipleOf: fc.constantFrom(1, 2, 0.5),
    anyOf: list,
    oneOf: list,
    allOf: list,
    $ref: fc.constant('#/$defs/d'),
    default: leaf,
  };
  const entry = fc.oneof(
    ...Object.entries(keywords).map(([name, of]) => fc.tuple(fc.constant(name), of)),
  );
  return {
    value: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(key, tie('value'), { maxKeys: 3, noNullPrototype: true }),
    ),
    schema: fc.oneof(
      { maxDepth: 4 },
      fc.boolean(),
      fc.array(entry, { minLength: 1, maxLength: 4 }).map((all) => Object.fromEntries(all)),
    ),
  };
});

// The reference is an interpreter of all of draft 2020-12. Ajv 8.20 would not do: beside `prefixItems`
// it takes an empty list for one that holds what `contains` wants.
test(
  'a JSON Schema takes what the reference takes, unchanged, or is refused before it judges',
  unhurried,
  () => {
    let judged = 0;
    const oneOfThem = fc.property(
      schema,
      schema,
      fc.array(value, { minLength: 1, maxLength: 6 }),
      (a, d, values) => {
        fc.pre(!JSON.stringify(d).includes('$ref'));
        const b = { $ref: '#/$defs/d' };
        const whole = { type: 'object', properties: { a, b }, $defs: { d } };
        const ours = attemptNow<z.ZodType>(() => zodOfJsonSchema(whole));
        if (!ours.ok) return;
        const reference = new Validator(whole as Schema, '2020-12');
        const given = values.flatMap((one) => [{ a: one }, { b: one }]);
        expect(given.map((one) => ours.value.safeParse(one).data)).toEqual(
          given.map((one) => (reference.validate(one).valid ? one : undefined)),
        );
        judged += given.length;
      },
    );
    fc.assert(oneOfThem, { numRuns: runs(500, 50_000) });
    expect(judged).toBeGreaterThan(1_000);
  },
);

test(
  'what a tool is given fits its schema, was not changed where it fitted, and parses to itself',
  unhurried,
  () => {
    /** The value as a careless model writes it: some parts as text. */
    const careless = (given: unknown, dice: () => boolean): unknown => {
      if (typeof given !== 'string' && dice()) return JSON.stringify(given);
      if (Array.isArray(given)) return given.map((item) => careless(item, dice));
      if (typeof given !== 'object' || given === null) return given;
      return Object.fromEntries(
        Object.entries(given).map(([name, member]) => [name, careless(member, dice)]),
      );
    };
    let taken = 0;
    const oneOfThem = fc.property(
      schema,
      value,
      fc.infiniteStream(fc.boolean()),
      (a, member, dice) => {
        fc.pre(!JSON.stringify(a).includes('$ref'));
        const inputJSONSchema = { type: 'object', properties: { a } };
        const tool = attemptNow<AnyTool>(() =>
          buildTool({ name: 'T', description: '', inputJSONSchema, call: () => ({ data: '' }) }),
        );
        if (!tool.ok) return true;
        const reference = new Validator(inputJSONSchema as Schema, '2020-12');
        const fits = (given: unknown) => reference.validate(given).valid;
        const given = { a: careless(member, () => dice.next().value === true) };
        const parsed = parseInput(tool.value, given);
        if (!parsed.ok) return !fits(given);
        taken += 1;
        return (
          fits(parsed.input) &&
          (!fits(given) || sameJson(parsed.input, given)) &&
          sameJson(parseInput(tool.value, parsed.input), parsed) &&
          sameJson(JSON.parse(JSON.stringify(parsed.input)), parsed.input)
        );
      },
    );
    fc.assert(oneOfThem, { numRuns: runs(500, 50_000) });
    expect(taken).toBeGreaterThan(50);
  },
);
