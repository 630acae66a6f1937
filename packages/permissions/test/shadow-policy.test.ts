import {
  buildTool,
  createToolgate,
  emptySnapshot,
  type Diagnostic,
  type SettingsSourceName,
} from '@toolgate/core';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { rulesBackend, shadowPolicy, type ShadowDifference } from '../src/index.ts';
import { entries } from './helpers/call.ts';

const tool = buildTool({
  name: 'Bash',
  description: 'x',
  inputSchema: z.object({ command: z.string() }),
  effects: ({ command }) => ({
    units: [{ tool: 'Bash', content: command, exact: command, readOnly: false }],
  }),
  call: () => ({ data: 'ran' }),
});

async function run(
  shadow: unknown,
  commands: readonly string[],
  { source = 'userSettings' as SettingsSourceName, records = false } = {},
) {
  const differences: ShadowDifference[] = [];
  const found: Diagnostic[] = [];
  const snapshot = {
    ...emptySnapshot,
    rules: entries({ allow: ['Bash(npm *)'], deny: ['Bash(rm *)'] }),
    values: [
      {
        source,
        key: 'shadowPolicy',
        value: shadow,
        file: 's.json',
        line: 4,
        pointer: '/shadowPolicy',
      },
    ],
  };
  const gate = createToolgate({
    tools: [tool],
    permissions: rulesBackend(),
    settings: {
      current: () => snapshot,
    },
    onDiagnostic: (diagnostic) => void found.push(diagnostic),
    plugins: [
      shadowPolicy(records ? { onDifference: (one) => void differences.push(one) } : undefined),
    ],
  });
  const outcomes = [];
  for (const command of commands)
    outcomes.push(
      (await gate.run({ type: 'tool_use', id: command, name: 'Bash', input: { command } })).outcome,
    );
  await gate.close();
  return { outcomes, differences, found };
}

test('a shadow decides beside the real policy, enforces nothing, and its differences are recorded', async () => {
  const shadow = {
    permissions: { deny: ['Bash(npm publish)'], allow: ['Bash(npm *)', 'Bash(rm *)'] },
  };
  const { outcomes, differences } = await run(shadow, ['npm test', 'npm publish', 'rm x', 'ls'], {
    records: true,
  });
  expect(outcomes).toEqual(['ok', 'ok', 'refused', 'refused']);
  expect(differences).toEqual([
    {
      toolUseId: 'npm publish',
      tool: 'Bash',
      real: 'allow',
      shadow: 'deny',
      rule: 'Bash(npm publish)',
    },
    { toolUseId: 'rm x', tool: 'Bash', real: 'deny', shadow: 'allow', rule: 'Bash(rm *)' },
  ]);
});

test('a difference is a diagnostic with the place of the rule, and without the input', async () => {
  const { found } = await run({ permissions: { deny: ['Bash(npm *)'] } }, ['npm test']);
  expect(found.filter(({ code }) => code === 'shadow-policy-differs')).toEqual([
    {
      code: 'shadow-policy-differs',
      severity: 'info',
      message: 'Bash (npm test): allow now, deny under the shadow policy by deny Bash(npm *).',
      file: 's.json',
      line: 4,
      pointer: '/shadowPolicy/permissions/deny/0',
    },
  ]);
});

test.for([
  ['a project', { permissions: { allow: ['Bash'] } }, 'projectSettings'],
  ['a local file', { permissions: { allow: ['Bash'] } }, 'localSettings'],
  ['nonsense', 'x', 'userSettings'],
  ['lists that are none', { permissions: { deny: 'Bash', allow: [1, ''] } }, 'userSettings'],
] as const)('a shadow of %s is none', async ([, shadow, source]) => {
  const { differences } = await run(shadow, ['npm test', 'ls'], { source, records: true });
  expect(differences).toEqual([]);
});
