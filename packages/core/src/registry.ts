import { ToolgateError } from './errors.ts';
import { attemptNow } from './hooks/guard.ts';
import { nearest } from './nearest.ts';
import type { AnyTool, Tools } from './tool.ts';

/** Words that no tool may be called; the wire and the rules give them a meaning. */
const reserved = new Set(['toolgate', 'all', 'none', 'auto']);

/** True when `name` is the tool's name or one of its aliases, byte for byte. */
export const toolMatchesName = (tool: AnyTool, name: string): boolean =>
  tool.name === name || tool.aliases.includes(name) || tool.deprecatedAliases.includes(name);

/** The tool called `name`, by name before alias; disabled ones are not found. */
export const findToolByName = (tools: Tools, name: string): AnyTool | undefined => {
  const enabled = tools.filter(isEnabled);
  return (
    enabled.find((tool) => tool.name === name) ??
    enabled.find((tool) => toolMatchesName(tool, name))
  );
};

const isEnabled = (tool: AnyTool): boolean => predicate(() => tool.isEnabled(), false);

/** Names, aliases and trust. The list of tools is replaced as a whole, never changed. */
export class Registry {
  #tools: Tools = [];
  #byName = new Map<string, AnyTool>();
  #byAlias = new Map<string, AnyTool>();
  readonly #trusted = new WeakSet<AnyTool>();

  constructor(trusted: Tools, others: Tools = [], trust: Tools = []) {
    for (const tool of [...trusted, ...trust]) this.#trusted.add(tool);
    this.replace([...trusted, ...others]);
  }

  /** Enabled tools in the order of registration. */
  get tools(): Tools {
    return this.#tools.filter(isEnabled);
  }

  /** Only a trusted tool's own `allow` and `isReadOnly` decide anything (security rule 7); by identity, not by name. */
  isTrusted(tool: AnyTool): boolean {
    return this.#trusted.has(tool);
  }

  /** Takes a new list of tools; a name or alias that two of them claim is refused. */
  replace(tools: Tools): void {
    const byName = new Map<string, AnyTool>();
    const byAlias = new Map<string, AnyTool>();
    const take = (into: Map<string, AnyTool>, name: string, tool: AnyTool) => {
      const other = byName.get(name) ?? byAlias.get(name);
      if (other)
        throw new ToolgateError(
          'TG_NAME_TAKEN',
          `tool ${tool.name}: the name "${name}" already belongs to tool ${other.name}. Rename one of them.`,
        );
      if (reserved.has(name.toLowerCase()))
        throw new ToolgateError(
          'TG_TOOL_INVALID',
          `"${name}" is a reserved word and no tool name.`,
        );
      into.set(name, tool);
    };
    for (const tool of tools) take(byName, tool.name, tool);
    for (const tool of tools)
      for (const alias of [...tool.aliases, ...tool.deprecatedAliases]) take(byAlias, alias, tool);
    this.#tools = Object.freeze([...tools]);
    this.#byName = byName;
    this.#byAlias = byAlias;
  }

  find(name: string): AnyTool | undefined {
    const tool = this.#byName.get(name) ?? this.#byAlias.get(name);
    return tool && isEnabled(tool) ? tool : undefined;
  }

  /** Real names close to an unknown one; without any, all names. Only of those that are allowed. */
  suggest(name: string, allowed?: readonly string[]): string {
    const names = this.tools
      .map((tool) => tool.name)
      .filter((known) => allowed?.includes(known) ?? true);
    const close = nearest(name, names);
    if (close.length > 0) return `Did you mean ${close.join(' or ')}?`;
    return names.length > 0
      ? `The tools are ${names.slice(0, 30).join(', ')}.`
      : 'There are no tools.';
  }
}

/** A tool's own yes or no; a throw, or an answer that is neither, is the careful one. */
export function predicate(question: () => unknown, otherwise: boolean): boolean {
  const answer = attemptNow<unknown>(question);
  return answer.ok && typeof answer.value === 'boolean' ? answer.value : otherwise;
}
