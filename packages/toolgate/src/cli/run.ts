import {
  definePlugin,
  type AssistantMessage,
  type Diagnostic,
  type MappedCall,
  type Toolgate,
  type ToolUse,
  type TraceEvent,
} from '@toolgate/core';
import { classifyToolError } from '@toolgate/telemetry';
import { makeGate, type DecidingFlags } from './make-gate.ts';
import { describe, say } from './output.ts';
import { badLine, isBadLine, isObject, parseObject, type BadLine } from './parse-line.ts';
import { processLines } from './process-lines.ts';
import type { InputLine } from './read-lines.ts';
import { openTerminalDialog } from './terminal-dialog.ts';

export interface RunFlags extends DecidingFlags {
  readonly events: boolean;
  readonly prompt: boolean;
}

/** `toolgate run`: `tool_use` blocks in, `tool_result` blocks out. Answers with the exit code. */
export async function run(file: string | undefined, flags: RunFlags): Promise<number> {
  const abort = new AbortController();
  const onSignal = () => (abort.signal.aborted ? process.exit(130) : abort.abort());
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)
    process.on(signal, onSignal);
  process.stdout.on('error', () => abort.abort());
  const terminal = flags.prompt ? openTerminalDialog() : undefined;
  const gate = await makeGate(flags, {
    onDiagnostic: (diagnostic) => saySo(diagnostic, flags.events),
    ...(flags.events && { plugins: [eventLines()] }),
    ...(terminal && { dialog: terminal.dialog }),
  });
  let skipped = 0;
  try {
    const allGood = await processLines(file, abort.signal, async (line) => {
      const message = messageOn(line);
      if (message === undefined) skipped += 1;
      return message && !isBadLine(message) ? answerTo(message, gate, abort.signal) : message;
    });
    if (skipped > 0)
      say(`skipped ${skipped} ${skipped === 1 ? 'line' : 'lines'} without a tool_use`);
    return abort.signal.aborted ? 130 : allGood ? 0 : 2;
  } finally {
    terminal?.close();
    await gate.close();
  }
}

async function answerTo(
  message: AssistantMessage,
  gate: Toolgate,
  signal: AbortSignal,
): Promise<object> {
  const turn = gate.runTurn(message, { signal });
  for (const { stop } of await turn.outcomes)
    if (stop) say(`a hook asks to stop here: ${stop.reason}`);
  return turn.message;
}

/** The assistant message on a line; undefined for one without a `tool_use`. */
function messageOn(line: InputLine): AssistantMessage | BadLine | undefined {
  const value = parseObject(line);
  if (isBadLine(value)) return value;
  if (value['type'] === 'tool_use') return checked(line, { role: 'assistant', content: [value] });
  if (value['type'] === 'assistant')
    return isObject(value['message'])
      ? checked(line, value['message'])
      : badLine(line, 'an assistant line without a "message"');
  if (value['role'] === 'assistant') return checked(line, value);
  if (typeof value['type'] === 'string' || typeof value['role'] === 'string') return undefined;
  return badLine(
    line,
    'neither a tool_use block nor an assistant message: it needs "type" or "role"',
  );
}

function checked(
  line: InputLine,
  message: Readonly<Record<string, unknown>>,
): AssistantMessage | BadLine | undefined {
  const { content } = message;
  if (typeof content === 'string') return undefined;
  if (!Array.isArray(content)) return badLine(line, 'an assistant message without "content"');
  const uses = content.filter((block: unknown) => isObject(block) && block['type'] === 'tool_use');
  const broken = uses.find((use: unknown) => !isToolUse(use));
  if (broken !== undefined)
    return badLine(line, 'a tool_use block needs "id" and "name" as texts, and "input"');
  return uses.length > 0 ? { role: 'assistant', content: uses } : undefined;
}

const isToolUse = (use: unknown): use is ToolUse =>
  isObject(use) &&
  typeof use['id'] === 'string' &&
  typeof use['name'] === 'string' &&
  'input' in use;

/** Prints each event as a JSON line on standard error, and the kind of each tool error. */
const eventLines = definePlugin({
  name: 'event-lines',
  setup(gate) {
    const print = (event: object) => void process.stderr.write(`${JSON.stringify(event)}\n`);
    gate.hooks.trace.tap('event-lines', (event: TraceEvent) => print(event));
    gate.hooks.postToolUseFailure.tap('event-lines', ({ toolUse, tool, ending }: MappedCall) => {
      if (!ending.ok)
        print({
          event: 'tool-error',
          id: toolUse.id,
          tool: tool.name,
          code: ending.failure.code,
          error: classifyToolError(ending.failure.cause),
        });
    });
  },
});

function saySo(diagnostic: Diagnostic, asEvent: boolean): void {
  if (asEvent) process.stderr.write(`${JSON.stringify({ event: 'diagnostic', ...diagnostic })}\n`);
  else say(describe(diagnostic));
}
