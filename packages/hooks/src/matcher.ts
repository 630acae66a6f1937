import { basename } from 'node:path';

/** Old names of tools that rules and matchers may still use, and what each is called now. */
const legacyNames: Readonly<Record<string, string>> = {
  Task: 'Agent',
  KillShell: 'TaskStop',
  KillBash: 'TaskStop',
  ListPeers: 'ListAgents',
  Brief: 'SendUserMessage',
  ListMcpResources: 'ListMcpResourcesTool',
  ReadMcpResource: 'ReadMcpResourceTool',
  ReadMcpResourceDir: 'ReadMcpResourceDirTool',
  ProposeGoal: 'SetGoal',
};

/** What a matcher needs to know of a tool. */
export interface NamedTool {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly deprecatedAliases: readonly string[];
}

const everything = new Set(['', '*']);
const listOfNames = /^[A-Za-z0-9_\-\s,|]+$/;

/** The present name of a tool; any other name is its own. */
export const currentName = (name: string): string =>
  Object.hasOwn(legacyNames, name) ? (legacyNames[name] ?? name) : name;

/** The names in a matcher that is a list of names; undefined for an expression. */
export const namesIn = (matcher: string): readonly string[] | undefined =>
  listOfNames.test(matcher)
    ? matcher
        .split(/[|,]/)
        .map((name) => name.trim())
        .filter((name) => name !== '')
    : undefined;

/** What is wrong with a matcher, in one sentence; such a matcher matches nothing. */
export function matcherProblem(matcher: string): string | undefined {
  if (everything.has(matcher) || listOfNames.test(matcher)) return undefined;
  try {
    new RegExp(matcher);
  } catch {
    return `The matcher "${matcher}" is no regular expression, so its hooks never run.`;
  }
  if (isRule(matcher))
    return `The matcher "${matcher}" is a permission rule, and a matcher names tools only: put the rule in "if".`;
  return undefined;
}

/** `Bash(git commit:*)`: no tool's name has blanks or colons, and brackets around plain text are no pattern. */
function isRule(matcher: string): boolean {
  const content = /^\w+\((?!\?)(.*)\)$/.exec(matcher)?.[1];
  return content !== undefined && (/[\s:]/.test(content) || !/[|*+?\\[\]^$.]/.test(content));
}

/**
 * True when a matcher text means this tool: everything, a name or list of names, or an unanchored regular
 * expression (protocol 1.4). A tool answers to its aliases and old names too.
 */
export function matchesTool(matcher: string, tool: NamedTool): boolean {
  if (everything.has(matcher)) return true;
  const old = Object.keys(legacyNames).filter((name) => legacyNames[name] === tool.name);
  if (listOfNames.test(matcher)) {
    const wanted = matcher.split(/[|,]/).map((name) => name.trim());
    const names = [tool.name, ...tool.aliases, ...tool.deprecatedAliases, ...old];
    return names.some((name) => wanted.includes(name));
  }
  try {
    const pattern = new RegExp(matcher);
    return [tool.name, ...old].some((name) => pattern.test(name));
  } catch {
    return false;
  }
}

/** The narrower lists of names that some events take. */
const narrowList = /^[A-Za-z0-9_|]+$/;
const narrowEvents: readonly string[] = ['FileChanged', 'StopFailure'];

/** The same for events that are about no tool: the matcher is tested against one field of the payload. */
export function matchesText(matcher: string, text: string, event: string): boolean {
  if (everything.has(matcher)) return true;
  if (event === 'FileChanged') return matcher.split('|').includes(basename(text));
  const lists = narrowEvents.includes(event) ? narrowList : listOfNames;
  if (lists.test(matcher))
    return matcher
      .split(/[|,]/)
      .map((name) => name.trim())
      .includes(text);
  try {
    return new RegExp(matcher).test(text);
  } catch {
    return false;
  }
}
