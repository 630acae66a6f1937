// A whole tool is the 8 lines of tool.ts. What they leave out is filled in the careful way: not
// read-only, not safe beside others, no opinion of its own about permission. Here it meets a gate
// that allows it and one that says nothing.
import assert from 'node:assert/strict';
import { allow, createToolgate } from '@toolgate/core';
import { daysBetween } from './tool.ts';

const use = (input: unknown) =>
  ({ type: 'tool_use', id: 'toolu_1', name: 'DaysBetween', input }) as const;

const open = createToolgate({ tools: [daysBetween], permissions: () => allow() });
const counted = await open.run(use({ from: '2024-02-28', to: '2024-03-01' }));
assert.deepEqual(counted.block, { type: 'tool_result', tool_use_id: 'toolu_1', content: '2' });

const wrong = await open.run(use({ from: 'yesterday', to: '2024-03-01' }));
assert.equal(wrong.code, 'input_invalid');
assert.match(JSON.stringify(wrong.block), /InputValidationError: .*- `from`/);

const [offered] = await open.toolDefinitions();
assert.deepEqual(offered?.input_schema['required'], ['from', 'to']);
await open.close();

const silent = createToolgate({ tools: [daysBetween] });
const refused = await silent.run(use({ from: '2024-02-28', to: '2024-03-01' }));
assert.equal(refused.code, 'permission_denied');
await silent.close();
console.log('8 lines: from 2024-02-28 to 2024-03-01 it is', counted.block.content, 'days');
