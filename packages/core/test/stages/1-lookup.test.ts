import { expect, test } from 'vitest';
import { z } from 'zod';
import { allow, buildTool, findToolByName, toolMatchesName } from '../../src/index.ts';
import { gateWith, refusal, result, toolUse } from '../helpers.ts';

const tool = buildTool({
  name: 'TaskStop',
  aliases: ['StopTask'],
  deprecatedAliases: ['KillShell'],
  description: '',
  inputSchema: z.object({}),
  call: () => ({ data: 'stopped' }),
});
const disabled = buildTool({
  name: 'Hidden',
  aliases: ['Veiled'],
  description: '',
  inputSchema: z.object({}),
  isEnabled: () => false,
  call: () => ({ data: '' }),
});
const { gate } = gateWith({ tools: [tool, disabled], permissions: () => allow() });
const blockOf = async (name: string) => (await gate.run(toolUse(name))).block;

test('a tool is found by its name and by its alias', async () => {
  expect(await blockOf('TaskStop')).toEqual(result('stopped'));
  expect(await blockOf('StopTask')).toEqual(result('stopped'));
});

test('a deprecated alias works, and the result names the new name', async () => {
  expect(await blockOf('KillShell')).toEqual(
    result('stopped\n\nNote: "KillShell" is an old name; call this tool TaskStop.'),
  );
});

test('an unknown tool is an error with the nearest names', async () => {
  expect(await blockOf('TaskStopp')).toEqual(
    refusal('There is no tool named "TaskStopp". Did you mean TaskStop?'),
  );
  expect(await blockOf('Xyz')).toEqual(
    refusal('There is no tool named "Xyz". The tools are TaskStop.'),
  );
});

test.for([
  ['taskstop'],
  ['TaskStop '],
  ['ＴaskStop'],
  ['__proto__'],
  ['constructor'],
  ['Hidden'],
  ['Veiled'],
  [''],
])('"%s" is an unknown tool', async ([name = '']) => {
  expect(await gate.run(toolUse(name))).toMatchObject({
    code: 'tool_not_found',
    outcome: 'refused',
  });
});

test('findToolByName prefers names to aliases and passes over disabled tools', () => {
  expect(findToolByName([disabled, tool], 'KillShell')).toBe(tool);
  expect(findToolByName([disabled, tool], 'Hidden')).toBeUndefined();
  expect([toolMatchesName(tool, 'StopTask'), toolMatchesName(tool, 'stoptask')]).toEqual([
    true,
    false,
  ]);
});

test('a plugin may resolve a name; what is no tool refuses the call', async () => {
  for (const [found, expected] of [
    [tool, result('stopped')],
    [
      { name: 'x' },
      refusal('The tool "Elsewhere" could not be looked up, so nothing ran. Use another tool.'),
    ],
  ] as const) {
    const other = gateWith({
      permissions: () => allow('', 'all'),
      plugin: ({ hooks }) => hooks.lookup.tap('mcp', () => ({ tool: found as typeof tool })),
    });
    expect((await other.gate.run(toolUse('Elsewhere'))).block).toEqual(expected);
  }
});
