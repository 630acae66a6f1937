import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import {
  buildTool,
  createToolgate,
  definePlugin,
  type Clock,
  type Diagnostic,
  type PathFacts,
  type PluginGate,
  type Toolgate,
  type ToolgateOptions,
  type ToolUse,
} from '../src/index.ts';

/** A block as a model writes it. */
export const toolUse = (name: string, input: unknown = {}, { id = 'toolu_1' } = {}): ToolUse => ({
  type: 'tool_use',
  id,
  name,
  input,
});

/** Links nowhere, knows no disk: every absolute path is real. */
export const noDisk: PathFacts = {
  home: '/home/u',
  realPath: (path) => path,
  folderIdentity: () => undefined,
  holds: () => false,
};

/** Says its text; not read-only, so that something must allow it. Counts its runs. */
export function echoTool(name = 'Echo') {
  const ran: unknown[] = [];
  const tool = buildTool({
    name,
    description: 'Says what it is told.',
    inputSchema: z.object({ text: z.string() }),
    call: (input) => {
      ran.push(input);
      return { data: input.text };
    },
  });
  return { tool, ran };
}

export interface Fixture {
  readonly gate: Toolgate;
  readonly diagnostics: readonly Diagnostic[];
  /** The inputs that the tool Echo ran with. */
  readonly ran: readonly unknown[];
}

/** A gate with the tool Echo, no disk and whatever else is given; `plugin` is one plugin's set-up. */
export function gateWith({
  plugin,
  ...options
}: ToolgateOptions & { readonly plugin?: (gate: PluginGate) => void } = {}): Fixture {
  const diagnostics: Diagnostic[] = [];
  const { tool, ran } = echoTool();
  const probe = definePlugin({ name: 'probe', setup: (gate) => plugin?.(gate) });
  const gate = createToolgate({
    tools: [tool],
    facts: noDisk,
    cwd: '/p',
    graceMs: 20,
    onDiagnostic: (diagnostic) => void diagnostics.push(diagnostic),
    ...options,
    plugins: [...(plugin ? [probe()] : []), ...(options.plugins ?? [])],
  });
  return { gate, diagnostics, ran };
}

/** What a refused call's block looks like. */
export const refusal = (message: string, id = 'toolu_1') => ({
  type: 'tool_result',
  tool_use_id: id,
  content: `<tool_use_error>${message}</tool_use_error>`,
  is_error: true,
});

/** What a call that went well looks like. */
export const result = (content: string, id = 'toolu_1') => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
});

/** Never settles. */
export const hang = (): Promise<never> => new Promise<never>(() => undefined);

/** A clock that moves only when told. */
export function fakeClock() {
  let now = 0;
  const timers = new Set<{ readonly at: number; readonly callback: () => void }>();
  const clock: Clock = {
    now: () => now,
    after(ms, callback) {
      const timer = { at: now + ms, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
  };
  /** Lets what is under way go on, moves on, and lets what that started go on. */
  const pass = async (ms: number) => {
    await settled();
    now += ms;
    for (const timer of Array.from(timers))
      if (timer.at <= now && timers.delete(timer)) timer.callback();
    await settled();
  };
  return { clock, pass, open: () => timers.size };
}

/** Waits until all promises that can go on have done so. */
export const settled = async (): Promise<void> => {
  await setImmediate();
  await setImmediate();
};

/** Fails each test of a file in which a rejection was handled by nobody. */
export function noUnhandledRejections(): void {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  beforeAll(() => void process.on('unhandledRejection', note));
  afterAll(() => void process.off('unhandledRejection', note));
  afterEach(async () => {
    await settled();
    expect(unhandled.splice(0)).toEqual([]);
  });
}

/** The machine's clock with no timer longer than 8 ms, so that whatever hangs is soon over. */
export const hastyClock: Clock = {
  now: () => performance.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, Math.min(ms, 8));
    return () => clearTimeout(timer);
  },
};

/** The text of a result; fails the test for one of blocks. */
export function textOf(content: unknown): string {
  if (typeof content !== 'string') throw new Error('the content is no text');
  return content;
}

/** How often a property is tried: quickly, or as often as `npm run test:deep` wants. */
export const runs = (quick: number, deep: number): number =>
  process.env['TOOLGATE_DEEP'] === '1' ? deep : quick;
