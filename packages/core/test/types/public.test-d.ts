// Checked by tsc: each line below an `@ts-expect-error` must not compile.
import { z } from 'zod';
import {
  buildTool,
  createToolgate,
  definePlugin,
  deny,
  isCallOf,
  type StartedCall,
} from '../../src/index.ts';

const bash = buildTool({
  name: 'Bash',
  description: 'Runs a command.',
  inputSchema: z.object({ command: z.string() }),
  call: ({ command }) => ({ data: command.length }),
  mapToolResultToToolResultBlockParam: (data) => ({ content: String(data.toFixed(2)) }),
});
const tools = [bash];
const redact = <T>(content: T): T => content;

// The three lines of docs/architecture.md.
const noPush = (call: StartedCall) =>
  isCallOf(bash, call) && call.input.command.includes('push')
    ? deny('Ask a person to push.')
    : undefined;
export const gate = createToolgate({
  tools,
  permissions: noPush,
  results: (r) => ({ ...r, content: redact(r.content) }),
});

// @ts-expect-error -- a misspelled option
createToolgate({ tools, permisions: noPush });

buildTool({
  name: 'X',
  description: '',
  inputSchema: z.object({}),
  // @ts-expect-error -- a misspelled key of a tool
  isReadonly: () => true,
  call: () => ({ data: '' }),
});

// @ts-expect-error -- a misspelled key of a plugin
definePlugin({ name: 'x', require: {}, setup: () => undefined });

definePlugin({
  name: 'x',
  setup: ({ hooks }) => {
    // @ts-expect-error -- a misspelled hook
    hooks.opinion.tap('x', () => undefined);
    // @ts-expect-error -- a misspelled word in an opinion
    hooks.opinions.tap('x', () => ({ behavior: 'alow', reason: '' }));
    // @ts-expect-error -- no answer of a start tap
    hooks.start.tap('x', () => ({ opinion: true }));
  },
});

export const narrowed = (call: StartedCall): string => {
  // @ts-expect-error -- not known before it is asked
  const early: string = call.input.command;
  return isCallOf(bash, call) ? call.input.command : early;
};

export const frozen = (call: StartedCall): void => {
  // @ts-expect-error -- a call is not changed
  call.revision = 2;
  // @ts-expect-error -- its units neither
  call.effects.units.push({ tool: 'x', readOnly: true });
};

const withOptions = definePlugin({
  name: 'with-options',
  setup: (_, options: { readonly from: number }) => void options.from,
});
withOptions({ from: 5 });
// @ts-expect-error -- options of another type
withOptions({ from: '5' });
