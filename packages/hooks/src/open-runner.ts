import {
  messageOf,
  ToolgateError,
  visibleText,
  type Diagnostic,
  type PluginGate,
  type SettingsSnapshot,
} from '@toolgate/core';
import { configuredHandlers, type ConfiguredHandlers } from './configured-handlers.ts';
import { ownHandlers } from './own-handlers.ts';
import { envFileFor } from './env-file.ts';
import { outcomeOfEvent, type EventOutcome } from './event-outcome.ts';
import { handlerKey, labelOf, placeOf, type Handler } from './handler.ts';
import { createHandlerRunner, type Occasion, type Said } from './handler-runner.ts';
import { hookEventNames, isToolEvent, specOf, type HookEvent } from './hook-events.ts';
import { laterTexts } from './later-texts.ts';
import { matchesText, matchesTool, type NamedTool } from './matcher.ts';
import { payloadOfEvent, type Session } from './payload.ts';
import { stopCap } from './stop-cap.ts';
import type { HookRunnerOptions } from './hook-runner.ts';

/** What is told of a tool or agent to find the handlers that match. */
export interface About {
  readonly tool?: NamedTool;
  readonly agentId?: string | undefined;
}

/** The hooks of a gate while it is open. */
export interface OpenRunner {
  readonly session: Session;
  /** True for the agent of a hook: it may only read, and no hook of a model runs for it. */
  isHookAgent(agentId: string | undefined): boolean;
  matching(event: HookEvent, settings: SettingsSnapshot, about: About): readonly Handler[];
  run(
    occasion: Occasion,
    handlers: readonly Handler[],
    signal: AbortSignal,
  ): readonly Promise<Said>[];
  runHooks(
    event: HookEvent,
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<EventOutcome>;
  /** What handlers in the background have said since the last time. */
  takeLater(): string | undefined;
  /** Says whose change was not used. */
  reportOverruled(overruled: readonly Handler[], what: string): void;
  /** All handlers of the settings in force, and the embedder's. */
  all(): Readonly<Partial<Record<HookEvent, readonly Handler[]>>>;
}

/** Opens the hooks of a gate. What is wrong with the configuration is reported now. */
export function openRunner(gate: PluginGate, options: HookRunnerOptions): OpenRunner {
  const { ports } = gate;
  const report = (diagnostic: Diagnostic) =>
    gate.diagnostic({ ...diagnostic, message: visibleText(diagnostic.message) });
  const session = { sessionId: gate.sessionId, transcriptPath: options.transcriptPath ?? '' };
  /** Whoever listens cannot break a call. */
  const tell = (name: string, listener: () => void) => {
    try {
      listener();
    } catch (error) {
      const message = `${name} of the hooks failed: ${messageOf(error)}`;
      report({ code: 'hook-listener-failed', severity: 'warning', message });
    }
  };
  const { onWake } = options;
  const later = laterTexts(onWake && ((text) => tell('onWake', () => onWake(text))));
  const handlersOf = handlersBySnapshot(options, report);
  const env = options.env ?? process.env;
  const isOverCap = stopCap(env['CLAUDE_CODE_STOP_HOOK_BLOCK_CAP']);
  const agents = new Set<string>();
  const isHookAgent = (agentId: string | undefined) => agentId !== undefined && agents.has(agentId);
  const runner = createHandlerRunner({
    agents,
    projectDir: options.projectDir ?? gate.cwd,
    env,
    callEnvironment: options.callEnvironment,
    matcher: ports.matcher,
    mcp: ports.mcp,
    store: ports.store,
    gate: () => gate.toolgate(),
    modelOf: (name) => (name === undefined ? undefined : options.modelFor?.(name)) ?? ports.model,
    report,
    onResult(result) {
      tell('onResult', () => options.onResult?.(result));
      const {
        event,
        hook: _,
        toolUseId = '',
        toolName = '',
        outcome,
        durationMs,
        exitCode,
        stderr,
      } = result;
      gate.trace({
        event: 'hook-end',
        id: toolUseId,
        tool: toolName,
        hook: event,
        plugin: '@toolgate/hooks',
        outcome,
        ms: durationMs,
        ...(exitCode !== undefined && { exitCode }),
        ...(stderr !== undefined && { stderr }),
      });
    },
    onStatus({ statusMessage = '', ...handler }, { event }) {
      const message = visibleText(statusMessage);
      tell('onStatus', () => options.onStatus?.({ event, hook: labelOf(handler), message }));
    },
    onLater: (said, end) => later.add(said, end),
  });
  gate.onClose(() => runner.stop());

  const enabled = (event: HookEvent, settings: SettingsSnapshot): readonly Handler[] => {
    if (options.events && !options.events.includes(event)) return [];
    const { handlers, isAllOff } = handlersOf(settings);
    return [...(handlers[event] ?? []), ...(isAllOff ? [] : ownHandlers(event, options))];
  };
  const matching: OpenRunner['matching'] = (event, settings, { tool, agentId }) =>
    distinct(
      enabled(event, settings).filter(
        (handler) =>
          (!tool || matchesTool(handler.matcher, tool)) &&
          !(isHookAgent(agentId) && (handler.type === 'agent' || handler.type === 'prompt')),
      ),
    );

  handlersOf(gate.settings());
  return {
    session,
    isHookAgent,
    matching,
    run: (occasion, handlers, signal) => runner.run(occasion, handlers, signal),
    async runHooks(event, input, signal) {
      if (!hookEventNames.includes(event) || isToolEvent(event))
        throw new ToolgateError(
          'TG_OPTION_INVALID',
          isToolEvent(event)
            ? `${event} is fired by the gate itself; run a call to see its hooks.`
            : `there is no hook event "${String(event)}".`,
        );
      const settings = gate.settings();
      const { cwd } = gate.toolgate() ?? gate;
      const payload = payloadOfEvent(event, input, session, { cwd, settings });
      const { field } = specOf(event);
      const text = field === undefined ? undefined : Reflect.get(input, field);
      const handlers = distinct(
        enabled(event, settings).filter(
          ({ matcher }) =>
            field === undefined ||
            matchesText(matcher, typeof text === 'string' ? text : '', event),
        ),
      );
      const envFile = handlers.length > 0 ? await envFileFor(event) : undefined;
      const occasion = {
        event,
        cwd,
        payload,
        values: settings.values,
        ...(envFile && { envFile: envFile.path }),
      };
      const said = await Promise.all(runner.run(occasion, handlers, signal));
      const outcome = outcomeOfEvent(event, said, await envFile?.take());
      if (!isOverCap(event, input['agent_id'], outcome.blocked !== undefined)) return outcome;
      report({
        code: 'hook-overruled',
        severity: 'warning',
        message: `Hooks of ${event} kept the agent going too often in a row; it may stop now.`,
      });
      const { blocked: _, ...rest } = outcome;
      return rest;
    },
    takeLater: () => later.take(),
    reportOverruled(overruled, what) {
      for (const handler of overruled)
        report({
          ...placeOf(handler),
          code: 'hook-overruled',
          severity: 'warning',
          message: `Several hooks changed the ${what}; what the hook \`${labelOf(handler)}\` gave was not used, a later hook's was.`,
        });
    },
    all: () =>
      Object.fromEntries(hookEventNames.map((event) => [event, enabled(event, gate.settings())])),
  };
}

/** Reads the hooks of a snapshot once, and reports what is wrong with them once. */
function handlersBySnapshot(
  { onFailure = 'continue', strict = false }: HookRunnerOptions,
  report: (diagnostic: Diagnostic) => void,
): (settings: SettingsSnapshot) => ConfiguredHandlers {
  const read = new WeakMap<SettingsSnapshot['values'], ConfiguredHandlers>();
  return ({ values, diagnostics }) => {
    const known = read.get(values);
    if (known) return known;
    // Whoever read the files may have said some of it already.
    const isKnown = (found: Diagnostic) =>
      diagnostics.some(
        ({ code, file, pointer }) =>
          code === found.code && file === found.file && pointer === found.pointer,
      );
    const handlers = configuredHandlers(values, { onFailure, isStrict: strict }, (found) => {
      if (!isKnown(found)) report(found);
    });
    read.set(values, handlers);
    return handlers;
  };
}

/** Each handler once. Where copies differ in what a failure means, blocking wins. */
function distinct(handlers: readonly Handler[]): readonly Handler[] {
  const byKey = new Map<string, Handler>();
  for (const handler of handlers) {
    const key = handlerKey(handler);
    const first = byKey.get(key) ?? handler;
    byKey.set(
      key,
      handler.onFailure === 'block' && first.onFailure !== 'block'
        ? { ...first, onFailure: 'block' }
        : first,
    );
  }
  return [...byKey.values()];
}
