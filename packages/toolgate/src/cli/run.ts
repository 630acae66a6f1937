import {
  definePlugin,
  type AssistantMessage,
  type MappedCall,
  type TraceEvent,
} from '@toolgate/core';
import { auditLog, classifyToolError } from '@toolgate/telemetry';
import { makeGate, type DecidingFlags } from './make-gate.ts';
import { messageIn } from './assistant-message.ts';
import { isBadLine, parseObject, type BadLine } from './parse-line.ts';
import { processLines } from './process-lines.ts';
import type { InputLine } from './read-lines.ts';
import { createTeller } from './teller.ts';
import { openTerminalDialog } from './terminal-dialog.ts';
import type { Session } from '../session/open-session.ts';
import { UsageError } from './usage-error.ts';

export interface RunFlags extends DecidingFlags {
  readonly events: boolean;
  readonly prompt: boolean;
  readonly session?: string;
  readonly audit?: string;
}

/** `toolgate run`: `tool_use` blocks in, `tool_result` blocks out. Answers with the exit code. */
export async function run(file: string | undefined, flags: RunFlags): Promise<number> {
  const abort = new AbortController();
  const onSignal = () => (abort.signal.aborted ? process.exit(130) : abort.abort());
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)
    process.on(signal, onSignal);
  const teller = createTeller(flags.events);
  const terminal = flags.prompt ? openTerminalDialog() : undefined;
  const session = await sessionIn(flags.session);
  for (const { tool, reason } of session?.pendingPrompts ?? [])
    teller.note(
      `a prompt of an earlier run was never answered, and is asked again: ${tool}: ${reason}`,
    );
  const gate = await makeGate(flags, {
    onDiagnostic: (diagnostic) => teller.diagnostic(diagnostic),
    tell: (text) => teller.note(text),
    plugins: [
      ...(flags.events ? [eventLines()] : []),
      ...(flags.audit === undefined ? [] : [auditTo(flags.audit, (text) => teller.note(text))]),
    ],
    ...(terminal && { dialog: terminal.dialog }),
    ...(session && { session }),
  });
  let skipped = 0;
  try {
    const work = async (line: InputLine) => {
      const message = messageOn(line);
      if (message === undefined) skipped += 1;
      if (!message || isBadLine(message)) return message;
      const turn = gate.runTurn(message, { signal: abort.signal });
      for (const { stop } of await turn.outcomes)
        if (stop) teller.note(`a hook asks to stop here: ${stop.reason}`);
      return turn.message;
    };
    const { signal } = abort;
    const allGood = await processLines(file, { signal, work, tell: (text) => teller.note(text) });
    if (skipped > 0)
      teller.note(`skipped ${skipped} ${skipped === 1 ? 'line' : 'lines'} without a tool_use`);
    teller.end();
    return abort.signal.aborted ? 130 : allGood ? 0 : 2;
  } finally {
    terminal?.close();
    await gate.close();
    session?.close();
  }
}

/** The head goes to standard error as well when the log is closed: a place that whoever changes the log does not reach. */
const auditTo = (file: string, note: (text: string) => void) =>
  auditLog({
    file,
    onHead: ({ seq, mac }) => note(`the audit log ends with line ${seq}, ${mac}`),
  });

async function sessionIn(folder: string | undefined): Promise<Session | undefined> {
  if (folder === undefined) return undefined;
  const { openSession } = await import('../session/open-session.ts');
  return openSession(folder).catch((error: unknown) => {
    throw new UsageError(`--session: ${error instanceof Error ? error.message : String(error)}`);
  });
}

/** The assistant message on a line; undefined for one without a `tool_use`. */
function messageOn(line: InputLine): AssistantMessage | BadLine | undefined {
  const value = parseObject(line);
  return isBadLine(value) ? value : messageIn(line, value);
}

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
