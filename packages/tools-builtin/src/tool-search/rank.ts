import type { AnyTool, DescriptionOptions, Tools } from '@toolgate/core';

/** Where a word may occur in a tool, and what it is worth there. */
const worth = { name: 10, part: 6, hint: 4, description: 2 } as const;

/** Tools that a query's words fit, best first; of equals the one registered first. A word with `+` must occur. */
export async function rank(
  query: string,
  tools: Tools,
  described: DescriptionOptions,
): Promise<readonly AnyTool[]> {
  const words = query
    .toLowerCase()
    .split(/[^\p{L}\p{N}_+]+/u)
    .filter((word) => word.replace('+', '') !== '');
  const needed = words.filter((word) => word.startsWith('+')).map((word) => word.slice(1));
  const wanted = words.map((word) => word.replace(/^\+/, ''));
  const scored = await Promise.all(
    tools.map(async (tool) => {
      const text = await textOf(tool, described);
      const score = (word: string) => scoreOf(word, tool, text);
      return {
        tool,
        score: needed.every((word) => score(word) > 0)
          ? wanted.reduce((sum, word) => sum + score(word), 0)
          : 0,
      };
    }),
  );
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ tool }) => tool);
}

/** The words that a name is made of: `mcp__github__createIssue` is mcp, github, create, issue. */
const partsOf = (name: string): readonly string[] =>
  name
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part !== '');

function scoreOf(word: string, tool: AnyTool, description: string): number {
  const names = [tool.name, ...tool.aliases];
  if (names.some((name) => name.toLowerCase() === word)) return worth.name;
  if (names.flatMap(partsOf).includes(word)) return worth.part;
  if (tool.searchHint.toLowerCase().includes(word)) return worth.hint;
  if (names.some((name) => name.toLowerCase().includes(word))) return worth.hint;
  return description.toLowerCase().includes(word) ? worth.description : 0;
}

/** A tool that fails to describe itself is found by its name. */
async function textOf(tool: AnyTool, described: DescriptionOptions): Promise<string> {
  try {
    const text: unknown = await tool.description(undefined, described);
    return typeof text === 'string' ? text : '';
  } catch {
    return '';
  }
}
