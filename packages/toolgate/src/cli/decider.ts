import {
  createToolgate,
  type AnyObject,
  type Decision,
  type Diagnostic,
  type PathFacts,
  type PermissionMode,
  type Plugin,
  type SettingsSnapshot,
  type Toolgate,
  type ToolgateOptions,
  type Tools,
} from '@toolgate/core';
import { knownTools, ruleMatcher, rulesBackend, unknownTool } from '@toolgate/permissions';
import { builtinTools } from '@toolgate/tools-builtin';
import { standardPlugins } from '../create-standard-toolgate.ts';

/** What calls are decided by. */
export interface DeciderOptions {
  readonly settings: SettingsSnapshot;
  readonly home: string;
  /** The links there are; nothing is looked up on disk. */
  readonly symlinks?: Readonly<Record<string, string>>;
  /** Options of the user's own in place of the standard set. */
  readonly config?: ToolgateOptions | undefined;
  /** True when settings that the config brings count before `settings`. */
  readonly keepsSettings?: boolean;
  readonly plugins?: (facts: PathFacts) => readonly Plugin[];
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
}

/** A call as it is written down somewhere. */
export interface WrittenCall {
  readonly tool: string;
  readonly input: unknown;
  readonly cwd: string;
  /** Default: what the settings say. */
  readonly mode?: PermissionMode | undefined;
}

/** Decides calls by facts alone: runs nothing, asks no one, touches no disk. */
export interface Decider {
  /** @throws ToolgateError for an unknown mode or an invalid config. */
  decide(call: WrittenCall): Promise<Decision>;
  close(): Promise<void>;
}

/** The most gates kept; one is made for each folder, mode and unknown tool. */
const maxGates = 50;

export function createDecider(options: DeciderOptions): Decider {
  const { settings, home, symlinks = {}, config, keepsSettings = false } = options;
  const facts = factsOf(home, symlinks);
  const base: ToolgateOptions = config ?? {
    permissions: rulesBackend({ facts, autoDecides: false }), // no model decides here
    matcher: ruleMatcher({ facts }),
    tools: builtinTools,
  };
  const gates = new Map<string, Toolgate>();
  const gateFor = async ({ tool, cwd, mode }: WrittenCall): Promise<Toolgate> => {
    const tools = withNamed(base.tools ?? [], tool);
    const isNamed = tools.length > withNamed(base.tools ?? []).length;
    const key = JSON.stringify([cwd, mode, isNamed && tool]);
    const kept = gates.get(key);
    if (kept) return kept;
    if (gates.size >= maxGates) await closeAll(gates);
    const gate = createToolgate({
      onDiagnostic: options.onDiagnostic,
      ...base,
      tools,
      // Plugins of a gate are its own, so each gets a fresh set of the standard ones.
      plugins: [
        ...(config ? (config.plugins ?? []) : standardPlugins(facts)),
        ...(options.plugins?.(facts) ?? []),
      ],
      cwd,
      settings: (keepsSettings && config?.settings) || { current: () => settings },
      facts,
    });
    const isOff = mode !== undefined && settings.switchedOff?.includes(mode);
    if (mode !== undefined) gate.policy.setMode(isOff ? 'default' : mode);
    gates.set(key, gate);
    return gate;
  };
  return {
    async decide(call) {
      const gate = await gateFor(call);
      const { tool: name, input } = call;
      return gate.explain({ type: 'tool_use', id: 'explain', name, input: input as AnyObject }); // explain reads what it is
    },
    close: () => closeAll(gates),
  };
}

async function closeAll(gates: Map<string, Toolgate>): Promise<void> {
  const all = [...gates.values()];
  gates.clear();
  await Promise.all(all.map((gate) => gate.close()));
}

/** The registered tools, then those known by name, then the name itself as one opaque tool. */
function withNamed(tools: Tools, name?: string): Tools {
  const namesOf = (tool: Tools[number]) => [tool.name, ...tool.aliases, ...tool.deprecatedAliases];
  const taken = new Set(tools.flatMap(namesOf));
  const known = knownTools().filter((tool) => !namesOf(tool).some((other) => taken.has(other)));
  const all = [...tools, ...known];
  if (name === undefined || !/^[A-Za-z0-9_-]{1,128}$/.test(name)) return all;
  return all.some((tool) => namesOf(tool).includes(name)) ? all : [...all, unknownTool(name)];
}

/** The links that are named are all there are, and git configuration counts as clean. */
function factsOf(home: string, symlinks: Readonly<Record<string, string>>): PathFacts {
  const follow = (path: string, hops: number): string => {
    for (const [link, target] of Object.entries(symlinks)) {
      if (hops < 40 && (path === link || path.startsWith(`${link}/`)))
        return follow(target + path.slice(link.length), hops + 1);
    }
    return path;
  };
  return {
    home,
    realPath: (path) => follow(path, 0),
    folderIdentity: () => undefined,
    holds: (need) => need === 'git-context',
  };
}
