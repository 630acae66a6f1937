import {
  allow,
  ask,
  buildTool,
  definePlugin,
  deny,
  type CallOutcome,
  type StartedCall,
  type ToolgateOptions,
} from '@toolgate/core';
import { createHookRunner, toolEvents, type HookEvent, type HookResult } from '@toolgate/hooks';
import { createBuiltinTools } from '@toolgate/tools-builtin';
import { z } from 'zod';
import { createStandardToolgate } from '../create-standard-toolgate.ts';
import { checkEvent } from './hook-event.ts';
import type { HooksFlags } from './hooks-list.ts';
import { loadConfig } from './load-config.ts';
import { existingFolder } from './make-gate.ts';
import { say, writeLine, writeText } from './output.ts';
import { createTeller } from './teller.ts';
import { UsageError } from './usage-error.ts';

export interface HooksRunFlags extends HooksFlags {
  readonly input: string;
  /** What the tool is said to have given, as JSON. */
  readonly response?: string;
  /** What the tool is said to have failed with. */
  readonly error?: string;
  /** A module whose `model` and `mcp` the hooks get. */
  readonly config?: string;
}
type Fields = Readonly<Record<string, unknown>>;

/**
 * `toolgate hooks run`: runs the real handlers of one event, prints what each said and what it comes to. No
 * tool runs. Answers with the exit code.
 */
export async function hooksRun(name: string, flags: HooksRunFlags): Promise<number> {
  const event = checkEvent(name);
  const input = objectIn('--input', flags.input);
  const teller = createTeller(false);
  const results: HookResult[] = [];
  const hooks = createHookRunner({
    events: [event],
    onResult: (result) => void results.push(result),
    onStatus: ({ hook, message }) => say(`${hook}: ${message}`),
  });
  const heard: StartedCall[] = [];
  const { model, mcp } =
    flags.config === undefined ? {} : await loadConfig(flags.config, (text) => say(text));
  const gate = await createStandardToolgate({
    cwd: await existingFolder(flags.cwd),
    ...(flags.trust && { trust: true }),
    settingsFiles: flags.settings,
    hooks,
    tools: standIns(flags.tool),
    onDiagnostic: (diagnostic) => teller.diagnostic(diagnostic),
    overrides: {
      ...(model && { model }),
      ...(mcp && { mcp }),
      ...surroundings(event, flags),
      plugins: [listen({ event, heard })],
    },
  });
  try {
    const conclusion = isToolEvent(event)
      ? await concludeCall(gate, event, { tool: flags.tool, input, heard })
      : await hooks.runHooks(event, input);
    for (const result of results)
      await (flags.text ? writeText(sentence(result)) : writeLine(result));
    await (flags.text
      ? writeText(`${event}: ${JSON.stringify(conclusion)}\n`)
      : writeLine({ event, conclusion }));
    teller.end();
    return 0;
  } finally {
    await gate.close();
  }
}

const isToolEvent = (event: HookEvent): boolean => toolEvents.some((name) => name === event);

function objectIn(flag: string, text: string): Fields {
  const read = z.record(z.string(), z.unknown()).safeParse(jsonIn(flag, text));
  if (!read.success) throw new UsageError(`${flag} must be a JSON object`);
  return read.data;
}

function jsonIn(flag: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${flag} is no JSON`);
  }
}

/** A tool that nobody has here, such as one of an MCP server: it takes any input. */
const standIns = (name: string | undefined) =>
  name === undefined || createBuiltinTools().some((tool) => tool.name === name)
    ? []
    : [
        buildTool({
          name,
          description: 'A stand-in; it never runs.',
          inputSchema: z.looseObject({}),
          call: () => ({ data: '' }),
        }),
      ];

/** What decides and runs in place of rules and tools, so that exactly this event's hooks run. */
function surroundings(event: HookEvent, flags: HooksRunFlags): ToolgateOptions {
  const { error, response = '""' } = flags;
  const data = jsonIn('--response', response);
  const isFailure = error !== undefined || event === 'PostToolUseFailure';
  return {
    permissions: () => {
      if (event === 'PreToolUse') return deny('Only hooks run here.');
      if (event === 'PermissionRequest') return ask('Somebody must confirm this.');
      return event === 'PermissionDenied' ? undefined : allow('Only hooks run here.', 'all');
    },
    executor: async () =>
      isFailure
        ? { ok: false, failure: { code: 'tool_failed', message: error ?? 'The tool failed.' } }
        : { ok: true, result: { data } },
  };
}

/**
 * Keeps the call as the hooks left it; for PermissionDenied it is the classifier that says no. A built-in
 * tool's response may be any JSON here, so it is shown as it is.
 */
const listen = definePlugin({
  name: 'hooks-run',
  setup(gate, { event, heard }: { readonly event: HookEvent; readonly heard: StartedCall[] }) {
    gate.hooks.opinions.tap('listen', (call) => void heard.push(call));
    if (event === 'PostToolUse' || event === 'PostToolBatch')
      gate.hooks.lookup.tap('listen', ({ name }) => {
        const tool = createBuiltinTools().find((builtin) => builtin.name === name);
        return tool && { tool: { ...tool, mapToolResultToToolResultBlockParam: asText } };
      });
    if (event === 'PermissionDenied')
      gate.hooks.resolve.tap({ name: 'listen', slot: 'classifier' }, () =>
        deny('The classifier denied this.'),
      );
  },
});
const asText = (data: unknown) => ({
  content: typeof data === 'string' ? data : JSON.stringify(data),
});

async function concludeCall(
  gate: Awaited<ReturnType<typeof createStandardToolgate>>,
  event: HookEvent,
  about: {
    readonly tool: string | undefined;
    readonly input: Fields;
    readonly heard: readonly StartedCall[];
  },
): Promise<object> {
  const { tool, input, heard } = about;
  if (tool === undefined) throw new UsageError(`hooks run ${event} needs --tool`);
  const use = { type: 'tool_use' as const, id: 'toolu_1', name: tool, input };
  const [outcome] = await gate.runTurn({ role: 'assistant', content: [use] }).outcomes;
  const call = heard.at(-1);
  if (!outcome || !call)
    return { behavior: 'deny', reason: outcome ? textOf(outcome) : 'The call went nowhere.' };
  const stop = outcome.stop && { stop: outcome.stop.reason };
  if (event === 'PreToolUse') return { ...said(call), ...stop };
  if (event === 'PermissionRequest') {
    const answered = outcome.decision?.trail.find(
      ({ step, plugin }) => step === 'prompt' && plugin === '@toolgate/hooks',
    );
    return { behavior: answered?.behavior ?? 'none', input: call.input, ...stop };
  }
  const context = outcome.after.map((block) => ('text' in block ? block.text : ''));
  return { result: outcome.block, context, ...stop };
}

/** What the PreToolUse hooks said together of the call as they left it. */
function said({ startOpinions, input, contexts }: StartedCall): object {
  const strongest = startOpinions
    .filter(({ plugin }) => plugin === '@toolgate/hooks' || plugin === 'toolgate')
    .map(({ opinion }) => opinion)
    .toSorted((a, b) => order.indexOf(a.behavior) - order.indexOf(b.behavior))
    .at(0);
  return {
    behavior: strongest?.behavior ?? 'none',
    ...(strongest && { reason: strongest.reason }),
    input,
    ...(contexts.length > 0 && { context: contexts }),
  };
}
const order = ['deny', 'ask', 'allow'];

const textOf = ({ block }: CallOutcome): string =>
  typeof block.content === 'string' ? block.content : JSON.stringify(block.content);

function sentence({
  hook,
  outcome,
  exitCode,
  durationMs,
  blockingError,
  message,
  stderr,
}: HookResult) {
  const code = exitCode === undefined ? '' : `, exit code ${exitCode}`;
  const why = blockingError?.blockingError ?? message ?? stderr ?? '';
  return `${hook}: ${outcome}${code}, ${Math.round(durationMs)} ms${why === '' ? '' : `: ${why}`}\n`;
}
