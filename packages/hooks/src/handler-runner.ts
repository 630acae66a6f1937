import type { Diagnostic, MappedCall, RuleMatcher, StartInput } from '@toolgate/core';
import type { Said } from './combine-start.ts';
import { placeOf, type Handler, type HookEvent } from './handler.ts';
import { commandLine, emptyVariable, hookEnvironment } from './hook-environment.ts';
import { payloadOf, type Session } from './payload.ts';
import { readOutput } from './read-output.ts';
import { createCommandRunner } from './run-command.ts';
import { visibleLine } from './bounded-text.ts';

type AnyCall = StartInput['call'] | MappedCall;

export interface HandlerRunnerOptions {
  readonly session: Session;
  readonly projectDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly matcher: RuleMatcher | undefined;
  readonly report: (diagnostic: Diagnostic) => void;
}

export interface HandlerRunner {
  /** Runs handlers at once, each to its end, and gives what they said in their order. Never rejects for a handler's sake. */
  run(
    event: HookEvent,
    handlers: readonly Handler[],
    call: AnyCall,
    signal: AbortSignal,
  ): Promise<readonly Said[]>;
  /** Kills whatever still runs. */
  stop(): void;
}

/** Runs handlers for calls: the `if` rule, the payload, the process, the reading of its output, the report. */
export function createHandlerRunner(options: HandlerRunnerOptions): HandlerRunner {
  const { session, projectDir, matcher } = options;
  const commands = createCommandRunner();
  const reportOnce = once(options.report);
  const closing = new AbortController();

  const wanted = (handler: Handler, call: AnyCall): boolean => {
    if (handler.if === undefined) return true;
    if (matcher) {
      try {
        return matcher(handler.if, call) !== 'no';
      } catch {
        return true;
      }
    }
    reportOnce({
      ...placeOf(handler),
      code: 'hook-if-unreadable',
      severity: 'warning',
      message: `Nothing here reads permission rules, so the hook's "if": "${visibleLine(handler.if, 80)}" cannot be tested; it runs each time.`,
    });
    return true;
  };

  const runOne = async (
    event: HookEvent,
    handler: Handler,
    call: AnyCall,
    stdin: string,
    signal: AbortSignal,
  ): Promise<Said> => {
    const env = hookEnvironment(options.env, projectDir, handler);
    const missing = emptyVariable(handler, env);
    if (missing !== undefined)
      reportOnce({
        ...placeOf(handler),
        code: 'hook-variable-empty',
        severity: 'warning',
        message: `The ${event} hook ${shown(handler)} uses ${missing}, which is not set here.`,
      });
    const { timeoutMs } = handler;
    const end = await commands.run({
      ...commandLine(handler, projectDir),
      cwd: call.cwd,
      env,
      stdin,
      timeoutMs,
      signal,
    });
    const { output, problems } = readOutput(event, handler, end);
    for (const { message, ...problem } of problems)
      options.report({
        ...placeOf(handler),
        ...problem,
        message: `The ${event} hook ${shown(handler)} ${message}`,
      });
    return { handler, output };
  };

  return {
    async run(event, handlers, call, signal) {
      const due = handlers.filter((handler) => wanted(handler, call));
      if (due.length === 0) return [];
      const stdin = payloadOf(event, call, session);
      for (const handler of due)
        if (handler.isAsync)
          runOne(event, { ...handler, onFailure: 'continue' }, call, stdin, closing.signal).catch(
            () => undefined,
          );
      return Promise.all(
        due
          .filter(({ isAsync }) => !isAsync)
          .map((handler) => runOne(event, handler, call, stdin, signal)),
      );
    },
    stop() {
      closing.abort();
      commands.stop();
    },
  };
}

const shown = (handler: Handler) => `\`${visibleLine(handler.command, 80)}\``;

/** Lets equal diagnostics through once. */
function once(report: (diagnostic: Diagnostic) => void): (diagnostic: Diagnostic) => void {
  const seen = new Set<string>();
  return (diagnostic) => {
    const key = JSON.stringify(diagnostic);
    if (seen.has(key) || seen.size > 10_000) return;
    seen.add(key);
    report(diagnostic);
  };
}
