import { modeNames, permissionKeys, unsupportedPermissionKeys } from './known-names.ts';

const texts = { type: 'array', items: { type: 'string', pattern: String.raw`\S` } };
const disable = { const: 'disable' };
const schemas: Readonly<Record<(typeof permissionKeys)[number], unknown>> = {
  allow: texts,
  ask: texts,
  deny: texts,
  defaultMode: { enum: modeNames },
  additionalDirectories: texts,
  disableBypassPermissionsMode: disable,
  disableAutoMode: disable,
};

/** The JSON Schema (draft 2020-12) of `permissions` in settings files. What a rule says is not judged by it. */
export const permissionsSchema = (): Readonly<Record<string, unknown>> => ({
  type: 'object',
  properties: {
    ...schemas,
    ...Object.fromEntries(unsupportedPermissionKeys.map((key) => [key, {}])),
  },
  patternProperties: { '^(//|#|_(?!_proto__$)|\\$schema$)': {} },
  additionalProperties: false,
});
