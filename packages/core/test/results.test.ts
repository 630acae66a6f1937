import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import {
  buildTool,
  folderStore,
  type ContentBlock,
  type ResultStore,
  type ToolgateOptions,
  type ToolUseContext,
} from '../src/index.ts';
import { gateWith, noUnhandledRejections, textOf, toolUse } from './helpers.ts';

noUnhandledRejections();

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'toolgate-results-test-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}
const tool = (part: object = {}) =>
  buildTool({
    name: 'Say',
    description: '',
    inputSchema: z.object({ chars: z.number().default(0), with: z.string().default('a') }),
    call: (input) => ({ data: input.with.repeat(input.chars) }),
    ...part,
  });
const gateFor = (options: ToolgateOptions & { part?: object; plugin?: never } = {}) => {
  const { part, ...more } = options;
  return gateWith({
    tools: [tool(part)],
    permissions: () => ({ behavior: 'allow', reason: '', covers: 'all' }),
    ...more,
  });
};
const message = (inputs: readonly object[], from = 0) => ({
  role: 'assistant' as const,
  content: inputs.map((input, index) => toolUse('Say', input, { id: `id_${index + from}` })),
});

describe('an output', () => {
  const contentOf = async (data: unknown, part: object = {}) =>
    (await gateFor({ part: { call: () => ({ data }), ...part } }).gate.run(toolUse('Say'))).block
      .content;
  test.for<[string, unknown, object?]>([
    ['nothing', undefined],
    ['an empty text', ''],
    ['white space', ' \n'],
    ['no blocks', [], { mapToolResultToToolResultBlockParam: () => ({ content: [] }) }],
    [
      'blank blocks',
      '',
      { mapToolResultToToolResultBlockParam: () => ({ content: [{ type: 'text', text: ' ' }] }) },
    ],
  ])('of %s is said to be empty', async ([, data, part]) => {
    expect(await contentOf(data, part)).toBe('(Say ran and gave no output.)');
  });
  test('of bytes is a picture, if they are one', async () => {
    const png = Buffer.from('89504e470d0a1a0a0000000d', 'hex');
    expect(await contentOf(png)).toEqual([
      {
        type: 'image',
        source: { type: 'base64', media_type: 'image/png', data: png.toString('base64') },
      },
    ]);
  });
  test('of other bytes, and blocks of data that no model is shown, are files', async () => {
    const store = folderStore({ parent: await folder() });
    const sound = Buffer.from('not really a sound');
    const source = { type: 'base64', media_type: 'audio/x-wav', data: sound.toString('base64') };
    const part = {
      call: () => ({ data: '' }),
      mapToolResultToToolResultBlockParam: () => ({
        content: [
          { type: 'text', text: 'Heard:' },
          { type: 'audio', source },
        ],
      }),
    };
    const { gate } = gateFor({ store, part });
    const [text, block] = (await gate.run(toolUse('Say'))).block.content as ContentBlock[];
    expect(text).toEqual({ type: 'text', text: 'Heard:' });
    const said = String(block?.['text' as keyof ContentBlock]);
    expect(said).toMatch(
      /^\[Data that cannot be shown: audio\/x-wav, 18 bytes\. It is in \S+\.wav\.\]$/,
    );
    expect(await readFile(/It is in (\S+)\.\]/.exec(said)?.[1] ?? '')).toEqual(sound);
    const bytes = gateFor({ store, part: { call: () => ({ data: new Uint8Array([1, 2]) }) } });
    expect(JSON.stringify((await bytes.gate.run(toolUse('Say'))).block.content)).toContain(
      'application/octet-stream, 2 bytes. It is in ',
    );
  });
});

describe('the results of a turn', () => {
  const sizes = (blocks: readonly object[]) =>
    blocks.map((block) => textOf(Reflect.get(block, 'content')).length);
  test('come to no more than the budget: the largest are stored first', async () => {
    const { gate } = gateFor({
      maxTurnResultChars: 12_000,
      store: folderStore({ parent: await folder() }),
    });
    const turn = gate.runTurn(message([3_000, 9_000, 4_000, 8_000].map((chars) => ({ chars }))));
    const { content } = await turn.message;
    expect(sizes(content)).toEqual([3_000, expect.any(Number), 4_000, expect.any(Number)]);
    const [, second, , fourth] = content.map((block) => textOf(block['content' as never]));
    for (const [text, whole] of [
      [second, 9_000],
      [fourth, 8_000],
    ] as const) {
      expect(text).toContain(`[The result is ${whole} characters long; these are the first 1000.`);
      const path = /All of it is in (\S+);/.exec(text ?? '')?.[1] ?? '';
      expect((await readFile(path, 'utf8')).length).toBe(whole);
    }
    expect((await turn.outcomes).map(({ block }) => block)).toEqual(content);
  });
  test('stay as they are within it, and short ones always', async () => {
    const { gate } = gateFor({ maxTurnResultChars: 6_000 });
    const fits = await gate.runTurn(message([{ chars: 3_000 }, { chars: 3_000 }])).message;
    expect(sizes(fits.content)).toEqual([3_000, 3_000]);
    const many = Array.from({ length: 20 }, () => ({ chars: 1_000 }));
    expect(sizes((await gate.runTurn(message(many)).message).content)).toEqual(
      many.map(({ chars }) => chars),
    );
  });
  test('are replaced the same way when the conversation is replayed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 9_000 }), { minLength: 1, maxLength: 6 }),
        async (chars) => {
          const store = folderStore({ parent: await folder() });
          const inputs = chars.map((one) => ({ chars: one }));
          const played = async (state: {
            seenIds: Set<string>;
            replacements: Map<string, string>;
          }) => {
            const { gate } = gateFor({
              store,
              maxTurnResultChars: 10_000,
              part: { maxResultSizeChars: 7_000 },
            });
            const context = { contentReplacementState: state };
            const first = await gate.runTurn(message(inputs), { context }).message;
            const second = await gate.runTurn(message(inputs, inputs.length), { context }).message;
            return [first, second];
          };
          const state = { seenIds: new Set<string>(), replacements: new Map<string, string>() };
          const original = await played(state);
          const kept = {
            seenIds: new Set(JSON.parse(JSON.stringify([...state.seenIds])) as string[]),
            replacements: new Map(
              JSON.parse(JSON.stringify([...state.replacements])) as [string, string][],
            ),
          };
          expect(await played(kept)).toEqual(original);
        },
      ),
      { numRuns: 15 },
    );
  });
  test('of another text under the same id are replaced anew', async () => {
    const store = folderStore({ parent: await folder() });
    const state = { seenIds: new Set<string>(), replacements: new Map<string, string>() };
    const { gate } = gateFor({ store, part: { maxResultSizeChars: 2_000 } });
    const context = { contentReplacementState: state };
    const of = async (letter: string) =>
      textOf(
        (await gate.run(toolUse('Say', { chars: 3_000, with: letter }), { context })).block.content,
      );
    expect([(await of('a'))[0], (await of('b'))[0]]).toEqual(['a', 'b']);
  });
});

test('what a post hook replaces is removed from the store', async () => {
  const parent = await folder();
  const { gate } = gateWith({
    tools: [tool({ maxResultSizeChars: 2_000 })],
    permissions: () => ({ behavior: 'allow', reason: '', covers: 'all' }),
    store: folderStore({ parent }),
    plugin: ({ hooks }) =>
      hooks.postToolUse.tap('replace', () => ({ updatedOutput: 'b'.repeat(5_000) })),
  });
  const state = { seenIds: new Set<string>(), replacements: new Map<string, string>() };
  const { block } = await gate.run(toolUse('Say', { chars: 4_000 }), {
    context: { contentReplacementState: state },
  });
  const [kept = ''] = await readdir(parent);
  const files = await readdir(join(parent, kept));
  expect(files).toHaveLength(1);
  expect(await readFile(join(parent, kept, files[0] ?? ''), 'utf8')).toBe('b'.repeat(5_000));
  expect(textOf(block.content)).toContain(files[0]);
  expect(state.replacements.get('toolu_1')).toBe(block.content);
});

describe('a full disk', () => {
  const cut = async (parent: string) => {
    const { gate, diagnostics } = gateFor({
      store: folderStore({ parent }),
      part: { maxResultSizeChars: 2_000 },
    });
    const { block, outcome } = await gate.run(toolUse('Say', { chars: 1_000_000 }));
    return { block, outcome, codes: diagnostics.map(({ code }) => code) };
  };
  const isMounted = (path: string): boolean => {
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', path], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  };
  test('gives a result that was cut and says so, and leaves no part of a file', async (context) => {
    const path = await folder();
    if (!isMounted(path)) return context.skip('nothing may be mounted here');
    onTestFinished(() => void execFileSync('umount', [path]));
    const { block, outcome, codes } = await cut(path);
    expect(outcome).toBe('ok');
    expect(textOf(block.content)).toMatch(
      /^a{1000}\n\n\[The result was 1000000 characters long; these are the first 1000\. The rest could not be kept\.\]$/,
    );
    expect(codes).toEqual(['result-not-stored']);
    const [made = ''] = await readdir(path);
    expect(await readdir(join(path, made))).toEqual([]);
  });
  test('or any other failure to write, for whoever runs this', async () => {
    const file = join(await folder(), 'file');
    await writeFile(file, '');
    expect(textOf((await cut(file)).block.content)).toMatch(/The rest could not be kept\.\]$/);
  });
});

describe('the retention rule', () => {
  const old = new Date(Date.now() - 8 * 24 * 3_600_000);
  test('removes results of its own kind that are older than a week, and nothing else', async () => {
    const parent = await folder();
    const before = await folderStore({ parent }).store('old');
    const [made = ''] = await readdir(parent);
    await writeFile(join(parent, 'toolgate-results-file'), '');
    for (const name of [made, 'toolgate-results-file']) await utimes(join(parent, name), old, old);
    const young = await folderStore({ parent }).store('young');
    await expect(stat(before)).rejects.toThrow('ENOENT');
    expect(await readdir(parent)).toContain('toolgate-results-file');
    await folderStore({ parent }).store('younger');
    expect(await readFile(young, 'utf8')).toBe('young');
  });
  test('of a folder to go on with removes files, and can be switched off', async () => {
    const own = join(await folder(), 'own');
    const path = await folderStore({ folder: own }).store('x');
    await utimes(path, old, old);
    await folderStore({ folder: own, keepMs: Infinity }).store('y');
    expect(await readFile(path, 'utf8')).toBe('x');
    await folderStore({ folder: own }).store('z');
    await expect(stat(path)).rejects.toThrow('ENOENT');
  });
});

test('a folder to go on with knows the files of earlier runs, and nothing that was planted', async () => {
  const own = join(await folder(), 'own');
  const path = await folderStore({ folder: own }).store('x');
  const store = folderStore({ folder: own });
  expect(store.owns(path)).toBe(true);
  const { link, symlink } = await import('node:fs/promises');
  const planted = join(own, '00000000-0000-0000-0000-000000000000.txt');
  await symlink('/etc/passwd', planted);
  expect(store.owns(planted)).toBe(false);
  await rm(planted);
  const outside = join(await folder(), 'secret');
  await writeFile(outside, 'secret');
  await link(outside, planted);
  expect([store.owns(planted), store.owns(join(own, 'x.txt')), store.owns(outside)]).toEqual([
    false,
    false,
    false,
  ]);
  await store.remove?.(path);
  expect(await readFile(path, 'utf8')).toBe('x');
});

test('a tool gets an empty private file of the store to fill, and every store may have none', async () => {
  const parent = await folder();
  const paths: (string | undefined)[] = [];
  const asks = {
    call: async (_: unknown, context: ToolUseContext) => {
      const path = await context.newResultFile();
      paths.push(path);
      return { data: path !== undefined && context.ownsResult(path) ? 'owned' : 'none' };
    },
  };
  const store = folderStore({ parent });
  const run = async (store: ResultStore) =>
    (await gateFor({ part: asks, store }).gate.run(toolUse('Say', {}))).block.content;

  expect(await run(store)).toBe('owned');
  const { mode, size } = await stat(paths[0] ?? '');
  expect([mode & 0o777, size]).toEqual([0o600, 0]);
  expect(await run({ store: (content) => store.store(content), owns: () => true })).toBe('none');
  expect(await run({ ...store, reserve: () => Promise.reject(new Error('full')) })).toBe('none');
});
