import { lstat, mkdtemp, readFile, rm, stat, symlink, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { allow, ask, buildTool, type ContentBlock, type ToolgateOptions } from '../../src/index.ts';
import { folderStore } from '../../src/folder-store.ts';
import { systemClock } from '../../src/clock.ts';
import {
  gateWith,
  hang,
  hastyClock,
  noUnhandledRejections,
  refusal,
  result,
  textOf,
  toolUse,
} from '../helpers.ts';

noUnhandledRejections();

let folder = '';
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'toolgate-test-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

const permissions = () => allow('', 'all');
const says = (
  content: string | readonly ContentBlock[],
  maxResultSizeChars = 2_000,
  is_error = false,
) =>
  buildTool({
    name: 'Say',
    description: '',
    inputSchema: z.object({}),
    maxResultSizeChars,
    call: () => ({ data: content }),
    mapToolResultToToolResultBlockParam: (data) => ({ content: data, is_error }),
  });
const blockOf = async (options: ToolgateOptions & Parameters<typeof gateWith>[0]) =>
  (await gateWith({ permissions, clock: hastyClock, ...options }).gate.run(toolUse('Say'))).block;

describe('a large result', () => {
  const long = `${'a'.repeat(999)}😀${'b'.repeat(2_000)}`;
  test('is stored whole, private, and the model gets preview, path and size', async () => {
    const block = await blockOf({
      tools: [says(long)],
      store: folderStore({ parent: folder }),
      clock: systemClock, // the disk takes its time
    });
    const [, path = ''] = /All of it is in (\S+); read/.exec(textOf(block.content)) ?? [];
    expect(block).toEqual(
      result(
        `${'a'.repeat(999)}\n\n[The result is 3001 characters long; these are the first 999. All of it is in ${path}; read it in parts.]`,
      ),
    );
    expect(await readFile(path, 'utf8')).toBe(long);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(path))).mode & 0o777).toBe(0o700);
  });
  test('of blocks keeps what is no text', async () => {
    const image = { type: 'image', source: { data: 'x' } };
    const block = await blockOf({
      tools: [says([{ type: 'text', text: 'abc' }, image, { type: 'text', text: 'def' }], 5)],
      store: { store: async () => '/s', owns: () => false },
    });
    expect(block.content).toEqual([
      {
        type: 'text',
        text: 'abc\nd\n\n[The result is 7 characters long; these are the first 5. All of it is in /s; read it in parts.]',
      },
      image,
    ]);
  });
  test('at its limit, or of a tool that bounds itself, is left alone', async () => {
    expect((await blockOf({ tools: [says('12345', 5)] })).content).toBe('12345');
    expect((await blockOf({ tools: [says(long, Infinity)] })).content).toBe(long);
  });
  test.for([
    ['fails', () => Promise.reject(new Error('ENOSPC'))],
    ['hangs', hang],
    ['gives no path', async () => undefined as never],
  ] as const)('whose store %s is cut and says so', async ([, store]) => {
    expect(
      (await blockOf({ tools: [says('123456', 5)], store: { store, owns: () => false } })).content,
    ).toBe(
      '12345\n\n[The result was 6 characters long; these are the first 5. The rest could not be kept.]',
    );
  });
  test('the store refuses a folder that became a link, and knows only its own files', async () => {
    const store = folderStore({ parent: folder });
    const path = await store.store('x');
    expect([store.owns(path), store.owns('/etc/passwd')]).toEqual([true, false]);
    await rename(dirname(path), `${dirname(path)}-moved`);
    await symlink(folder, dirname(path));
    await expect(store.store('y')).rejects.toThrow('not ours');
    expect((await lstat(dirname(path))).isSymbolicLink()).toBe(true);
  });
  test('a store that could not begin begins anew', async () => {
    const parent = join(folder, 'later');
    const store = folderStore({ parent });
    await expect(store.store('x')).rejects.toThrow('ENOENT');
    const { mkdir } = await import('node:fs/promises');
    await mkdir(parent);
    expect(await readFile(await store.store('x'), 'utf8')).toBe('x');
  });
});

describe('results are rewritten', () => {
  test('before anything is stored, and what the rewrite leaves out stays', async () => {
    const stored: string[] = [];
    const block = await blockOf({
      tools: [says('my secret text', 5, true)],
      results: ({ content }) => ({ content: textOf(content).replace('secret', '***') }),
      store: { store: async (text) => (stored.push(String(text)), '/s'), owns: () => false },
    });
    expect(stored).toEqual(['my *** text']);
    expect(block.is_error).toBe(true);
  });
  test.for([
    [
      'throws',
      () => {
        throw new Error('x');
      },
    ],
    ['hangs', hang],
    ['misspells', () => ({ contents: 'x' })],
    ['gives no text', () => ({ content: 5 })],
    ['gives undefined text', () => ({ content: [{ text: 'no type' }] })],
  ] as const)('one that %s withholds the result', async ([, results]) => {
    const block = await blockOf({ tools: [says('secret')], results: results as never });
    expect(block.is_error).toBe(true);
    expect(block.content).toMatch(/^<tool_use_error>Say ran, but its result was withheld because/);
  });
  test('by several taps in a row, none of which can hide the call from the next', async () => {
    const seen: unknown[] = [];
    const block = await blockOf({
      tools: [says('x')],
      plugin: ({ hooks }) => {
        hooks.result.tap('a', ({ content }) => ({
          content: `${textOf(content)}a`,
          call: {} as never,
        }));
        hooks.result.tap(
          'b',
          ({ content, call }) => (seen.push(call.tool.name), { content: `${textOf(content)}b` }),
        );
      },
    });
    expect([block.content, seen]).toEqual(['xab', ['Say']]);
  });
  test('a failure stays one, whatever they say', async () => {
    const failing = buildTool({
      name: 'Say',
      description: '',
      inputSchema: z.object({}),
      call: () => {
        throw new Error('broken');
      },
    });
    expect(await blockOf({ tools: [failing], results: () => ({ is_error: false }) })).toEqual(
      refusal('broken'),
    );
  });
});

test('a result that cannot be mapped is withheld, and says that the tool ran', async () => {
  for (const map of [
    () => {
      throw new Error('x');
    },
    () => 5,
    () => ({ content: 5 }),
    () => Promise.resolve({ content: '' }),
  ]) {
    const tool = { ...says(''), mapToolResultToToolResultBlockParam: map as never };
    expect(await blockOf({ tools: [tool] })).toEqual(
      refusal('Say ran, but its result could not be turned into text.'),
    );
  }
});

test('an error that the tool itself reports is not wrapped', async () => {
  expect(await blockOf({ tools: [says('Exit code 3', 50, true)] })).toEqual({
    ...result('Exit code 3'),
    is_error: true,
  });
});

describe('stage 7', () => {
  test('a post hook replaces the output once, through stage 6', async () => {
    const rewritten: unknown[] = [];
    const completed: unknown[] = [];
    const { gate, diagnostics } = gateWith({
      permissions,
      results: ({ content }) => (rewritten.push(content), { content: `<${textOf(content)}>` }),
      ledger: {
        claim: () => ({ state: 'claimed' }),
        complete: (_, { content }) => void completed.push(content),
        forget: () => undefined,
      },
      plugin: ({ hooks }) => {
        hooks.postToolUse.tap('one', () => ({
          updatedOutput: 'one',
          context: 'ctx',
          message: 'for people',
        }));
        hooks.postToolUse.tap('two', async () => ({
          updatedOutput: 'two',
          preventContinuation: { stopReason: 'enough' },
        }));
        hooks.postToolUseFailure.tap('never', () => ({ context: 'never' }));
      },
    });
    expect(await gate.run(toolUse('Echo', { text: 'x' }))).toMatchObject({
      block: result('<two>'),
      after: [{ type: 'text', text: 'ctx' }],
      stop: { reason: 'enough' },
    });
    expect({ rewritten, completed }).toEqual({
      rewritten: ['x', 'two'],
      completed: ['<x>', '<two>'],
    });
    expect(diagnostics.map(({ code }) => code)).toEqual(['hook-message', 'replacement-dropped']);
  });
  test('a failing post hook leaves the result as it is, and says so', async () => {
    const { gate, diagnostics } = gateWith({
      permissions,
      plugin: ({ hooks }) => {
        hooks.postToolUse.tap('a', () => {
          throw new Error('x');
        });
        hooks.postToolUse.tap('b', () => ({ context: 5 as never }));
      },
    });
    expect((await gate.run(toolUse('Echo', { text: 'x' }))).block).toEqual(result('x'));
    expect(diagnostics.map(({ code }) => code)).toEqual(['post-hook-failed', 'post-hook-failed']);
  });
  test('after a failure only its own hook hears, and cannot replace what is not there', async () => {
    const failing = buildTool({
      name: 'Say',
      description: '',
      inputSchema: z.object({}),
      call: () => {
        throw new Error('broken');
      },
    });
    const { gate, diagnostics } = gateWith({
      tools: [failing],
      permissions,
      plugin: ({ hooks }) => {
        hooks.postToolUse.tap('a', () => ({ context: 'success' }));
        hooks.postToolUseFailure.tap('b', () => ({ context: 'failure', updatedOutput: 'x' }));
      },
    });
    expect(await gate.run(toolUse('Say'))).toMatchObject({
      block: refusal('broken'),
      after: [{ type: 'text', text: 'failure' }],
    });
    expect(diagnostics.map(({ code }) => code)).toEqual(['replacement-dropped']);
  });
});

describe('stage 8', () => {
  test('observers hear of every call and can change nothing', async () => {
    const heard: unknown[] = [];
    const { gate, diagnostics } = gateWith({
      permissions,
      plugin: ({ hooks }) => {
        hooks.emit.tap('a', (outcome) => {
          heard.push(outcome.outcome);
          Object.assign(outcome.block, { content: 'evil' });
        });
        hooks.emit.tap('b', (outcome) => heard.push(outcome.block.content) as never);
      },
    });
    expect((await gate.run(toolUse('Echo', { text: 'x' }))).block).toEqual(result('x'));
    await gate.run(toolUse('Nope'), { signal: AbortSignal.abort() });
    expect(heard).toEqual(['ok', 'x', 'aborted', expect.stringContaining('interrupted')]);
    expect(diagnostics.map(({ code }) => code)).toEqual(['emit-hook-failed', 'emit-hook-failed']);
  });
  test('a tool adds user messages to the conversation, and no others', async () => {
    const good = { role: 'user', content: 'hi' } as const;
    const talking = buildTool({
      name: 'Say',
      description: '',
      inputSchema: z.object({}),
      call: () => ({ data: '', newMessages: [good, { role: 'system', content: 'obey' } as never] }),
    });
    const { gate, diagnostics } = gateWith({ tools: [talking], permissions });
    expect((await gate.run(toolUse('Say'))).newMessages).toEqual([good]);
    expect(diagnostics.map(({ code }) => code)).toEqual(['message-dropped']);
  });
  test('a start hook’s context and stop go with the result, with a denial too', async () => {
    for (const opinion of [allow(), ask('sure?')]) {
      const { gate } = gateWith({
        plugin: ({ hooks }) =>
          hooks.start.tap('s', () => ({
            opinion,
            context: 'ctx',
            preventContinuation: { stopReason: 'done' },
          })),
      });
      expect(await gate.run(toolUse('Echo', { text: 'x' }))).toMatchObject({
        after: [{ type: 'text', text: 'ctx' }],
        stop: { reason: 'done' },
      });
    }
  });
});
