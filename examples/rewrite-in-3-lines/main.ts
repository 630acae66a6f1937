// A rewrite of results is the 3 lines of rewrite.ts. It runs before a result is measured, stored or
// shown; should it fail, the result is withheld rather than passed on as it was.
import assert from 'node:assert/strict';
import { allow, buildTool, createToolgate } from '@toolgate/core';
import { z } from 'zod';
import { noKeys } from './rewrite.ts';

const showConfig = buildTool({
  name: 'ShowConfig',
  description: 'Shows the configuration of the service.',
  inputSchema: z.object({}),
  call: () => ({ data: { url: 'https://service.example', key: 'sk-0123456789abcdef' } }),
});
const use = { type: 'tool_use', id: 'toolu_1', name: 'ShowConfig', input: {} } as const;

const gate = createToolgate({ tools: [showConfig], permissions: () => allow(), results: noKeys });
const { block } = await gate.run(use);
assert.equal(block.content, '{"url":"https://service.example","key":"***"}');
await gate.close();

const broken = createToolgate({
  tools: [showConfig],
  permissions: () => allow(),
  results: () => {
    throw new Error('out of order');
  },
});
const withheld = await broken.run(use);
assert.equal(withheld.code, 'result_withheld');
assert.doesNotMatch(JSON.stringify(withheld.block), /sk-/);
await broken.close();
console.log('3 lines: the model reads', block.content);
