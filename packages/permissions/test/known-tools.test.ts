import { createToolgate, type PermissionMode } from '@toolgate/core';
import { expect, test } from 'vitest';
import { knownTools, modes, rulesBackend, unknownTool } from '../src/index.ts';

const gateWith = (tools = knownTools()) =>
  createToolgate({ tools, permissions: rulesBackend(), plugins: [modes()], cwd: '/p' });

async function decide(
  name: string,
  input = {},
  {
    mode = 'default',
    allow = [],
    deny = [],
  }: { mode?: PermissionMode; allow?: readonly string[]; deny?: readonly string[] } = {},
) {
  const gate = gateWith();
  gate.policy.setMode(mode);
  gate.policy.addRules('session', { allow, deny });
  return (await gate.explain({ type: 'tool_use', id: 'k', name, input })).behavior;
}

test.each([
  ['TodoWrite', 'allow'],
  ['Agent', 'allow'],
  ['Task', 'allow'],
  ['KillShell', 'allow'],
  ['WebFetch', 'ask'],
  ['WebSearch', 'ask'],
  ['Skill', 'ask'],
  ['PowerShell', 'ask'],
  ['Monitor', 'ask'],
  ['NotebookEdit', 'ask'],
  ['AskUserQuestion', 'ask'],
  ['ExitPlanMode', 'ask'],
])('%s without a rule: %s', async (name, expected) => {
  expect(await decide(name)).toBe(expected);
});

test('a question to a person needs one even when allowed', async () => {
  expect(await decide('AskUserQuestion', {}, { allow: ['AskUserQuestion'] })).toBe('ask');
  expect(await decide('AskUserQuestion', {}, { mode: 'bypassPermissions' })).toBe('ask');
});

test.each([
  ['https://example.com@evil.test/', 'ask'],
  ['https://EXAMPLE.com.:8443/x', 'allow'],
  ['no address', 'ask'],
])('WebFetch goes by the host that is called: %s, %s', async (url, expected) => {
  expect(await decide('WebFetch', { url }, { allow: ['WebFetch(domain:example.com)'] })).toBe(
    expected,
  );
});

test.each([
  ['gci -Recurse', 'allow'],
  ['gci | remove-item', 'ask'],
  ['gci $(rm x)', 'ask'],
  ['gci; rm x', 'ask'],
  ["gci 'a;b'", 'allow'],
])('PowerShell(Get-ChildItem *) on %s: %s', async (command, expected) => {
  expect(await decide('PowerShell', { command }, { allow: ['PowerShell(Get-ChildItem *)'] })).toBe(
    expected,
  );
});

test.each([
  ['if ($x) { RM y }', 'deny'],
  ['gci | ri x', 'deny'],
  ['gci $(rm-old)', 'ask'],
])('a PowerShell deny looks into what is not taken apart: %s, %s', async (command, expected) => {
  expect(await decide('PowerShell', { command }, { deny: ['PowerShell(Remove-Item *)'] })).toBe(
    expected,
  );
});

test('a tool known by name never runs', async () => {
  const gate = gateWith([unknownTool('mcp__s__t')]);
  gate.policy.addRules('session', { allow: ['mcp__s'] });
  const outcome = await gate.run({ type: 'tool_use', id: 'k', name: 'mcp__s__t', input: {} });
  expect(outcome).toMatchObject({ outcome: 'failed', block: { is_error: true } });
});
