// Checked by tsc: each line below an `@ts-expect-error` must not compile.
import * as v from 'valibot';
import { z } from 'zod';
import {
  buildTool,
  createToolgate,
  repairPairing,
  type AnyObject,
  type BuiltTool,
  type CallOutcome,
  type StoredResult,
  type ToolLedger,
  type ToolProgressData,
  type ToolResult,
  type Tools,
  type ToolUseContext,
  type ValidationResult,
} from '../../src/index.ts';
import { runTool } from '../../src/testing.ts';

const count = buildTool({
  name: 'Count',
  description: '',
  inputSchema: z.object({ to: z.number(), from: z.number().default(0) }),
  isReadOnly: ({ to, from }) => to > from,
  validateInput: ({ from }) =>
    from < 0 ? { result: false, message: 'No.', errorCode: 1 } : { result: true },
  call: ({ to }, { signal }, onProgress: (data: { readonly at: number }) => void) => {
    onProgress({ at: to });
    // @ts-expect-error -- progress of another shape
    onProgress({ place: to });
    return { data: { ended: signal.aborted } };
  },
  mapToolResultToToolResultBlockParam: ({ ended }) => ({ content: String(ended) }),
  renderToolUseProgressMessage: ({ at }) => ({ type: 'text', text: at.toFixed(0) }),
});

buildTool({
  name: 'Misread',
  description: '',
  inputSchema: z.object({ to: z.number() }),
  // @ts-expect-error -- the schema has no such field
  call: ({ form }) => ({ data: form }),
});
buildTool({
  name: 'Mistyped',
  description: '',
  inputSchema: z.object({ to: z.number() }),
  // @ts-expect-error -- a number has no such method
  isReadOnly: ({ to }) => to.startsWith('x'),
  call: () => ({ data: '' }),
});
buildTool({
  name: 'Dataless',
  description: '',
  inputSchema: z.object({}),
  // @ts-expect-error -- what a call returns has data
  call: () => ({ result: '' }),
});
// @ts-expect-error -- a tool without call
buildTool({ name: 'Idle', description: '', inputSchema: z.object({}) });
buildTool({
  name: 'Odd',
  description: '',
  // @ts-expect-error -- a JSON Schema is no schema of a library
  inputSchema: { type: 'object' },
  call: () => ({ data: '' }),
});

// Of a JSON Schema nothing is known by type.
export const remote = buildTool({
  name: 'Remote',
  description: '',
  inputJSONSchema: { type: 'object', properties: { city: { type: 'string' } } },
  call: (input) => {
    const given: AnyObject = input;
    const city = given['city'];
    // @ts-expect-error -- it may be anything
    const text: string = city;
    return { data: text };
  },
});

// Another library's schema types the input as well.
export const standard = buildTool({
  name: 'Standard',
  description: '',
  inputSchema: v.object({ n: v.number() }),
  inputJSONSchema: { type: 'object' },
  call: ({ n }) => {
    // @ts-expect-error -- a number
    const text: string = n;
    return { data: n.toFixed(1) + text };
  },
});

const definition = {
  name: 'Kept',
  description: '',
  inputSchema: z.object({ a: z.string() }),
  call: (input: { a: string }) => ({ data: input.a.length }),
};
export const kept: BuiltTool<typeof definition> = buildTool(definition);
// @ts-expect-error -- a tool is not changed
kept.name = 'x';

export const tools: Tools = [count, remote, standard, kept];
// @ts-expect-error -- nor is a list of tools
tools.push(count);

export async function tested(): Promise<void> {
  const run = await runTool(count, { to: 5 }, { rules: { allow: ['Count'] }, answers: ['allow'] });
  const ended: boolean | undefined = run.data?.ended;
  const at: readonly number[] = run.progress.map((one) => one.at);
  // @ts-expect-error -- a boolean
  const text: string | undefined = run.data?.ended;
  // @ts-expect-error -- no answer
  await runTool(count, {}, { answers: ['perhaps'] });
  // @ts-expect-error -- rules say allow, ask or deny
  await runTool(count, {}, { rules: { permit: ['Count'] } });
  // @ts-expect-error -- a misspelled option
  await runTool(count, {}, { rule: {} });
  void [ended, at, text];
}

export const results: readonly ToolResult<string>[] = [
  { data: 'x', newMessages: [{ role: 'user', content: 'x' }] },
  // @ts-expect-error -- a tool speaks in no other role
  { data: 'x', newMessages: [{ role: 'assistant', content: 'x' }] },
  // @ts-expect-error -- of a context only the folder is changed
  { data: 'x', contextModifier: () => ({ mode: 'bypassPermissions' }) },
];
export const answers: readonly ValidationResult[] = [
  { result: true },
  { result: false, message: 'Sure?', behavior: 'ask' },
  // @ts-expect-error -- a refusal has a number
  { result: false, message: 'No.' },
  // @ts-expect-error -- validation allows nothing
  { result: false, message: 'Yes.', behavior: 'allow' },
];
export const progress: ToolProgressData = { any: 'thing' };

export function within(context: ToolUseContext): void {
  // @ts-expect-error -- the folder is the one that was judged
  context.cwd = '/';
  // @ts-expect-error -- the list of tools is replaced, never changed
  context.options.tools.push(count);
  // @ts-expect-error -- no mode is in a tool's reach
  context.toolPermissionContext.mode = 'bypassPermissions';
  // @ts-expect-error -- nor are folders
  context.toolPermissionContext.directories.push('/');
}

// @ts-expect-error -- a ledger completes what it let somebody claim
export const ledger: ToolLedger = { claim: () => ({ state: 'claimed' }), forget: () => undefined };
// @ts-expect-error -- a stored result says whether it was an error
export const stored: StoredResult = { content: '' };

const gate = createToolgate({ tools });
export async function used(outcome: CallOutcome): Promise<void> {
  // @ts-expect-error -- a block of another kind
  await gate.run({ type: 'text', id: 'x', name: 'Count', input: {} });
  const use = { type: 'tool_use', id: 'x', name: 'Count', input: {} } as const;
  // @ts-expect-error -- a misspelled member of the context
  await gate.run(use, { context: { agent: '' } });
  // @ts-expect-error -- an outcome is one of five words
  if (outcome.outcome === 'done') return;
  // @ts-expect-error -- a code is one of the closed list
  if (outcome.code === 'oops') return;
  const { messages, changes } = repairPairing([{ role: 'user', content: 'x' }]);
  const role: string | undefined = messages[0]?.role;
  // @ts-expect-error -- one of four kinds
  if (changes[0]?.kind === 'lost') return;
  void role;
}
