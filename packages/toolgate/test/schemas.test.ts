import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hooksSchema, lintHooks } from '@toolgate/hooks';
import { policyTestsJSONSchema, policyTestsSchema } from '@toolgate/permissions';
import { openSettings, permissionsSchema } from '@toolgate/settings';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';

const hooks = hooksSchema();
const settingsSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Settings that Toolgate reads',
  type: 'object',
  properties: {
    permissions: permissionsSchema(),
    hooks: hooks.schema,
    disableAllHooks: { type: 'boolean' },
  },
  $defs: hooks.$defs,
};
type Schema = Parameters<typeof z.fromJSONSchema>[0];
const compiled = (schema: unknown) => z.fromJSONSchema(schema as Schema); // JSON, which is what it reads

test.each([
  ['settings', settingsSchema],
  ['policy-tests', policyTestsJSONSchema()],
])('the file of %s holds what the parsers are made of', async (name, schema) => {
  const file = new URL(`../schemas/${name}.schema.json`, import.meta.url);
  const written: unknown = JSON.parse(await readFile(file, 'utf8'));
  expect(written).toEqual(JSON.parse(JSON.stringify(schema)));
});

const junk = fc.constantFrom<unknown>(
  'x',
  '',
  ' ',
  0,
  -1,
  5,
  true,
  false,
  null,
  [],
  {},
  ['x'],
  [''],
);
const orJunk = (right: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 30, arbitrary: right }, { weight: 1, arbitrary: junk });
const rules = orJunk(fc.array(fc.constantFrom('Bash(ls)', 'Read'), { maxLength: 2 }));
const permissions = orJunk(
  fc.record(
    {
      allow: rules,
      ask: rules,
      deny: rules,
      defaultMode: orJunk(fc.constantFrom('plan', 'manual', 'default')),
      additionalDirectories: rules,
      disableAutoMode: orJunk(fc.constant('disable')),
      disableBypassPermissionsMode: orJunk(fc.constant('disable')),
      _note: junk,
    },
    { requiredKeys: [] },
  ),
);
const handler = orJunk(
  fc.record(
    {
      type: orJunk(fc.constantFrom('command', 'http', 'mcp_tool', 'prompt', 'agent')),
      command: orJunk(fc.constant('true')),
      url: orJunk(fc.constant('http://localhost/')),
      server: fc.constant('s'),
      tool: fc.constant('t'),
      prompt: fc.constant('p'),
      timeout: orJunk(fc.constant(1)),
      async: orJunk(fc.constant(false)),
      once: orJunk(fc.constant(false)),
      if: orJunk(fc.constant('Bash(ls)')),
      onFailure: orJunk(fc.constantFrom('block', 'continue')),
    },
    { requiredKeys: ['type', 'command', 'url', 'server', 'tool', 'prompt'] },
  ),
);
const group = orJunk(
  fc.record(
    { matcher: orJunk(fc.constant('Bash')), hooks: orJunk(fc.array(handler, { maxLength: 2 })) },
    { requiredKeys: ['hooks'] },
  ),
);
const groups = orJunk(fc.array(group, { maxLength: 2 }));
const hookSettings = orJunk(
  fc.record(
    {
      PreToolUse: groups,
      Stop: groups,
      SessionStart: groups,
      _note: junk,
      onFailure: orJunk(fc.constant('block')),
    },
    { requiredKeys: [] },
  ),
);

test('a file is right by the schema when the parser has nothing to say, and wrong when it has', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'toolgate-schema-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'settings.json');
  const schema = compiled(settingsSchema);
  const faults = new Set(['hook-invalid', 'hook-event-unknown', 'hook-flat-entry']);
  await fc.assert(
    fc.asyncProperty(permissions, hookSettings, async (allowed, hooked) => {
      const settings = { permissions: allowed, hooks: hooked };
      await writeFile(file, JSON.stringify(settings));
      const opened = openSettings({ source: 'userSettings', file, root: folder });
      if (typeof opened === 'string') throw new Error(opened);
      const found = [
        ...opened.findings.map(({ code }) => code),
        ...lintHooks(opened.values, { tools: ['Bash'] })
          .map(({ code }) => code)
          .filter((code) => faults.has(code)),
      ];
      expect([schema.safeParse(settings).success, found]).toEqual([found.length === 0, found]);
    }),
    { numRuns: process.env.TOOLGATE_DEEP ? 20_000 : 300 },
  );
});

test('policy tests are read alike by parser and schema', () => {
  const schema = compiled(policyTestsJSONSchema());
  const field = orJunk(fc.constantFrom('x', 'plan', 'allow'));
  const item = fc.record(
    {
      name: field,
      tool: field,
      input: orJunk(fc.constant({ command: 'ls' })),
      cwd: field,
      mode: field,
      expect: field,
      rule: field,
      more: field,
    },
    { requiredKeys: [] },
  );
  const likely = fc.record(
    {
      name: fc.constant('n'),
      tool: fc.constant('Bash'),
      input: junk,
      expect: fc.constantFrom('allow', 'no'),
      mode: field,
    },
    { requiredKeys: ['name', 'tool', 'expect'] },
  );
  fc.assert(
    fc.property(orJunk(fc.array(fc.oneof(item, likely), { maxLength: 2 })), (tests) => {
      expect(schema.safeParse(tests).success).toBe(policyTestsSchema.safeParse(tests).success);
    }),
  );
});

test('keys that nobody reads are wrong, keys for comments are not', () => {
  const isRight = (settings: unknown) => compiled(settingsSchema).safeParse(settings).success;
  expect(isRight({ hooks: { Whenever: [] } })).toBe(false);
  expect(isRight({ permissions: { alow: [] } })).toBe(false);
  expect(isRight({ hooks: { _off: 1 }, permissions: { '// why': 1 }, model: 'm' })).toBe(true);
});
