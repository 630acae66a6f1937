import type { ContextOptions } from '../context.ts';
import { attemptNow, neverAborts } from '../hooks/guard.ts';
import type { AssistantMessage, UserMessage } from '../messages.ts';
import type { CallOutcome } from '../outcome.ts';
import type { ContextChange, Parts } from '../run.ts';
import { applyChanges, beginTurn, forget, runSafely } from '../run-safely.ts';
import type { TraceEvent } from '../trace.ts';
import { afterBatch } from './after-batch.ts';
import { fitTurn } from '../turn-budget.ts';
import { eachUse, sourceOf } from './blocks.ts';
import { EventReaders } from './events.ts';
import { defaultConcurrency, Queue } from './queue.ts';
import { Siblings } from './siblings.ts';

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

/** An assistant message, or its content blocks as they are completed while the model still speaks. */
export type TurnInput = AssistantMessage | AsyncIterable<{ readonly type: string }>;

/**
 * Starts the calls of an assistant message and answers them in order. Of a stream each call starts, in its
 * turn, as soon as its block is there; one that breaks off leaves every started call with its result.
 *
 * @throws ToolgateError `TG_OPTION_INVALID` for what is neither; nothing has started then.
 */
export function runTurn(input: TurnInput, parts: Parts, options: RunOptions = {}): RunningTurn {
  const source = sourceOf(input);
  const turn = beginTurn(
    parts,
    options,
    'blocks' in source ? (input as AssistantMessage) : undefined,
  ); // as sourceOf read it
  const turnSignal = options.signal ?? neverAborts;
  const siblings = new Siblings(turnSignal, parts.siblings);
  const { signal } = siblings;
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
  const onAbort = () => queue.open();
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });

  const seen = new Set<unknown>();
  const uses: unknown[] = [];
  const running: Promise<CallOutcome>[] = [];
  const start = async (toolUse: unknown, isDuplicate: boolean, index: number) => {
    const outcome = await runSafely(toolUse, {
      parts,
      turn,
      signal,
      isDuplicate,
      admit: (isSafe) => queue.admit(index, isSafe),
      change: (change) => void changes.push({ index, change }),
      readers,
    });
    siblings.ended(outcome, nameOf(toolUse));
    queue.leave(index);
    return outcome;
  };
  const take = (toolUse: unknown): void => {
    const read = attemptNow<unknown>(() => Reflect.get(Object(toolUse), 'id'));
    const id = read.ok ? read.value : toolUse;
    uses.push(toolUse);
    const place = queue.join();
    running.push(start(toolUse, seen.has(id), place));
    seen.add(id);
  };

  // One microtask later, so that a reader taken at once misses nothing.
  const outcomes = Promise.resolve()
    .then(() =>
      eachUse(source, take, {
        signal: turnSignal,
        report: (found) => parts.report(found),
      }),
    )
    .then(() => Promise.all(running))
    .then((all) => fitTurn(uses, all, { parts, turn }))
    .then((all) => afterBatch(uses, all, { parts, turn, signal: turnSignal }));
  const ended = outcomes.finally(() => {
    signal.removeEventListener('abort', onAbort);
    siblings.close();
    forget(parts, turn);
    readers.end();
  });
  return { outcomes: ended, message: ended.then(messageOf), events: () => readers.read() };
}

const messageOf = (outcomes: readonly CallOutcome[]): UserMessage => ({
  role: 'user',
  content: [...outcomes.map(({ block }) => block), ...outcomes.flatMap(({ after }) => after)],
});

const nameOf = (toolUse: unknown): string => {
  const name = attemptNow<unknown>(() => Reflect.get(Object(toolUse), 'name'));
  return name.ok && typeof name.value === 'string' ? name.value.slice(0, 128) : 'a call';
};
