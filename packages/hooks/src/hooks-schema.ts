import { z } from 'zod';
import {
  handlerTypes,
  hookEventNames,
  specOf,
  takesRule,
  type HandlerType,
} from './hook-events.ts';
import { actions, optional } from './read-handler.ts';

/** A JSON Schema, or a part of one. */
export type JSONSchema = Readonly<Record<string, unknown>>;

/** Keys that people write comments in. */
const comments = { '^(_|//|#)': {} };

/**
 * The JSON Schema (draft 2020-12) of `hooks` in settings files, made of what the parser reads them by. Its
 * references point at `$defs`, which belong at the root of the whole schema.
 */
export function hooksSchema(): { readonly schema: JSONSchema; readonly $defs: JSONSchema } {
  const events = hookEventNames.map((event): [string, JSONSchema] => {
    const { types = handlerTypes, summary } = specOf(event);
    const handlers = types.map((type) => ({ $ref: `#/$defs/${defOf(type, takesRule(event))}` }));
    const group = {
      type: 'object',
      properties: {
        matcher: { type: 'string' },
        hooks: { type: 'array', items: { anyOf: handlers } },
      },
      required: ['hooks'],
    };
    return [event, { description: summary, type: 'array', items: group }];
  });
  const onFailure = { enum: ['continue', 'block'] };
  return {
    schema: {
      type: 'object',
      properties: { ...Object.fromEntries(events), onFailure, strict: {} },
      patternProperties: comments,
      additionalProperties: false,
    },
    $defs: Object.fromEntries(
      handlerTypes.flatMap((type) => [
        [defOf(type, true), handlerSchema(type, true)],
        [defOf(type, false), handlerSchema(type, false)],
      ]),
    ),
  };
}

const defOf = (type: HandlerType, takesIf: boolean): string =>
  `${type}Hook${takesIf ? 'OfCall' : ''}`;

function handlerSchema(type: HandlerType, takesIf: boolean): JSONSchema {
  const of = z.toJSONSchema(actions[type], { io: 'input' });
  const fields = z.toJSONSchema(z.object(optional), { io: 'input' }).properties ?? {};
  const { if: rule, async, asyncRewake, ...more } = fields;
  const never = { const: false };
  return {
    type: 'object',
    properties: {
      ...of.properties,
      ...more,
      type: { const: type },
      // No value of `if` is right where there is no call.
      if: takesIf ? rule : { not: {} },
      async: type === 'command' ? async : never,
      asyncRewake: type === 'command' ? asyncRewake : never,
      once: never,
      onFailure: { enum: ['continue', 'block'] },
    },
    required: ['type', ...(of.required ?? [])],
  };
}
