// An agent's loop with the Anthropic SDK: tool definitions go out, turns come in and are run. The model
// is a stub on the loopback address that streams, and refuses a request whose results are not in order.
import assert from 'node:assert/strict';
import Anthropic from '@anthropic-ai/sdk';
import { allow, buildTool, createToolgate, deny, isCallOf } from '@toolgate/core';
import { z } from 'zod';
import { blocksOf, checkRequest, script, startStubModel } from './stub-model.ts';

const notes = new Map([['milk', 'two bottles']]);
const readNote = buildTool({
  name: 'ReadNote',
  description: 'Reads one note.',
  inputSchema: z.object({ title: z.string() }),
  isConcurrencySafe: () => true,
  call: ({ title }) => ({ data: notes.get(title) ?? 'no such note' }),
});
const dropNote = buildTool({
  name: 'DropNote',
  description: 'Throws one note away.',
  inputSchema: z.object({ title: z.string() }),
  call: ({ title }) => ({ data: notes.delete(title) }),
});
const gate = createToolgate({
  tools: [readNote, dropNote],
  permissions: (call) => (isCallOf(dropNote, call) ? deny('Notes are kept.') : allow()),
});

const model = await startStubModel(script);
const client = new Anthropic({ apiKey: 'none', baseURL: model.url, maxRetries: 0 });
const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'How much milk?' }];
for (;;) {
  const tools = [...(await gate.toolDefinitions())];
  const request = { model: 'stub', max_tokens: 500, tools, messages };
  const reply = await client.messages.stream(request).finalMessage();
  messages.push({ role: 'assistant', content: reply.content });
  if (reply.stop_reason !== 'tool_use') break;
  const turn = gate.runTurn(reply);
  messages.push((await turn.message) as Anthropic.MessageParam); // the API's blocks, typed more openly
}

const last = model.requests[1];
assert.ok(last && model.requests.length === 2);
const results = blocksOf(last.messages[2]).map((block) => [block.tool_use_id, block.content]);
assert.deepEqual(results, [
  ['toolu_1', 'two bottles'],
  ['toolu_2', '<tool_use_error>Notes are kept.</tool_use_error>'],
  [
    'toolu_3',
    '<tool_use_error>There is no tool named "ReadNotes". Did you mean ReadNote?</tool_use_error>',
  ],
]);
assert.throws(() => checkRequest({ ...last, messages: last.messages.slice(0, 2) }), /unanswered/);
assert.equal(notes.size, 1);
await Promise.all([gate.close(), model.close()]);
console.log('3 calls had 3 results in order; the model ended with', messages.at(-1)?.content);
