import { buildTool, loadedTools, type AnyTool } from '@toolgate/core';
import { toolSearch } from '@toolgate/tools-builtin/tool-search';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { contextFor, project, use } from './helpers.ts';

const tool = (
  name: string,
  more: {
    readonly description?: string | (() => never);
    readonly searchHint?: string;
    readonly aliases?: readonly string[];
    readonly shouldDefer?: boolean;
  } = {},
): AnyTool =>
  buildTool({
    name,
    description: `The tool ${name}.`,
    inputSchema: z.object({}),
    shouldDefer: true,
    call: () => ({ data: 'ok' }),
    ...more,
  }) as AnyTool; // of whatever input

const tools: readonly AnyTool[] = [
  tool('Read', { shouldDefer: false }),
  tool('NotebookEdit', { searchHint: 'edit Jupyter notebooks' }),
  tool('mcp__slack__sendMessage', { description: 'Posts to a channel.' }),
  tool('mcp__slack__listChannels', { description: 'Names the channels.' }),
  tool('mcp__github__createIssue', { description: 'Opens an issue.', aliases: ['NewIssue'] }),
  tool('Broken', {
    description: () => {
      throw new Error('no description');
    },
  }),
];

async function search(query: string, all = tools, most = 5) {
  const cwd = await project();
  const input = { query, max_results: most };
  const context = contextFor(toolSearch, input, { cwd });
  const options = { ...context.options, tools: all };
  return use(toolSearch, input, { cwd }, { context: { ...context, options } });
}
const names = async (query: string, most?: number) =>
  (await search(query, tools, most)).data.matches;

test('select: finds tools by name and alias, whatever the case, in the order asked', async () => {
  expect(await names('select:mcp__slack__sendMessage,NotebookEdit')).toEqual([
    'mcp__slack__sendMessage',
    'NotebookEdit',
  ]);
  expect(await names('select: notebookedit , NewIssue')).toEqual([
    'NotebookEdit',
    'mcp__github__createIssue',
  ]);
});

test('select: says of each name that it is not found or needs no loading', async () => {
  const { data, mapped } = await search('select:Nope,Read,NotebookEdit');
  expect(data.missing).toEqual([
    'There is no tool named "Nope" to load.',
    'Read needs no loading: call it.',
  ]);
  expect(mapped.content).toEqual([
    { type: 'tool_reference', tool_name: 'NotebookEdit' },
    { type: 'text', text: 'There is no tool named "Nope" to load.' },
    { type: 'text', text: 'Read needs no loading: call it.' },
  ]);
});

test('words find by name, parts of the name, hint and description, best first', async () => {
  expect(await names('jupyter')).toEqual(['NotebookEdit']);
  expect(await names('send message')).toEqual(['mcp__slack__sendMessage']);
  expect(await names('slack')).toEqual(['mcp__slack__sendMessage', 'mcp__slack__listChannels']);
  expect(await names('channel slack')).toEqual([
    'mcp__slack__listChannels',
    'mcp__slack__sendMessage',
  ]);
  expect(await names('+github slack issue')).toEqual(['mcp__github__createIssue']);
  expect(await names('slack', 1)).toEqual(['mcp__slack__sendMessage']);
  expect(await names('broken')).toEqual(['Broken']);
});

test('no match says how many there are, and that there are none to load', async () => {
  expect((await search('xyzzy')).mapped.content).toEqual([
    {
      type: 'text',
      text: 'No tool was found among 5. Try other words, or a single word.',
    },
  ]);
  expect((await search('xyzzy', tools.slice(0, 1))).mapped.content).toEqual([
    { type: 'text', text: 'No tools wait to be loaded: you have all of them.' },
  ]);
});

test('what it answers is what core takes for loaded', async () => {
  const { mapped } = await search('select:NotebookEdit');
  const message = {
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: mapped.content }],
  };
  expect([...loadedTools([message])]).toEqual(['NotebookEdit']);
});
