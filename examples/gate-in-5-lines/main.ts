// A gate of your own is the 5 lines of gate.ts: a function of the call. `isCallOf` narrows the input
// to the tool's own type, so a misspelled field or value does not compile.
import assert from 'node:assert/strict';
import { createToolgate } from '@toolgate/core';
import { deploy } from './deploy.ts';
import { gate as permissions } from './gate.ts';

const gate = createToolgate({ tools: [deploy], permissions });
const turn = gate.runTurn({
  role: 'assistant',
  content: [
    { type: 'tool_use', id: 'toolu_1', name: 'Deploy', input: { to: 'staging' } },
    { type: 'tool_use', id: 'toolu_2', name: 'Deploy', input: { to: 'production' } },
  ],
});
assert.deepEqual((await turn.message).content, [
  { type: 'tool_result', tool_use_id: 'toolu_1', content: 'deployed to staging' },
  {
    type: 'tool_result',
    tool_use_id: 'toolu_2',
    content: '<tool_use_error>Ask a person.</tool_use_error>',
    is_error: true,
  },
]);
const [, refused] = await turn.outcomes;
assert.equal(refused?.code, 'permission_denied');
await gate.close();
console.log('5 lines: staging was deployed, production was refused');
