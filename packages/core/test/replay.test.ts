import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  allow,
  buildTool,
  definePlugin,
  deny,
  type LedgerClaim,
  type LedgerKey,
  type ToolgateOptions,
  type ToolLedger,
} from '../src/index.ts';
import { gateWith, hang, hastyClock, noUnhandledRejections, refusal, toolUse } from './helpers.ts';

noUnhandledRejections();

/** A ledger that outlives its gates, as one on disk does. */
function lasting(): ToolLedger & { readonly rows: Map<string, LedgerClaim> } {
  const rows = new Map<string, LedgerClaim & { readonly digest: string }>();
  const nameOf = ({ turn, agentId, toolUseId }: LedgerKey) => `${turn} ${agentId} ${toolUseId}`;
  const known = (key: LedgerKey) => {
    const row = rows.get(nameOf(key));
    return row && (row.digest === key.digest ? row : ({ state: 'reused' } as const));
  };
  return {
    rows,
    find: (key) => known(key) as Exclude<LedgerClaim, { readonly state: 'claimed' }> | undefined,
    claim(key) {
      const row = known(key);
      if (row) return row;
      rows.set(nameOf(key), { state: 'started', digest: key.digest });
      return { state: 'claimed' };
    },
    complete: (key, result) =>
      void rows.set(nameOf(key), { state: 'done', digest: key.digest, ...result }),
    forget: () => undefined,
  };
}

/** A tool that counts its runs; `stops` leaves the call started, as a killed process does. */
function session(part: object = {}) {
  const ledger = lasting();
  let runs = 0;
  const checked: unknown[] = [];
  const heard: string[] = [];
  const run = async (
    options: ToolgateOptions & {
      readonly input?: object;
      readonly stops?: boolean;
      /** The tool comes with a plugin, which makes nobody trust it. */
      readonly addsTool?: boolean;
    } = {},
  ) => {
    const { input = { text: 'a' }, stops = false, addsTool = false, ...more } = options;
    const tool = buildTool({
      name: 'Do',
      description: '',
      inputSchema: z.object({ text: z.string() }),
      validateInput: (given) => {
        checked.push(given);
        return runs === 0
          ? { result: true }
          : { result: false, message: 'The file changed.', errorCode: 1 };
      },
      call: ({ text }) => ({ data: `${text} ${(runs += 1)}` }),
      ...part,
    });

    const { gate } = gateWith({
      tools: [tool],
      clock: hastyClock,
      permissions: () => allow('', 'all'),
      ledger: stops ? { ...ledger, complete: () => undefined } : ledger,
      plugin: ({ hooks, tools }) => {
        if (addsTool) tools.add(tool);
        for (const name of ['prompt', 'execute', 'result', 'postToolUse'] as const)
          hooks[name].tap('note', () => void heard.push(name));
      },
      ...more,
    });
    return gate.run(toolUse('Do', input));
  };
  return { run, ledger, runs: () => runs, checked, heard };
}

describe('a call that is done', () => {
  test('gets its stored result; nothing runs, nobody is asked, and the tool checks nothing again', async () => {
    const { run, runs, checked, heard, ledger } = session();
    const first = await run();
    heard.length = 0;
    const noClaim: ToolLedger = { ...ledger, claim: () => expect.unreachable() };
    const second = await run({ permissions: () => undefined, ledger: noClaim });
    expect(second).toMatchObject({ outcome: 'answered', block: first.block });
    expect(second.decision).toMatchObject({
      behavior: 'allow',
      reason: 'This very call ran before.',
    });
    expect([runs(), checked.length, heard]).toEqual([1, 1, []]);
  });
  test('keeps that it was an error', async () => {
    const { run } = session({ call: () => Promise.reject(new Error('broken')) });
    const first = await run();
    expect(first.block.is_error).toBe(true);
    expect((await run()).block).toEqual(first.block);
  });
  test.for<[string, ToolgateOptions]>([
    ['a rule', { permissions: () => deny('Not any more.') }],
    ['a source that fails', { permissions: () => Promise.reject(new Error('down')) }],
  ])('is refused when %s denies it now', async ([, options]) => {
    const { run, runs } = session();
    await run();
    const heard: string[] = [];
    const told: ToolgateOptions['plugins'] = [
      definePlugin({
        name: 'told',
        setup: ({ hooks }) =>
          hooks.permissionDenied.tap('told', ({ by }) => void heard.push(String(by))),
      })(),
    ];
    expect(await run({ ...options, plugins: told })).toMatchObject({
      outcome: 'refused',
      code: 'permission_denied',
    });
    expect(heard).toEqual(['opinions']);
    expect(runs()).toBe(1);
  });
});

describe('a call that was started and never finished', () => {
  test('is not run again, and nobody is asked about it', async () => {
    const { run, runs, heard } = session();
    await run({ stops: true });
    heard.length = 0;
    expect(await run({ permissions: () => undefined })).toMatchObject({
      outcome: 'refused',
      code: 'outcome_unknown',
      block: refusal(
        'This call was started before and how it ended is not known; it was not run again. Check what it did before sending it again.',
      ),
    });
    expect([runs(), heard]).toEqual([1, []]);
  });
  test.for<[string, object]>([
    ['only reads', { isReadOnly: () => true, validateInput: () => ({ result: true }) }],
    ['is idempotent', { isIdempotent: () => true, validateInput: () => ({ result: true }) }],
  ])('may run again if it %s', async ([, part]) => {
    const { run, runs } = session(part);
    await run({ stops: true });
    expect((await run()).outcome).toBe('ok');
    expect(runs()).toBe(2);
    expect((await run()).outcome).toBe('answered');
  });
  test('is not run again on the word of a tool that nobody trusts', async () => {
    const { run, runs } = session({ isIdempotent: () => true, isReadOnly: () => true });
    const untrusted = (stops: boolean) =>
      run({ stops, tools: [], addsTool: true, permissions: () => allow('', 'all') });
    await untrusted(true);
    expect(await untrusted(false)).toMatchObject({ code: 'outcome_unknown' });
    expect(runs()).toBe(1);
  });
});

test('an id that belonged to another input is refused', async () => {
  const { run, runs } = session();
  await run();
  expect(await run({ input: { text: 'b' } })).toMatchObject({ code: 'id_reused' });
  expect(runs()).toBe(1);
});

test.for<[string, () => unknown]>([
  [
    'throws',
    () => {
      throw new Error('disk');
    },
  ],
  ['rejects', () => Promise.reject(new Error('disk'))],
  ['hangs', hang],
  ['answers nonsense', () => ({ state: 'maybe' })],
])('a ledger that %s when it is asked refuses the call', async ([, find]) => {
  const { run, runs, ledger } = session();
  const asked: ToolLedger = { ...ledger, find: find as () => undefined };
  expect(await run({ ledger: asked })).toMatchObject({ code: 'plugin_failed' });
  expect(runs()).toBe(0);
});
