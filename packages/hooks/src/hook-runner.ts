import {
  definePlugin,
  ToolgateError,
  unknownKey,
  type LanguageModel,
  type Plugin,
} from '@toolgate/core';
import type { AnyHookDefinition } from './define-hook.ts';
import { openRunner, type OpenRunner } from './open-runner.ts';
import type { EventOutcome } from './event-outcome.ts';
import { hookEventNames, type HookEvent } from './hook-events.ts';
import type { HookResult } from './hook-result.ts';
import { listHooks, type ListedHook } from './list-hooks.ts';
import { tapStages } from './tap-stages.ts';

/** What hooks are told of their surroundings, what a failed one means, and who hears of them. */
export interface HookRunnerOptions {
  /** Hooks of the embedder's own, beside those of the settings. */
  readonly hooks?: readonly AnyHookDefinition[];
  /** What hooks see as `CLAUDE_PROJECT_DIR`. Default: the gate's start folder. */
  readonly projectDir?: string;
  /** What hooks see as `transcript_path`. Default: empty, there is no transcript. */
  readonly transcriptPath?: string;
  /** The environment that hooks inherit. Default: this process's. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Further variables for the hooks of one call, such as `TRACEPARENT`. A throw is none. */
  readonly callEnvironment?: (toolUseId: string) => Readonly<Record<string, string>>;
  /** What a failed handler means where it does not say so itself. Default: `continue`. */
  readonly onFailure?: 'continue' | 'block';
  /** True: a decision in the wrong place or of the wrong word blocks. Default: it is reported. */
  readonly strict?: boolean;
  /** Only the hooks of these events run. Default: all. */
  readonly events?: readonly HookEvent[];
  /** The model that a hook names in `model`. Default: the gate's, whatever the name. */
  readonly modelFor?: (name: string) => LanguageModel | undefined;
  /** Hears how each handler ended. */
  readonly onResult?: (result: HookResult) => void;
  /** Hears the `statusMessage` of a handler that starts. */
  readonly onStatus?: (status: {
    readonly event: HookEvent;
    readonly hook: string;
    readonly message: string;
  }) => void;
  /** Hears what a hook with `asyncRewake` wants the model to be woken with. Default: it is told with the next turn. */
  readonly onWake?: (text: string) => void;
}

const optionNames = [
  'hooks',
  'projectDir',
  'transcriptPath',
  'env',
  'callEnvironment',
  'onFailure',
  'strict',
  'events',
  'modelFor',
  'onResult',
  'onStatus',
  'onWake',
];

/** The hooks of one gate. */
export interface HookRunner {
  /** For `createToolgate({ plugins })`; it belongs to one gate. */
  readonly plugin: Plugin;
  /**
   * Runs the hooks of an event that the agent fires, such as SessionStart, UserPromptSubmit or Stop. `input`
   * holds the event's own fields. Never rejects for a hook's sake.
   *
   * @throws ToolgateError `TG_OPTION_INVALID`, as a rejection, for an unknown event, one that the gate fires
   *   itself, or before the plugin belongs to a gate.
   */
  runHooks(
    event: HookEvent,
    input: Readonly<Record<string, unknown>>,
    options?: { readonly signal?: AbortSignal },
  ): Promise<EventOutcome>;
  /** What would run, in configuration order; of one event or tool alone where they are named. */
  list(options?: { readonly event?: HookEvent; readonly tool?: string }): readonly ListedHook[];
}

/**
 * Runs the hooks of the settings, by the public hook protocol, and those of the embedder.
 *
 * @throws ToolgateError `TG_OPTION_INVALID` for an unknown option or a hook without name, event or function.
 */
export function createHookRunner(options: HookRunnerOptions = {}): HookRunner {
  const problem = unknownKey(Object.keys(options), optionNames, 'createHookRunner');
  if (problem) throw invalid(problem);
  for (const hook of options.hooks ?? []) checkDefinition(hook);
  let open: OpenRunner | undefined;
  const opened = (): OpenRunner => {
    if (open) return open;
    throw invalid('the hooks belong to no gate yet: hand their plugin to createToolgate first.');
  };
  const plugin = definePlugin({
    name: '@toolgate/hooks',
    setup(gate) {
      open = openRunner(gate, options);
      tapStages(gate, open);
    },
  });
  return {
    plugin: plugin(),
    async runHooks(event, input, { signal = new AbortController().signal } = {}) {
      return opened().runHooks(event, input, signal);
    },
    list(about = {}) {
      return listHooks(opened().all(), about);
    },
  };
}

/** The plugin of `createHookRunner`, for gates that fire no events of their own. */
export const commandHooks = (options: HookRunnerOptions = {}): Plugin =>
  createHookRunner(options).plugin;

const invalid = (message: string) => new ToolgateError('TG_OPTION_INVALID', message);

function checkDefinition(hook: AnyHookDefinition): void {
  const { name, event, hook: call } = hook;
  if (typeof name !== 'string' || name === '')
    throw invalid('a hook of createHookRunner has no "name".');
  if (!hookEventNames.includes(event))
    throw invalid(`hook "${name}": there is no event "${String(event)}".`);
  if (typeof call !== 'function') throw invalid(`hook "${name}" has no function "hook".`);
}
