import { allow, deny, type StartedCall } from '@toolgate/core';
import { expect, test } from 'vitest';
import { denialTracking, fromCanUseTool, modes } from '../src/index.ts';
import { echoGate, toolUse } from './helpers/gate.ts';

// A whole permission backend, in place of the rules.
function permissions({ input }: StartedCall) {
  if (input['text'] === 'secret') return deny('That is not to be said.');
  if (String(input['text']).length < 10) return allow();
  return undefined;
}

test('a plain function of five lines takes the place of the rules; modes, dialog and denial tracking work beside it', async () => {
  const { gate, ran } = echoGate({
    permissions,
    dialog: fromCanUseTool(async () => ({ behavior: 'deny', message: 'Too long.' })),
    plugins: [modes(), denialTracking({ inARow: 2 })],
  });
  const run = async (text: string) => (await gate.run(toolUse({ text }))).block.content;
  expect(await run('hello')).toBe('hello');
  expect(await run('secret')).toBe('<tool_use_error>That is not to be said.</tool_use_error>');
  expect(await run('a long sentence')).toMatch(/Too long.\nEcho has been refused 2 times/);
  gate.policy.setMode('bypassPermissions');
  expect(await run('a long sentence')).toBe('a long sentence');
  expect(await run('secret')).toMatch(/not to be said/);
  expect(ran).toEqual([{ text: 'hello' }, { text: 'a long sentence' }]);
});
