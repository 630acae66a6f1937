import { systemClock } from './clock.ts';
import { isToolgateError, ToolgateError } from './errors.ts';
import type { EffectsSources, OwnedEffects, TightenEffects } from './compute-effects.ts';
import { attempt, attemptNow, neverAborts } from './hooks/guard.ts';
import type { Hooks } from './hooks/create-hooks.ts';
import type { TapOptions } from './hooks/stage-hook.ts';
import { didYouMean } from './nearest.ts';
import type { Plugin, PluginGate } from './plugin.ts';
import type { Tools } from './tool.ts';

/** core's own version, for `requires: { core: '^…' }`. */
export const coreVersion = '0.0.0';

/** What plugins brought. */
export interface Loaded {
  /** In the order of the plugins; a new list when one of them replaced its own. */
  tools(): Tools;
  /** Hears when a plugin replaced its tools; a throw leaves them as they were. */
  onTools(changed: () => void): void;
  readonly owners: EffectsSources['owners'];
  readonly tighteners: readonly TightenEffects[];
  /** Closes the plugins, last loaded first; one that fails does not stop the others. */
  close(): Promise<readonly unknown[]>;
}

type GateParts = Omit<PluginGate, 'hooks' | 'effects' | 'tools' | 'onClose'>;

/** Sets up the plugins in the order their `requires` demand. */
export function loadPlugins(plugins: readonly Plugin[], hooks: Hooks, parts: GateParts): Loaded {
  const tools = new Map<string, Tools>();
  let changed: (() => void) | undefined;
  const owners = new Map<string, OwnedEffects>();
  const ownedBy = new Map<string, string>();
  const tighteners: TightenEffects[] = [];
  const closers: (() => void | Promise<void>)[] = [];
  for (const plugin of inOrder(plugins)) {
    let isOpen = true;
    tools.set(plugin.name, []);
    const own = () => tools.get(plugin.name) ?? [];
    const whileOpen =
      <A extends unknown[]>(work: (...args: A) => void) =>
      (...args: A) => {
        if (!isOpen)
          throw new ToolgateError(
            'TG_CLOSED',
            `plugin ${plugin.name} changed the gate after it was built. Do everything in setup.`,
          );
        work(...args);
      };
    const gate: PluginGate = {
      ...parts,
      hooks: pluginHooks(hooks, plugin.name, whileOpen),
      effects: {
        own: whileOpen((tool, effects) => {
          const other = ownedBy.get(tool);
          if (other !== undefined)
            throw new ToolgateError(
              'TG_NAME_TAKEN',
              `plugin ${plugin.name} and plugin ${other} both own the effects of ${tool}. Load one of them.`,
            );
          ownedBy.set(tool, plugin.name);
          owners.set(tool, effects);
        }),
        tighten: whileOpen((effects) => void tighteners.push(effects)),
      },
      tools: {
        add: whileOpen((tool) => void tools.set(plugin.name, [...own(), tool])),
        refresh: (list) => {
          const before = own();
          tools.set(plugin.name, Object.freeze([...list]));
          try {
            changed?.();
          } catch (error) {
            tools.set(plugin.name, before);
            throw error;
          }
        },
      },
      onClose: whileOpen((close) => void closers.unshift(close)),
    };
    const done = attemptNow<unknown>(() => plugin.setup(gate));
    isOpen = false;
    if (done.ok && done.value === undefined) continue;
    // What was set up before is closed again; nobody is left to do it later.
    void closeAll(closers);
    if (!done.ok && isToolgateError(done.cause)) throw done.cause;
    throw new ToolgateError(
      'TG_PLUGIN_INVALID',
      done.ok || done.reason !== 'threw'
        ? `setup of plugin ${plugin.name} returned something; it must be synchronous and return nothing.`
        : `setup of plugin ${plugin.name} failed: ${done.message}`,
    );
  }
  return {
    tools: () => [...tools.values()].flat(),
    onTools: (listener) => void (changed = listener),
    owners,
    tighteners,
    close: () => closeAll(closers),
  };
}

/** Each hook's `tap` alone, with the plugin's name on whatever it adds. */
function pluginHooks(
  hooks: Hooks,
  plugin: string,
  whileOpen: <A extends unknown[]>(work: (...args: A) => void) => (...args: A) => void,
): PluginGate['hooks'] {
  const entries = Object.entries(hooks).map(([name, hook]) => [
    name,
    { tap: whileOpen((options: string | TapOptions, fn: never) => hook.tap(options, fn, plugin)) },
  ]);
  return Object.freeze(Object.fromEntries(entries)) as PluginGate['hooks']; // the same keys, each with its own tap
}

async function closeAll(
  closers: readonly (() => void | Promise<void>)[],
): Promise<readonly unknown[]> {
  const failures: unknown[] = [];
  for (const close of closers) {
    const closed = await attempt(close, 10_000, { clock: systemClock, signal: neverAborts });
    if (!closed.ok) failures.push(closed.cause ?? closed.message);
  }
  return failures;
}

function inOrder(plugins: readonly Plugin[]): readonly Plugin[] {
  const byName = new Map<string, Plugin>();
  for (const plugin of plugins) {
    if (plugin.name === 'core' || plugin.name.toLowerCase().startsWith('toolgate'))
      throw new ToolgateError(
        'TG_PLUGIN_INVALID',
        `"${plugin.name}" is reserved; give the plugin another name.`,
      );
    if (byName.has(plugin.name))
      throw new ToolgateError(
        'TG_NAME_TAKEN',
        `two plugins are called ${plugin.name}. Load one of them.`,
      );
    byName.set(plugin.name, plugin);
  }
  const done = new Set<Plugin>();
  const visit = (plugin: Plugin, path: readonly string[]): void => {
    if (done.has(plugin)) return;
    if (path.includes(plugin.name))
      throw new ToolgateError(
        'TG_PLUGIN_INVALID',
        `plugins require each other in a circle: ${[...path, plugin.name].join(' → ')}.`,
      );
    for (const [name, range] of Object.entries(plugin.requires)) {
      const version = name === 'core' ? coreVersion : byName.get(name)?.version;
      if (version === undefined)
        throw new ToolgateError(
          'TG_PLUGIN_MISSING',
          `plugin ${plugin.name} requires plugin ${name}, which is not loaded.${didYouMean(name, [...byName.keys()])}`,
        );
      if (!inRange(version, range))
        throw new ToolgateError(
          'TG_PLUGIN_MISSING',
          `plugin ${plugin.name} requires ${name} ${range}, but version ${version} is loaded.`,
        );
      const required = byName.get(name);
      if (required) visit(required, [...path, plugin.name]);
    }
    done.add(plugin);
  };
  for (const plugin of plugins) visit(plugin, []);
  return [...done];
}

/** `*`, or `^1.2.3`: at least that version and the same leftmost number that is not 0. */
function inRange(version: string, range: string): boolean {
  if (range === '*') return true;
  const wanted = /^\^(\d+)\.(\d+)\.(\d+)$/.exec(range)?.slice(1).map(Number);
  if (!wanted)
    throw new ToolgateError(
      'TG_PLUGIN_INVALID',
      `"${range}" is no range this gate reads. Use * or ^1.2.3.`,
    );
  const have = version.split('-', 1)[0]?.split('.').map(Number) ?? [];
  const leading = wanted.findIndex((number) => number > 0);
  const firstDifference = wanted.findIndex((number, index) => number !== have[index]);
  if (firstDifference === -1) return true;
  const isNewer = (have[firstDifference] ?? 0) > (wanted[firstDifference] ?? 0);
  return isNewer && firstDifference > (leading === -1 ? 2 : leading);
}
