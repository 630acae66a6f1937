import { setMaxListeners } from 'node:events';
import {
  messageOf,
  type Diagnostic,
  type LanguageModel,
  type McpTools,
  type ResultStore,
  type RuleMatcher,
  type SettingValue,
  type Toolgate,
} from '@toolgate/core';
import { askPrompt } from './ask-prompt.ts';
import { visibleLine } from './bounded-text.ts';
import { failedEnd, type HandlerEnd } from './handler-end.ts';
import { labelOf, placeOf, type Handler } from './handler.ts';
import { commandLine, emptyVariable, hookEnvironment } from './hook-environment.ts';
import type { HookEvent } from './hook-events.ts';
import type { HookOutput } from './hook-output.ts';
import { boundedOutput } from './bounded-output.ts';
import { resultOf, type HookResult } from './hook-result.ts';
import { httpPolicy } from './http-policy.ts';
import { readOutput } from './read-output.ts';
import { runAgent } from './run-agent.ts';
import { createCommandRunner } from './run-command.ts';
import { runFunction } from './run-function.ts';
import { runMcpTool } from './run-mcp-tool.ts';

/** One moment at which handlers run. */
export interface Occasion {
  readonly event: HookEvent;
  readonly cwd: string;
  readonly payload: object;
  readonly values: readonly SettingValue[];
  readonly toolUseId?: string;
  /** What commands see as `CLAUDE_ENV_FILE`. */
  readonly envFile?: string;
  /** What a handler's `if` is tested against; absent for events without a call. */
  readonly call?: Parameters<RuleMatcher>[1];
}

/** What one handler said. */
export interface Said {
  readonly handler: Handler;
  readonly output: HookOutput;
}

export interface HandlerRunnerOptions {
  readonly projectDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly callEnvironment: ((toolUseId: string) => Readonly<Record<string, string>>) | undefined;
  readonly matcher: RuleMatcher | undefined;
  readonly mcp: McpTools | undefined;
  readonly store: ResultStore | undefined;
  modelOf(name: string | undefined): LanguageModel | undefined;
  gate(): Toolgate | undefined;
  /** The ids of the agents of hooks at work. */
  readonly agents: Set<string>;
  report(diagnostic: Diagnostic): void;
  onResult(result: HookResult): void;
  onStatus(handler: Handler, occasion: Occasion): void;
  /** Hears what a handler in the background said, once it has ended. */
  onLater(said: Said, end: HandlerEnd): void;
}

export interface HandlerRunner {
  /** Runs handlers at once, each to its end, and gives what they said in their order. Never rejects for a handler's sake. */
  run(
    occasion: Occasion,
    handlers: readonly Handler[],
    signal: AbortSignal,
  ): readonly Promise<Said>[];
  /** Kills whatever still runs. */
  stop(): void;
}

/** Runs handlers of all types: the `if` rule, the payload, the work, the reading of its output, the report. */
export function createHandlerRunner(options: HandlerRunnerOptions): HandlerRunner {
  const { projectDir, matcher } = options;
  const commands = createCommandRunner();
  const reportOnce = once((diagnostic) => options.report(diagnostic));
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  const spent = new Set<Handler>();

  const wanted = (handler: Handler, { call }: Occasion): boolean => {
    if (handler.if === undefined) return true;
    if (!call) return false;
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

  const ofCall = ({ toolUseId }: Occasion): Readonly<Record<string, string>> => {
    if (toolUseId === undefined) return {};
    try {
      return options.callEnvironment?.(toolUseId) ?? {};
    } catch {
      return {};
    }
  };

  const work = async (
    handler: Handler,
    occasion: Occasion,
    stdin: string,
    signal: AbortSignal,
    onDetach: (rest: Promise<HandlerEnd>) => void,
  ): Promise<HandlerEnd> => {
    const { event, payload, values } = occasion;
    switch (handler.type) {
      case 'command': {
        const env = {
          ...hookEnvironment(options.env, projectDir, handler, occasion.envFile),
          ...ofCall(occasion),
        };
        const missing = emptyVariable(handler, env);
        if (missing !== undefined)
          reportOnce({
            ...placeOf(handler),
            code: 'hook-variable-empty',
            severity: 'warning',
            message: `The ${event} hook \`${labelOf(handler)}\` uses ${missing}, which is not set here.`,
          });
        const { timeoutMs } = handler;
        const line = commandLine(handler, projectDir);
        return commands.run({
          ...line,
          cwd: occasion.cwd,
          env,
          stdin,
          timeoutMs,
          signal,
          onDetach,
        });
      }
      case 'http': {
        // Loaded with the first such hook: Node's HTTP takes a while.
        const { runHttp } = await import('./run-http.ts');
        return runHttp(handler, stdin, { policy: httpPolicy(values), env: options.env }, signal);
      }
      case 'mcp_tool':
        return runMcpTool(handler, event, payload, options.mcp, signal);
      case 'prompt':
        return askPrompt(handler, event, stdin, options.modelOf(handler.model), signal);
      case 'agent': {
        const model = options.modelOf(handler.model);
        return runAgent(
          handler,
          event,
          stdin,
          { model, gate: options.gate(), agents: options.agents },
          signal,
        );
      }
      case 'function':
        // A copy of its own: what a function changes is nobody else's, least of all the tool's.
        return runFunction(handler, JSON.parse(stdin) as object, occasion.toolUseId, signal);
    }
  };

  const working: typeof work = (handler, ...rest) =>
    work(handler, ...rest).catch((error: unknown) => failedEnd(`failed: ${messageOf(error)}`));

  const finish = async (
    handler: Handler,
    occasion: Occasion,
    end: HandlerEnd,
    startedAt: number,
  ): Promise<Said> => {
    const { output, problems } = readOutput(occasion.event, handler, end);
    const named = `The ${occasion.event} hook \`${labelOf(handler)}\``;
    for (const { message, ...problem } of problems)
      options.report({ ...placeOf(handler), ...problem, message: `${named} ${message}` });
    const bounded = await boundedOutput(output, options.store);
    const durationMs = performance.now() - startedAt;
    options.onResult(resultOf(handler, occasion, { end, output: bounded, problems, durationMs }));
    return { handler, output: bounded };
  };

  const runOne = async (
    handler: Handler,
    occasion: Occasion,
    stdin: string,
    signal: AbortSignal,
  ): Promise<Said> => {
    const startedAt = performance.now();
    if (handler.statusMessage !== undefined) options.onStatus(handler, occasion);
    const later = (rest: Promise<HandlerEnd>) => {
      const background = { ...handler, onFailure: 'continue', isAsync: true } as const;
      rest
        .then(async (end) =>
          options.onLater(await finish(background, occasion, end, startedAt), end),
        )
        .catch(() => undefined);
    };
    if (handler.isAsync) {
      later(working(handler, occasion, stdin, closing.signal, () => undefined));
      return { handler, output: {} };
    }
    let isDetached = false;
    const end = await working(handler, occasion, stdin, signal, (rest) => {
      isDetached = true;
      later(rest);
    });
    return isDetached ? { handler, output: {} } : finish(handler, occasion, end, startedAt);
  };

  return {
    run(occasion, handlers, signal) {
      const due = handlers.filter((handler) => !spent.has(handler) && wanted(handler, occasion));
      if (due.length === 0) return [];
      for (const handler of due) if (handler.isOnce) spent.add(handler);
      // One listener for each hook of a call; eleven are no leak.
      setMaxListeners(0, signal);
      const stdin = jsonText(occasion.payload);
      return due.map((handler) => runOne(handler, occasion, stdin, signal));
    },
    stop() {
      closing.abort();
      commands.stop();
    },
  };
}

/** A payload as JSON. What a tool gave may be none; hooks are told so in its place. */
function jsonText(payload: object): string {
  try {
    return JSON.stringify(payload);
  } catch {
    return JSON.stringify({ ...payload, tool_response: 'The output of this tool is no JSON.' });
  }
}

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
