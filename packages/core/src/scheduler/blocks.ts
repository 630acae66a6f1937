import { ToolgateError } from '../errors.ts';
import { messageOf } from '../failure.ts';
import { attemptNow, quiet } from '../hooks/guard.ts';
import type { Diagnostic } from '../settings-snapshot.ts';

/** Where the blocks of a turn come from. */
export type Source =
  | { readonly blocks: readonly unknown[] }
  | { readonly stream: AsyncIterator<unknown> };

/** Reads what a turn was given. */
export function sourceOf(input: unknown): Source {
  const iterate = attemptNow<unknown>(() => Reflect.get(Object(input), Symbol.asyncIterator));
  if (iterate.ok && typeof iterate.value === 'function') {
    const opened = attemptNow<AsyncIterator<unknown>>(
      () => (input as AsyncIterable<unknown>)[Symbol.asyncIterator](), // as just seen
    );
    if (opened.ok) return { stream: opened.value };
  }
  const read = attemptNow<unknown>(() => Reflect.get(Object(input), 'content'));
  const content = read.ok ? read.value : undefined;
  if (typeof content === 'string') return { blocks: [] };
  if (Array.isArray(content)) return { blocks: content };
  throw new ToolgateError(
    'TG_OPTION_INVALID',
    'runTurn takes an assistant message with its content, or a stream of its content blocks.',
  );
}

/** Each block that calls itself a `tool_use` gets its answer, whatever else it lacks. */
const isUse = (block: unknown): boolean => {
  const type = attemptNow<unknown>(() => Reflect.get(Object(block), 'type'));
  return type.ok && type.value === 'tool_use';
};

/**
 * Hands over each `tool_use` as it comes. Ends with the source, when that breaks off, or with an abort: what the
 * model says after an abort is not heard any more.
 */
export async function eachUse(
  source: Source,
  take: (toolUse: unknown) => void,
  {
    signal,
    report,
  }: { readonly signal: AbortSignal; readonly report: (found: Diagnostic) => void },
): Promise<void> {
  if ('blocks' in source) {
    for (const block of source.blocks) if (isUse(block)) take(block);
    return;
  }
  const { stream } = source;
  let stop = (): void => {};
  const aborted = new Promise<undefined>((resolve) => (stop = () => resolve(undefined)));
  signal.addEventListener('abort', stop, { once: true });
  try {
    while (!signal.aborted) {
      const next = await Promise.race([stream.next(), aborted]);
      if (next === undefined || next.done === true) break;
      if (isUse(next.value)) take(next.value);
    }
  } catch (thrown) {
    report({
      code: 'stream-broke',
      severity: 'warning',
      message: `the model's message broke off: ${messageOf(thrown)}. Each call that had come whole is answered.`,
    });
  } finally {
    signal.removeEventListener('abort', stop);
    const returned = signal.aborted && attemptNow<unknown>(() => stream.return?.());
    if (returned && returned.ok) quiet(returned.value);
  }
}
