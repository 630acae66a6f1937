import { allow, buildTool, isDeferred, type AnyTool, type Tools } from '@toolgate/core';
import { z } from 'zod';
import { rank } from './rank.ts';

const inputSchema = z.strictObject({
  query: z
    .string()
    .min(1)
    .max(1_000)
    .describe('select:NAME,NAME for tools you know by name, or words that say what you need'),
  max_results: z.int().min(1).max(20).default(5).describe('Most tools to load'),
});

/** The tools that were found; hooks get it as `tool_response`. */
export interface ToolSearchOutput {
  readonly query: string;
  /** Best first. Their schemas reach the model with its next turn. */
  readonly matches: readonly string[];
  /** Names asked for with `select:` that no deferred tool has, each with the reason. */
  readonly missing: readonly string[];
  readonly totalDeferred: number;
}

const description = `Loads tools that are not in your list yet. Their schemas reach you with the next turn; until then they cannot be called well.
- select:NAME or select:NAME,NAME loads tools by name.
- Words find tools by name and purpose: "notebook jupyter". A word with + before it must occur: "+slack send".`;

/** ToolSearch: finds deferred tools and loads their schemas for the next turn. */
export const toolSearch = buildTool({
  name: 'ToolSearch',
  description,
  searchHint: 'find and load more tools',
  inputSchema,
  alwaysLoad: true,
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  isIdempotent: () => true,
  checkPermissions: () => allow('Looking for tools needs no permission.'),
  async call({ query, max_results: most }, { options, toolPermissionContext }) {
    const deferred = options.tools.filter((tool) => isDeferred(tool));
    const selected = /^select:(.*)$/is.exec(query.trim())?.[1];
    const found =
      selected === undefined
        ? {
            matches: await rank(query, deferred, {
              isNonInteractiveSession: options.isNonInteractiveSession,
              toolPermissionContext,
              tools: options.tools,
            }),
            missing: [],
          }
        : select(selected, deferred, options.tools);
    const data: ToolSearchOutput = {
      query,
      matches: (selected === undefined ? found.matches.slice(0, most) : found.matches).map(
        ({ name }) => name,
      ),
      missing: found.missing,
      totalDeferred: deferred.length,
    };
    return { data };
  },
  mapToolResultToToolResultBlockParam: ({ matches, missing, totalDeferred }: ToolSearchOutput) => {
    const notes = [
      ...missing,
      ...(matches.length > 0
        ? []
        : [
            totalDeferred === 0
              ? 'No tools wait to be loaded: you have all of them.'
              : `No tool was found among ${totalDeferred}. Try other words, or a single word.`,
          ]),
    ];
    return {
      content: [
        ...matches.map((name) => ({ type: 'tool_reference' as const, tool_name: name })),
        ...notes.map((text) => ({ type: 'text' as const, text })),
      ],
    };
  },
  getActivityDescription: ({ query }) => `Looking for tools: ${query}`,
  renderToolUseMessage: ({ query }) => ({ type: 'text', text: query }),
  renderToolResultMessage: ({ matches }) => ({
    type: 'text',
    text: matches.length === 0 ? 'No tools found' : matches.join(', '),
    tone: 'muted',
  }),
});

/** Tools by name or alias, letter case apart where only one is meant. */
function select(
  names: string,
  deferred: Tools,
  all: Tools,
): { readonly matches: readonly AnyTool[]; readonly missing: readonly string[] } {
  const matches = new Set<AnyTool>();
  const missing: string[] = [];
  for (const name of names.split(',').map((one) => one.trim())) {
    if (name === '') continue;
    const found = named(name, deferred);
    if (found) matches.add(found);
    else
      missing.push(
        named(name, all)
          ? `${name} needs no loading: call it.`
          : `There is no tool named "${name.slice(0, 128)}" to load.`,
      );
  }
  return { matches: [...matches], missing };
}

function named(name: string, tools: Tools): AnyTool | undefined {
  const namesOf = (tool: AnyTool) => [tool.name, ...tool.aliases, ...tool.deprecatedAliases];
  const exact = tools.find((tool) => namesOf(tool).includes(name));
  if (exact) return exact;
  const alike = tools.filter((tool) =>
    namesOf(tool).some((one) => one.toLowerCase() === name.toLowerCase()),
  );
  return alike.length === 1 ? alike[0] : undefined;
}
