import type { ContextOptions } from '../context.ts';
import { ToolgateError } from '../errors.ts';
import { attemptNow, neverAborts } from '../hooks/guard.ts';
import type { AssistantMessage, UserMessage } from '../messages.ts';
import type { CallOutcome } from '../outcome.ts';
import type { ContextChange, Parts } from '../run.ts';
import { applyChanges, beginTurn, forget, runSafely } from '../run-safely.ts';
import type { TraceEvent } from '../trace.ts';
import { afterBatch } from './after-batch.ts';
import { fitTurn } from '../turn-budget.ts';
import { EventReaders } from './events.ts';
import { defaultConcurrency, Queue } from './queue.ts';

/** What belongs to one call or turn rather than to the gate. */
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

/**
 * Starts all calls of an assistant message and answers them in order.
 *
 * @throws ToolgateError `TG_OPTION_INVALID` for what is no assistant message; nothing has started then.
 */
export function runTurn(
  message: AssistantMessage,
  parts: Parts,
  options: RunOptions = {},
): RunningTurn {
  const uses = toolUsesOf(message);
  const turn = beginTurn(parts, options);
  const signal = options.signal ?? neverAborts;
  const readers = new EventReaders();
  const changes: { readonly index: number; readonly change: ContextChange }[] = [];
  const queue = new Queue(defaultConcurrency, (before) => {
    const due = changes.filter(({ index }) => index < before).sort((a, b) => a.index - b.index);
    for (const made of due) changes.splice(changes.indexOf(made), 1);
    applyChanges(
      parts,
      turn,
      due.map(({ change }) => change),
    );
  });
  const seen = new Set<unknown>();
  const calls = uses.map((toolUse) => {
    const read = attemptNow<unknown>(() => Reflect.get(Object(toolUse), 'id'));
    const id = read.ok ? read.value : toolUse;
    const isDuplicate = seen.has(id);
    seen.add(id);
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
  const observed = outcomes
    .then((all) => fitTurn(uses, all, { parts, turn }))
    .then((all) => afterBatch(uses, all, { parts, turn, signal }));
  const ended = observed.finally(() => {
    signal.removeEventListener('abort', onAbort);
    forget(parts, turn);
    readers.end();
  });
  return { outcomes: ended, message: ended.then(messageOf), events: () => readers.read() };
}

/** Each block that calls itself a `tool_use` gets its answer, whatever else it lacks. */
function toolUsesOf(message: unknown): readonly unknown[] {
  const read = attemptNow<unknown>(() => Reflect.get(Object(message), 'content'));
  const content = read.ok ? read.value : undefined;
  if (typeof content === 'string') return [];
  if (!Array.isArray(content))
    throw new ToolgateError(
      'TG_OPTION_INVALID',
      'runTurn takes an assistant message with its content; a stream of blocks is not supported yet.',
    );
  return content.filter((block: unknown) => {
    const type = attemptNow<unknown>(() => Reflect.get(Object(block), 'type'));
    return type.ok && type.value === 'tool_use';
  });
}

const messageOf = (outcomes: readonly CallOutcome[]): UserMessage => ({
  role: 'user',
  content: [...outcomes.map(({ block }) => block), ...outcomes.flatMap(({ after }) => after)],
});
