import type { ContextOptions } from '../context.ts';
import { isToolUse, type AssistantMessage, type ToolUse, type UserMessage } from '../messages.ts';
import type { CallOutcome } from '../outcome.ts';
import type { ContextChange, Parts, Turn } from '../run.ts';
import { applyChanges, beginTurn, runSafely } from '../run-safely.ts';
import type { TraceEvent } from '../trace.ts';
import { EventReaders } from './events.ts';
import { defaultConcurrency, Queue } from './queue.ts';

export interface RunOptions {
  /** Aborts the call or turn; each open call still gets its result. */
  readonly signal?: AbortSignal;
  readonly context?: ContextOptions;
}

/** A turn at work. Nothing here ever rejects. */
export interface RunningTurn {
  /** The user message that answers the turn: one `tool_result` per `tool_use`, in order, then what goes after. */
  readonly message: Promise<UserMessage>;
  readonly outcomes: Promise<readonly CallOutcome[]>;
  /** What happens from now on. A reader that falls behind misses the oldest events and is told how many. */
  events(): AsyncIterable<TraceEvent>;
}

/** Starts all calls of an assistant message and answers them in order. */
export function runTurn(
  message: AssistantMessage,
  parts: Parts,
  options: RunOptions = {},
): RunningTurn {
  const uses = toolUsesOf(message);
  const turn = beginTurn(parts, options.context);
  const signal = options.signal ?? new AbortController().signal;
  const readers = new EventReaders();
  const changes: { readonly index: number; readonly change: ContextChange }[] = [];
  const queue = new Queue(defaultConcurrency, () =>
    applyChanges(parts, inOrder(changes.splice(0))),
  );
  const seen = new Set<string>();
  const calls = uses.map((toolUse) => {
    const isDuplicate = seen.has(toolUse.id);
    seen.add(toolUse.id);
    return { toolUse, isDuplicate, index: queue.join() };
  });
  const onAbort = () => queue.open();
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });

  // One microtask later, so that a reader taken at once misses nothing.
  const outcomes = Promise.resolve().then(() =>
    Promise.all(
      calls.map(async ({ toolUse, isDuplicate, index }) => {
        const admit = (isSafe: boolean) => queue.admit(index, isSafe);
        const change = (made: ContextChange) => void changes.push({ index, change: made });
        const outcome = await runSafely(toolUse, {
          parts,
          turn,
          signal,
          isDuplicate,
          admit,
          change,
          readers,
        });
        queue.leave(index);
        return outcome;
      }),
    ),
  );
  const ended = outcomes.finally(() => {
    signal.removeEventListener('abort', onAbort);
    parts.ledger.forget(parts.session.id, turn.index);
    readers.end();
  });
  return { outcomes: ended, message: ended.then(messageOf), events: () => readers.read() };
}

export type { Turn };

const inOrder = (
  changes: { readonly index: number; readonly change: ContextChange }[],
): readonly ContextChange[] =>
  changes.sort((a, b) => a.index - b.index).map(({ change }) => change);

const toolUsesOf = (message: AssistantMessage): readonly ToolUse[] =>
  Array.isArray(message.content)
    ? message.content.filter((block: unknown): block is ToolUse => isToolUse(block))
    : [];

const messageOf = (outcomes: readonly CallOutcome[]): UserMessage => ({
  role: 'user',
  content: [...outcomes.map(({ block }) => block), ...outcomes.flatMap(({ after }) => after)],
});
