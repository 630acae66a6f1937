import { z } from 'zod';
import type { AnyObject } from './tool.ts';

/** Reads the value of one keyword; `where` is its place in the schema. Throws for what cannot be judged. */
type Keyword = (value: unknown, where: string, inside: Inside) => unknown;
/** What a subschema must know of its surroundings: whether it stands alone, with no other beside it for the same value. */
interface Inside {
  readonly alone: boolean;
  readonly defs: ReadonlySet<string>;
}

const refusal = (where: string, why: string): Error => new Error(`${where || '#'} ${why}`);
const isObject = (value: unknown): value is AnyObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const must =
  (words: string, fits: (value: unknown) => boolean): Keyword =>
  (value, where) => {
    if (!fits(value)) throw refusal(where, `is not ${words}`);
    return value;
  };
const listOf =
  (item: Keyword): Keyword =>
  (value, where, inside) => {
    if (!Array.isArray(value)) throw refusal(where, 'is no list');
    return value.map((one, index) => item(one, `${where}/${index}`, inside));
  };
const mapOf =
  (item: Keyword): Keyword =>
  (value, where, inside) => {
    if (!isObject(value)) throw refusal(where, 'is no object');
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [key, item(one, `${where}/${key}`, inside)]),
    );
  };

const types = ['null', 'boolean', 'number', 'string', 'array', 'object'];
const number = must('a number', (value) => typeof value === 'number');
const count = must('a whole number', (value) => Number.isInteger(value) && Number(value) >= 0);
const text = must('a text', (value) => typeof value === 'string');
const scalar = must('a plain value', (value) => typeof value !== 'object' || value === null);
const typeName = must('a type', (value) => [...types, 'integer'].includes(value as string)); // only compared
const sub: Keyword = (value, where, inside) => convert(value, where, { ...inside, alone: true });
const pattern: Keyword = (value, where) => {
  try {
    if (typeof value !== 'string' || /\\[pPu]\{/.test(value)) throw new Error('no plain pattern');
    return new RegExp(value, 'u').source;
  } catch {
    throw refusal(where, 'is no regular expression that can be judged');
  }
};

/** What constrains a value by its type. Everything here is judged, or the schema is refused. */
const typed: Readonly<Record<string, Keyword>> = {
  type: (value, where, inside) =>
    (Array.isArray(value) ? listOf(typeName) : typeName)(value, where, inside),
  properties: mapOf(sub),
  required: listOf(text),
  additionalProperties: sub,
  patternProperties: (value, where, inside) => {
    for (const key of Object.keys(Object(value))) pattern(key, where, inside);
    return mapOf(sub)(value, where, inside);
  },
  propertyNames: sub,
  minProperties: count,
  maxProperties: count,
  items: sub,
  // Zod would take a place for filled whose schema takes anything.
  prefixItems: listOf((value, where, inside) => ({
    allOf: [{ type: types }, convert(value, where, { ...inside, alone: false })],
  })),
  minItems: count,
  maxItems: count,
  uniqueItems: must('true or false', (value) => typeof value === 'boolean'),
  contains: sub,
  minContains: count,
  maxContains: count,
  minLength: count,
  maxLength: count,
  pattern,
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  multipleOf: must('a number above 0', (value) => typeof value === 'number' && value > 0),
};
/** Formats that are checked; any other is a remark, as JSON Schema has it. */
const formats = new Set<unknown>(['date', 'date-time', 'email', 'ipv4', 'ipv6', 'uri', 'uuid']);
/** Keywords that constrain a value and cannot be judged. */
const beyond = new Set(
  'if then else not dependencies dependentRequired dependentSchemas unevaluatedItems unevaluatedProperties additionalItems $anchor $dynamicAnchor $dynamicRef $recursiveAnchor $recursiveRef $vocabulary'.split(
    ' ',
  ),
);

/**
 * A Zod schema that takes what a JSON Schema takes, and changes nothing. Values are judged as draft 2020-12
 * has it; `$ref` within the schema, remarks and unknown keywords are fine. Throws an Error that names
 * the place of a keyword that cannot be judged. Why it rewrites what `z.fromJSONSchema` is given:
 * docs/decisions/0009-json-schema-through-zod.md
 */
export function zodOfJsonSchema(schema: AnyObject): z.ZodType {
  const { $defs, definitions, ...root } = schema;
  const all = { ...Object(definitions), ...Object($defs) } as AnyObject; // spread of objects
  const inside: Inside = { alone: false, defs: new Set(Object.keys(all)) };
  // In a list, because Zod finds no definition that is `false`.
  const defs = mapOf((...one) => ({ allOf: [convert(...one)] }))(all, '#/$defs', inside);
  const converted = convert(root, '#', { ...inside, alone: true });
  // A schema of JSON: built just now from JSON alone.
  const judged = { ...Object(converted), $defs: defs } as Parameters<typeof z.fromJSONSchema>[0];
  return z.fromJSONSchema(judged, { registry: z.registry() });
}

function convert(schema: unknown, where: string, inside: Inside): unknown {
  if (typeof schema === 'boolean') return schema;
  if (!isObject(schema)) throw refusal(where, 'is no schema');
  const unjudged = Object.keys(schema).find((key) => beyond.has(key));
  if (unjudged !== undefined) throw refusal(`${where}/${unjudged}`, 'cannot be judged');
  const has = (key: string) => Object.hasOwn(schema, key);
  const at = (key: string, read: Keyword, part: Inside) =>
    read(schema[key], `${where}/${key}`, part);
  const named = ['$ref', 'enum', 'const', 'anyOf', 'oneOf', 'allOf'].filter(has);
  const constraining = Object.keys(schema).filter(
    (key) => Object.hasOwn(typed, key) || (key === 'format' && formats.has(schema[key])),
  );
  const alone = inside.alone && named.length + Math.min(constraining.length, 1) < 2;
  const part: Inside = { ...inside, alone };
  const parts: unknown[] = [];
  if (constraining.length > 0) parts.push(base(schema, where, part));
  if (has('$ref')) parts.push({ $ref: at('$ref', localRef, part) });
  if (has('enum')) parts.push({ enum: at('enum', listOf(scalar), part) });
  if (has('const')) parts.push({ enum: [at('const', scalar, part)] });
  for (const key of ['anyOf', 'oneOf'])
    if (has(key)) parts.push({ [key]: at(key, listOf(convert), part) });
  if (has('allOf'))
    parts.push(...(at('allOf', listOf(convert), { ...part, alone: false }) as unknown[])); // listOf makes one
  return parts.length === 1 ? parts[0] : { allOf: parts };
}

/** `#`, or a definition of the root by its name. */
const localRef: Keyword = (value, where, { defs }) => {
  const [, name] = /^#(?:\/(?:\$defs|definitions)\/([^/~%]+))?$/.exec(String(value)) ?? [];
  if (value === '#') return value;
  if (name === undefined || !defs.has(name)) throw refusal(where, 'leads nowhere in this schema');
  return `#/$defs/${name}`;
};

/** The keywords that depend on a value's type, said so that nothing of them is passed over. */
function base(schema: AnyObject, where: string, inside: Inside): AnyObject {
  const read: Record<string, unknown> = {};
  for (const [key, keyword] of Object.entries(typed))
    if (Object.hasOwn(schema, key)) read[key] = keyword(schema[key], `${where}/${key}`, inside);
  if (formats.has(schema['format'])) read['format'] = schema['format'];
  const { additionalProperties, patternProperties, propertyNames } = read;
  const closed = additionalProperties === false && !inside.alone;
  if (patternProperties !== undefined && (isObject(additionalProperties) || closed))
    throw refusal(`${where}/additionalProperties`, 'beside patternProperties cannot be judged');
  if (propertyNames !== undefined && !inside.alone)
    throw refusal(`${where}/propertyNames`, 'beside other schemas cannot be judged');
  // Zod heeds a required key only where it is a property.
  const required = (read['required'] ?? []) as readonly string[]; // read by listOf(text)
  const patterns = Object.keys(Object(patternProperties)).map((one) => new RegExp(one));
  const schemaOf = (key: string) =>
    patterns.some((one) => one.test(key)) ? true : (additionalProperties ?? true);
  const more = Object.fromEntries(required.map((key) => [key, schemaOf(key)]));
  return {
    ...(!('prefixItems' in read) && { items: true }),
    ...read,
    type: read['type'] ?? types,
    properties: { ...more, ...Object(read['properties']) },
    ...(closed && { additionalProperties: nothing }),
  };
}

/** Fits no value. Of `false`, beside other schemas, Zod would take a key that any of them takes. */
const nothing = { enum: [], readOnly: true };
