import {
  definePlugin,
  ToolgateError,
  unknownKey,
  visibleText,
  type Diagnostic,
  type MappedCall,
  type Plugin,
  type PluginGate,
  type SettingsSnapshot,
  type StartInput,
  type ToolUse,
} from '@toolgate/core';
import { combinePost } from './combine-post.ts';
import { combineRecheck, combineStart, type Said } from './combine-start.ts';
import { configuredHandlers, type ConfiguredHandlers } from './configured-handlers.ts';
import { handlerKey, placeOf, type Handler, type HookEvent } from './handler.ts';
import { createHandlerRunner } from './handler-runner.ts';
import { matchesTool } from './matcher.ts';
import { visibleLine } from './bounded-text.ts';

/** What hook scripts are told of their surroundings, and what a failed one means. */
export interface CommandHooksOptions {
  /** What hooks see as `CLAUDE_PROJECT_DIR`. Default: the gate's start folder. */
  readonly projectDir?: string;
  /** What hooks see as `transcript_path`. Default: empty, there is no transcript. */
  readonly transcriptPath?: string;
  /** The environment that hooks inherit. Default: this process's. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What a failed handler means where it does not say so itself. Default: `continue`. */
  readonly onFailure?: 'continue' | 'block';
}

const optionNames = ['projectDir', 'transcriptPath', 'env', 'onFailure'];
const tapName = '@toolgate/hooks';

const plugin = definePlugin<CommandHooksOptions>({
  name: '@toolgate/hooks',
  setup: (gate, options) => setup(gate, options),
});

/**
 * Runs the `command` hooks of the settings before and after tool calls, by the public hook protocol.
 *
 * @throws ToolgateError `TG_OPTION_INVALID` for an unknown option.
 */
export function commandHooks(options: CommandHooksOptions = {}): Plugin {
  const problem = unknownKey(Object.keys(options), optionNames, 'commandHooks');
  if (problem) throw new ToolgateError('TG_OPTION_INVALID', problem);
  return plugin(options);
}

function setup(gate: PluginGate, options: CommandHooksOptions): void {
  const { matcher } = gate.ports;
  const report = (diagnostic: Diagnostic) =>
    gate.diagnostic({ ...diagnostic, message: visibleText(diagnostic.message) });
  const handlersOf = handlersBySnapshot(options.onFailure ?? 'continue', report);
  const runner = createHandlerRunner({
    session: { sessionId: gate.sessionId, transcriptPath: options.transcriptPath ?? '' },
    projectDir: options.projectDir ?? gate.cwd,
    env: options.env ?? process.env,
    matcher,
    report,
  });
  // Who rewrote a call, for the second round. The model's own block is the one thing that stays the same.
  const rewriters = new WeakMap<ToolUse, string>();

  const matching = (event: HookEvent, call: StartInput['call'] | MappedCall) =>
    distinct(
      handlersOf(call.settings)[event].filter((handler) => matchesTool(handler.matcher, call.tool)),
    );
  const reportOverruled = (overruled: readonly Handler[], what: string) => {
    for (const handler of overruled)
      report({
        ...placeOf(handler),
        code: 'hook-overruled',
        severity: 'warning',
        message: `Several hooks changed the ${what}; what ${named(handler)} gave was not used, a later hook's was.`,
      });
  };

  gate.hooks.start.tap(
    { name: tapName, rechecks: true, limitMs: Infinity },
    async ({ call, recheck }, { signal }) => {
      const handlers = matching('PreToolUse', call);
      if (recheck) {
        const rewriter = recheck.rewrittenBy === tapName ? rewriters.get(call.toolUse) : undefined;
        const others = handlers.filter(
          (handler) => !handler.isAsync && handlerKey(handler) !== rewriter,
        );
        return combineRecheck(await runner.run('PreToolUse', others, call, signal), call);
      }
      const { answer, rewriter, overruled } = combineStart(
        await runner.run('PreToolUse', handlers, call, signal),
        call,
      );
      if (rewriter) rewriters.set(call.toolUse, handlerKey(rewriter));
      reportOverruled(overruled, 'input');
      return answer;
    },
  );
  for (const event of ['PostToolUse', 'PostToolUseFailure'] as const) {
    const hook = event === 'PostToolUse' ? gate.hooks.postToolUse : gate.hooks.postToolUseFailure;
    hook.tap({ name: tapName, limitMs: Infinity }, async (call, { signal }) => {
      const said: readonly Said[] = await runner.run(event, matching(event, call), call, signal);
      const { answer, overruled } = combinePost(said);
      reportOverruled(overruled, 'output');
      return answer;
    });
  }
  handlersOf(gate.settings());
  gate.onClose(() => runner.stop());
}

/** Reads the hooks of a snapshot once, and reports what is wrong with them once. */
function handlersBySnapshot(
  onFailure: 'continue' | 'block',
  report: (diagnostic: Diagnostic) => void,
): (settings: SettingsSnapshot) => ConfiguredHandlers {
  const read = new WeakMap<SettingsSnapshot['values'], ConfiguredHandlers>();
  return ({ values }) => {
    const known = read.get(values);
    if (known) return known;
    const handlers = configuredHandlers(values, onFailure, report);
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
    byKey.set(key, handler.onFailure === 'block' ? { ...first, onFailure: 'block' } : first);
  }
  return [...byKey.values()];
}

const named = (handler: Handler) => `the hook \`${visibleLine(handler.command, 80)}\``;
