import { isAbsolute, resolve } from 'node:path';
import type { ContextOptions } from './context.ts';
import { messageOf } from './failure.ts';
import { attempt, attemptNow, neverAborts } from './hooks/guard.ts';
import { frozenJson } from './json.ts';
import type { AssistantMessage, ToolUse } from './messages.ts';
import { wrapError } from './messages-for-model.ts';
import type { Decision } from './opinion.ts';
import type { CallOutcome } from './outcome.ts';
import { unknownKey } from './nearest.ts';
import { effectsFacts } from './path-facts.ts';
import { runToolCall } from './run-tool-call.ts';
import type { ContextChange, Parts, Run, Turn } from './run.ts';
import type { EventReaders } from './scheduler/events.ts';
import type { SettingsSnapshot } from './settings-snapshot.ts';
import { block } from './stages/8-emit.ts';
import type { TraceEvent } from './trace.ts';

const contextKeys: readonly (keyof ContextOptions)[] = [
  'agentId',
  'agentType',
  'messages',
  'isNonInteractiveSession',
  'debug',
  'verbose',
  'mainLoopModel',
  'tools',
  'readFileState',
  'contentReplacementState',
  'queryTracking',
  'fileReadingLimits',
  'globLimits',
  'commands',
  'thinkingConfig',
  'mcpClients',
  'agentDefinitions',
  'maxBudgetUsd',
];

export interface CallSetUp {
  readonly parts: Parts;
  readonly turn: Turn;
  readonly signal: AbortSignal;
  readonly isDuplicate: boolean;
  admit(isSafe: boolean): Promise<void> | undefined;
  change(change: ContextChange): void;
  readonly readers: EventReaders | undefined;
}

/** Counts turns from 1 up; those of an agent inside the session from -1 down. */
function nextIndex(session: Parts['session'], { agentId }: ContextOptions): number {
  if (agentId === undefined) return (session.turns += 1);
  session.agentTurns += 1;
  return -session.agentTurns;
}

/** Opens a turn. Settings that cannot be read deny every call of it, as a fault inside the framework. */
export function beginTurn(
  parts: Parts,
  options: { readonly context?: ContextOptions; readonly signal?: AbortSignal } = {},
  message?: AssistantMessage,
): Turn {
  const { context = {} } = options;
  for (const [given, known, where] of [
    [options, ['signal', 'context'], 'what run and runTurn were given'],
    [context, contextKeys, 'the context of a call'],
  ] as const) {
    const problem = unknownKey(Object.keys(given), known, where);
    if (problem)
      parts.report({
        code: 'option-ignored',
        severity: 'warning',
        message: `${problem} It is ignored.`,
      });
  }
  const index = nextIndex(parts.session, context);
  const read = attemptNow<SettingsSnapshot>(() => parts.policy.fromSource());
  return {
    index,
    get settings() {
      if (read.ok) return read.value;
      throw new Error(`the settings could not be read: ${read.message}`);
    },
    context,
    message,
    decisions: new Map(),
  };
}

/** The turn is over: the ledger need not remember it. */
export function forget(parts: Parts, turn: Turn): void {
  const forgot = attemptNow<unknown>(() => parts.ledger.forget(parts.session.id, turn.index));
  if (!forgot.ok)
    parts.report({
      code: 'ledger-failed',
      severity: 'warning',
      message: `the ledger could not forget a turn: ${forgot.message}`,
    });
}

/** Runs one call. The last net: whatever goes wrong inside the framework is one result, too. */
export async function runSafely(given: unknown, setUp: CallSetUp): Promise<CallOutcome> {
  const { parts } = setUp;
  const startedAt = parts.clock.now();
  const use = readToolUse(given);
  const run = createRun(use, setUp, startedAt);
  run.trace?.({ event: 'call-start', id: run.callId, tool: run.tool });
  const outcome = await outcomeOf(use, run);
  run.decided();
  run.trace?.({
    event: 'call-end',
    id: run.callId,
    tool: run.tool,
    outcome: outcome.outcome,
    ...(outcome.code && { code: outcome.code }),
    ms: outcome.durationMs,
  });
  return outcome;
}

/** The model's block as a frozen copy: its own bytes are neither shared nor changed. */
interface ReadUse {
  readonly id: string;
  readonly name: string;
  readonly use: ToolUse | undefined;
  readonly problem: string;
}

function readToolUse(given: unknown): ReadUse {
  const read = attemptNow<ReadUse>(() => {
    const { type, id, name, input } = Object(given) as Partial<Record<keyof ToolUse, unknown>>; // only read
    const known = {
      id: typeof id === 'string' ? id : '',
      name: typeof name === 'string' ? name : '',
    };
    if (type !== 'tool_use' || typeof id !== 'string' || typeof name !== 'string')
      return { ...known, use: undefined, problem: noToolUse };
    const json = frozenJson(input ?? {});
    if ('problem' in json)
      return {
        ...known,
        use: undefined,
        problem: `InputValidationError: ${name.slice(0, 128)} was given an input that is refused: ${json.problem}.`,
      };
    return { ...known, use: Object.freeze({ type, id, name, input: json.value }), problem: '' };
  });
  return read.ok ? read.value : { id: '', name: '', use: undefined, problem: noToolUse };
}

const noToolUse = 'This is no tool_use block: it needs type, id, name and input.';

async function outcomeOf({ use, problem }: ReadUse, run: Run): Promise<CallOutcome> {
  const ended = (code: 'input_invalid' | 'internal_error', message: string): CallOutcome => ({
    block: block(run.callId, wrapError(message), true),
    after: [],
    newMessages: [],
    outcome: 'refused',
    code,
    durationMs: run.clock.now() - run.startedAt,
  });
  if (!use) return ended('input_invalid', problem);
  try {
    return await runToolCall(use, run);
  } catch (thrown) {
    run.parts.report({
      code: 'internal-error',
      severity: 'error',
      message: `a fault inside the framework: ${messageOf(thrown)}`,
    });
    return ended(
      'internal_error',
      'The call could not be handled because of an internal fault. It may have run; check before sending it again.',
    );
  }
}

/** Tells the trace taps. A trace tap is guarded, but not traced itself. */
export const traceTo = (hooks: Parts['hooks'], event: TraceEvent, clock: Parts['clock']): void =>
  void hooks.trace.collect(Object.freeze(event), {
    signal: neverAborts,
    clock,
    callId: event.id,
    tool: event.tool,
  });

function createRun(use: Pick<ReadUse, 'id' | 'name'>, setUp: CallSetUp, startedAt: number): Run {
  const { parts, readers } = setUp;
  const send = (event: TraceEvent) => {
    readers?.push(Object.freeze(event));
    traceTo(parts.hooks, event, parts.clock);
  };
  let deciding: AbortController | undefined;
  const decided = (): void => {
    setUp.signal.removeEventListener('abort', decided);
    deciding?.abort();
    deciding = undefined;
  };
  return {
    // Not by AbortSignal.any: what it makes of a signal that lives on is kept for as long as that.
    get untilDecided() {
      deciding ??= new AbortController();
      const { signal } = deciding;
      if (setUp.signal.aborted) decided();
      else setUp.signal.addEventListener('abort', decided, { once: true });
      return signal;
    },
    decided,
    parts,
    turn: setUp.turn,
    signal: setUp.signal,
    clock: parts.clock,
    callId: use.id,
    tool: use.name,
    startedAt,
    isDuplicate: setUp.isDuplicate,
    admit: (call) => setUp.admit(call.effects.concurrencySafe),
    change: (change) => setUp.change(change),
    get trace() {
      return parts.hooks.trace.taps.length > 0 || readers?.areListening ? send : undefined;
    },
  };
}

/** Applies what finished calls of the session's own agent change for later ones; those inside it change nothing. Of `cwd` only a working directory or a folder in one is taken. */
export function applyChanges(parts: Parts, turn: Turn, changes: readonly ContextChange[]): void {
  if (turn.context.agentId !== undefined) return;
  const { session, policy, facts } = parts;
  for (const { tool, modifier, moved } of changes) {
    const changed = attemptNow<boolean>(() => {
      const answer = attemptNow<unknown>(() => modifier(session.cwd));
      if (!answer.ok) throw new Error(answer.message);
      const { cwd } = Object(answer.value) as { readonly cwd?: unknown }; // only read
      if (cwd === undefined) return true;
      if (typeof cwd !== 'string' || !isAbsolute(cwd)) return false;
      const known = effectsFacts({ cwd: session.cwd, directories: policy.directories(), facts });
      if (!known.isInside(resolve(cwd))) return false;
      session.cwd = resolve(cwd);
      void attempt(() => moved?.(session.cwd), 5_000, { clock: parts.clock, signal: neverAborts });
      return true;
    });
    if (!changed.ok)
      parts.report({
        code: 'modifier-failed',
        severity: 'warning',
        message: `what ${tool} wanted to change for later calls was dropped: ${changed.message}`,
      });
    else if (!changed.value)
      parts.report({
        code: 'cwd-outside',
        severity: 'warning',
        message: `${tool} tried to leave the working directories; the folder stays ${session.cwd}.`,
      });
  }
}

/** The same net for a decision that runs nothing: a fault is a denial. */
export async function explainSafely(
  given: unknown,
  setUp: CallSetUp,
  explain: (toolUse: ToolUse, run: Run) => Promise<Decision>,
): Promise<Decision> {
  const use = readToolUse(given);
  const denied = (reason: string): Decision => ({ behavior: 'deny', reason, trail: [] });
  if (!use.use) return denied(use.problem);
  try {
    return await explain(use.use, createRun(use, setUp, setUp.parts.clock.now()));
  } catch (thrown) {
    return denied(`The call could not be judged: ${messageOf(thrown)}`);
  }
}
