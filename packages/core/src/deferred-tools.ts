import { attemptNow } from './hooks/guard.ts';
import type { AnyTool, Tools } from './tool.ts';

/** True for a tool that the model gets only once it asked for it. */
export const isDeferred = (tool: Pick<AnyTool, 'shouldDefer' | 'alwaysLoad'>): boolean =>
  tool.shouldDefer && !tool.alwaysLoad;

/**
 * The tools whose schemas a conversation has brought: those that a `tool_result` in it refers to with
 * `{ type: 'tool_reference', tool_name }`, as a search for tools answers.
 */
export function loadedTools(messages: readonly unknown[]): ReadonlySet<string> {
  const names = new Set<string>();
  const blocksOf = (value: unknown): readonly unknown[] => {
    const content = attemptNow<unknown>(() => Reflect.get(Object(value), 'content'));
    return content.ok && Array.isArray(content.value) ? content.value : [];
  };
  for (const block of messages.flatMap(blocksOf).flatMap(blocksOf)) {
    const { type, tool_name: name } = Object(block) as Partial<Record<string, unknown>>; // only read
    if (type === 'tool_reference' && typeof name === 'string') names.add(name);
  }
  return names;
}

/**
 * What to tell a model whose input for a deferred tool did not fit: that it never saw the schema, and how
 * to load it. Undefined for a tool that is not deferred, was loaded in `messages`, or when `tools` hold no ToolSearch.
 */
export function buildSchemaNotSentHint(
  tool: Pick<AnyTool, 'name' | 'shouldDefer' | 'alwaysLoad'>,
  messages: readonly unknown[],
  tools?: Tools,
): string | undefined {
  if (!isDeferred(tool) || loadedTools(messages).has(tool.name)) return undefined;
  if (tools && !tools.some(({ name }) => name === 'ToolSearch')) return undefined;
  return `The schema of ${tool.name} was never sent to you, so its input could only be guessed, and it did not fit. Load it first: call ToolSearch with the query "select:${tool.name}". Then send this call again.`;
}
