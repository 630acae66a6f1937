import type { RuleEntry } from '@toolgate/core';
import { canonicalName } from './legacy-names.ts';
import { compileGlob, matchesStars, type StarPattern } from './star-pattern.ts';

/** Every server a tool name may belong to: `mcp__a__b__c` is of `a`, and, if names may hold `__`, of `a__b`. */
function servers(tool: string): readonly string[] {
  if (!tool.startsWith('mcp__')) return [];
  const found: string[] = [];
  for (let at = tool.indexOf('__', 5); at !== -1; at = tool.indexOf('__', at + 1))
    found.push(tool.slice(0, at));
  return found;
}

/** True when an allow rule may name tools this way: a glob only after a literal `mcp__server__`. */
export const isAllowedGlob = (tool: string): boolean => /^mcp__(?:(?!__)[^*])+__/.test(tool);

/** Rules about whole tools. Deny and ask (`wide`) also bind by old names, any server split and name globs. */
export class NameIndex<Entry = RuleEntry> {
  readonly #wide: boolean;
  readonly #exact = new Map<string, Entry[]>();
  readonly #globs: { readonly glob: StarPattern; readonly entry: Entry }[] = [];

  constructor(wide: boolean) {
    this.#wide = wide;
  }

  add(tool: string, entry: Entry): void {
    const name = this.#wide && tool.startsWith('mcp__') ? tool.replace(/[^\w*-]/g, '_') : tool;
    if (name.includes('*')) return void this.#globs.push({ glob: compileGlob(name), entry });
    for (const key of new Set([name, canonicalName(name)])) {
      const same = this.#exact.get(key);
      if (same) same.push(entry);
      else this.#exact.set(key, [entry]);
    }
  }

  /** The first entry for one of the names that `accepts` takes; by default any. */
  find(names: readonly string[], accepts: (entry: Entry) => boolean = () => true) {
    for (const name of names) {
      const found = this.#exact.get(name)?.find(accepts) ?? this.#byServer(name, accepts);
      if (found) return found;
    }
    return this.#globs.find(
      ({ glob, entry }) => names.some((name) => matchesStars(glob, name)) && accepts(entry),
    )?.entry;
  }

  #byServer(tool: string, accepts: (entry: Entry) => boolean): Entry | undefined {
    // An allow takes the first split alone; a server whose name holds `__` is refused at load.
    const found = this.#wide ? servers(tool) : servers(tool).slice(0, 1);
    for (const server of found) {
      const entry = this.#exact.get(server)?.find(accepts);
      if (entry) return entry;
    }
    return undefined;
  }
}
