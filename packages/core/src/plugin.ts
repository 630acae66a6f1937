import type { Toolgate } from './create-toolgate.ts';
import type { EffectsAnswer, EffectsFacts } from './effects.ts';
import { ToolgateError } from './errors.ts';
import type { HookName, HookTypes } from './hooks/create-hooks.ts';
import type { TapFunction, TapOptions } from './hooks/stage-hook.ts';
import type { LanguageModel } from './language-model.ts';
import { checkKeys } from './nearest.ts';
import type { Dialog, McpTools, ResultStore, RuleMatcher } from './ports.ts';
import type { Diagnostic, SettingsSnapshot } from './settings-snapshot.ts';
import type { TraceEvent } from './trace.ts';
import type { AnyObject, AnyTool, Tools } from './tool.ts';

/** The part of each hook a plugin sees: adding a tap while the gate is built. */
export type PluginHooks = {
  readonly [Name in HookName]: {
    /** Adds a tap; refused once `createToolgate` has returned. */
    tap(
      options: string | TapOptions,
      fn: TapFunction<HookTypes[Name]['input'], HookTypes[Name]['answer']>,
    ): void;
  };
};

/** What `setup` gets. Everything on it is refused once `createToolgate` has returned. */
export interface PluginGate {
  readonly hooks: PluginHooks;
  readonly effects: {
    /** Makes this plugin the one owner of a tool's effects; a second owner is a load error. */
    own(tool: string, effects: (input: AnyObject, facts: EffectsFacts) => EffectsAnswer): void;
    /** Adds units and warnings and can only make effects stricter. */
    tighten(
      effects: (
        input: AnyObject,
        facts: EffectsFacts & { readonly tool: AnyTool },
      ) => EffectsAnswer | undefined,
    ): void;
  };
  readonly tools: {
    /** Registers a tool. It is not trusted by that: its own `allow` and `isReadOnly` decide nothing. */
    add(tool: AnyTool): void;
    /**
     * Replaces the tools that this plugin brought, also once the gate is built. Calls under way keep theirs.
     *
     * @throws ToolgateError `TG_NAME_TAKEN` for a name that somebody else's tool has; the old ones stay then.
     */
    refresh(tools: Tools): void;
  };
  readonly ports: {
    readonly matcher: RuleMatcher | undefined;
    readonly model: LanguageModel | undefined;
    readonly mcp: McpTools | undefined;
    readonly dialog: Dialog | undefined;
    readonly store: ResultStore;
  };
  readonly cwd: string;
  readonly sessionId: string;
  /** The finished gate, for calls that a plugin makes itself; undefined until `createToolgate` has returned. */
  toolgate(): Toolgate | undefined;
  /** The settings in force now. */
  settings(): SettingsSnapshot;
  /** Reports something ignored, dropped or failed. */
  diagnostic(diagnostic: Diagnostic): void;
  /** Tells the `trace` taps of something that happened inside this plugin; nobody else hears of it. */
  trace(event: TraceEvent): void;
  /** Runs when the gate closes; plugins close in reverse order of loading. */
  onClose(close: () => void | Promise<void>): void;
}

/** A plugin ready to be handed to `createToolgate({ plugins })`. */
export interface Plugin {
  readonly name: string;
  /** Names of plugins that must be loaded before, with a range: `*` or `^1.2.3`. `core` is core itself. */
  readonly requires: Readonly<Record<string, string>>;
  readonly version: string;
  /** Taps hooks and adds tools. Synchronous, returns nothing; a throw is a load error. */
  setup(gate: PluginGate): void;
}

/** What a plugin author writes. `version` defaults to `0.0.0`, `requires` to nothing. */
export interface PluginDefinition<Options> {
  readonly name: string;
  readonly version?: string;
  readonly requires?: Readonly<Record<string, string>>;
  /** Taps hooks and adds tools. Synchronous, returns nothing; a throw is a load error. */
  setup(gate: PluginGate, options: Options): void;
}

/**
 * Declares a plugin. The answer is a factory that takes the plugin's options.
 *
 * @throws ToolgateError `TG_PLUGIN_INVALID` for a missing or reserved name or an unknown key.
 */
export function definePlugin<Options = void>(
  definition: PluginDefinition<Options>,
): (options: Options) => Plugin {
  checkKeys(
    definition,
    ['name', 'version', 'requires', 'setup'],
    `plugin ${String(definition.name)}`,
    'TG_PLUGIN_INVALID',
  );
  if (!/^[a-z0-9@/._-]{1,128}$/i.test(definition.name))
    throw new ToolgateError(
      'TG_PLUGIN_INVALID',
      `"${definition.name}" is no plugin name. Use letters, digits and - _ . / @.`,
    );
  return (options) => ({
    name: definition.name,
    version: definition.version ?? '0.0.0',
    requires: definition.requires ?? {},
    setup: (gate) => definition.setup(gate, options),
  });
}
