import type { ToolResult, ToolUseContext } from '@toolgate/core';

/**
 * Answers the call and lets the work go on: the gate then knows of it, and ends it when it closes. Where that
 * cannot be, the result is simply returned, and the registry's plugin ends the work.
 */
export async function goOn<O>(
  result: ToolResult<O>,
  { context, work }: { readonly context: ToolUseContext; readonly work: Promise<unknown> },
  stop: () => void,
): Promise<ToolResult<O>> {
  let signal: AbortSignal;
  try {
    signal = context.detach(result);
  } catch {
    return result;
  }
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  await work;
  return result;
}
