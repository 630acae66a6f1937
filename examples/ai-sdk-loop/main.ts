// An agent's loop with the Vercel AI SDK: the same gate as with any other SDK, and two small functions
// that turn its messages. The model is scripted; what it is sent is checked at the end.
import assert from 'node:assert/strict';
import { allow, buildTool, createToolgate, deny, isCallOf } from '@toolgate/core';
import { generateText, jsonSchema, tool, type ModelMessage, type ToolSet } from 'ai';
import { z } from 'zod';
import { answerOf, assistantMessageOf } from './messages.ts';
import { scriptedModel } from './scripted-model.ts';

const notes = new Map([['milk', 'two bottles']]);
const readNote = buildTool({
  name: 'ReadNote',
  description: 'Reads one note.',
  inputSchema: z.object({ title: z.string(), lines: z.number().default(1) }),
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

// The gate runs the calls, so the SDK's tools have no `execute`; the schema is for the model alone.
const definitions = await gate.toolDefinitions();
const tools = Object.fromEntries(
  definitions.map(({ name, description, input_schema }) => [
    name,
    tool({ description, inputSchema: jsonSchema(input_schema) }),
  ]),
) as ToolSet; // the SDK's own tools, which `exactOptionalPropertyTypes` takes for others
const model = scriptedModel();
const messages: ModelMessage[] = [{ role: 'user', content: 'How much milk?' }];
for (;;) {
  const reply = await generateText({ model, tools, messages });
  messages.push(...reply.response.messages);
  if (reply.toolCalls.length === 0) break;
  const turn = gate.runTurn(assistantMessageOf(reply.toolCalls));
  messages.push(...answerOf(await turn.message, reply.toolCalls));
}
await gate.close();

const sent = model.doGenerateCalls[1]?.prompt.at(-1);
assert.equal(model.doGenerateCalls.length, 2);
assert.equal(sent?.role, 'tool');
assert.deepEqual(
  sent.content.map((part) => part.type === 'tool-result' && [part.toolCallId, part.output]),
  [
    ['call_1', { type: 'text', value: 'two bottles' }],
    ['call_2', { type: 'error-text', value: '<tool_use_error>Notes are kept.</tool_use_error>' }],
  ],
);
assert.equal(notes.size, 1);
console.log('2 calls had 2 results in order; the model ended with', messages.at(-1)?.content);
