import type { ContextOptions, ToolUseContext } from './context.ts';
import { messageOf } from './failure.ts';
import { isToolUse, type ToolUse } from './messages.ts';
import { wrapError } from './messages-for-model.ts';
import type { Decision } from './opinion.ts';
import type { CallOutcome } from './outcome.ts';
import { effectsFacts } from './path-facts.ts';
import { runToolCall } from './run-tool-call.ts';
import type { ContextChange, Parts, Run, Turn } from './run.ts';
import type { EventReaders } from './scheduler/events.ts';
import { block } from './stages/8-emit.ts';
import type { TraceEvent } from './trace.ts';

export interface CallSetUp {
  readonly parts: Parts;
  readonly turn: Turn;
  readonly signal: AbortSignal;
  readonly isDuplicate: boolean;
  admit(isSafe: boolean): Promise<void> | undefined;
  change(change: ContextChange): void;
  readonly readers: EventReaders | undefined;
}

export function beginTurn(parts: Parts, context: ContextOptions = {}): Turn {
  parts.session.turns += 1;
  return { index: parts.session.turns, settings: parts.policy.fromSource(), context };
}

/** Runs one call. The last net: whatever goes wrong inside the framework is one result, too. */
export async function runSafely(toolUse: ToolUse, setUp: CallSetUp): Promise<CallOutcome> {
  const { parts } = setUp;
  const startedAt = parts.clock.now();
  const run = createRun(toolUse, setUp, startedAt);
  run.trace?.({ event: 'call-start', id: run.callId, tool: run.tool });
  const outcome = await outcomeOf(toolUse, run);
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

async function outcomeOf(toolUse: ToolUse, run: Run): Promise<CallOutcome> {
  const ended = (code: 'input_invalid' | 'internal_error', message: string): CallOutcome => ({
    block: block(run.callId, wrapError(message), true),
    after: [],
    newMessages: [],
    outcome: 'refused',
    code,
    durationMs: run.clock.now() - run.startedAt,
  });
  if (!isToolUse(toolUse))
    return ended('input_invalid', 'This is no tool_use block: it needs type, id, name and input.');
  try {
    return await runToolCall(toolUse, run);
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

function createRun(toolUse: ToolUse, setUp: CallSetUp, startedAt: number): Run {
  const { parts, readers } = setUp;
  const send = (event: TraceEvent) => {
    readers?.push(event);
    // A trace tap is guarded, but not traced itself.
    void parts.hooks.trace.collect(event, {
      signal: neverAborts,
      clock: parts.clock,
      callId: event.id,
      tool: event.tool,
    });
  };
  return {
    parts,
    turn: setUp.turn,
    signal: setUp.signal,
    clock: parts.clock,
    callId: typeof toolUse?.id === 'string' ? toolUse.id : '',
    tool: typeof toolUse?.name === 'string' ? toolUse.name : '',
    startedAt,
    isDuplicate: setUp.isDuplicate,
    admit: (call) => setUp.admit(call.effects.concurrencySafe),
    change: (change) => setUp.change(change),
    get trace() {
      return parts.hooks.trace.taps.length > 0 || readers?.areListening ? send : undefined;
    },
  };
}

const neverAborts = new AbortController().signal;

/** Applies what finished calls change for later ones. Of `cwd` only a working directory or a folder in one is taken. */
export function applyChanges(parts: Parts, changes: readonly ContextChange[]): void {
  for (const { tool, modifier } of changes) {
    const { session, policy, facts } = parts;
    try {
      const { cwd } = modifier(viewOf(parts)) ?? {};
      if (cwd === undefined || cwd === session.cwd) continue;
      if (
        effectsFacts({ cwd: session.cwd, directories: policy.directories(), facts }).isInside(cwd)
      )
        session.cwd = cwd;
      else
        parts.report({
          code: 'cwd-outside',
          severity: 'warning',
          message: `${tool} tried to leave the working directories; the folder stays ${session.cwd}.`,
        });
    } catch (thrown) {
      parts.report({
        code: 'modifier-failed',
        severity: 'warning',
        message: `what ${tool} wanted to change for later calls was dropped: ${messageOf(thrown)}`,
      });
    }
  }
}

/** What a modifier may look at. It can change nothing by itself. */
const viewOf = ({ session }: Parts): ToolUseContext =>
  Object.freeze({ cwd: session.cwd, sessionId: session.id }) as ToolUseContext; // a modifier gets what outlives a call

/** The same net for a decision that runs nothing: a fault is a denial. */
export async function explainSafely(
  toolUse: ToolUse,
  setUp: CallSetUp,
  explain: (toolUse: ToolUse, run: Run) => Promise<Decision>,
): Promise<Decision> {
  const run = createRun(toolUse, setUp, setUp.parts.clock.now());
  try {
    return await explain(toolUse, run);
  } catch (thrown) {
    return {
      behavior: 'deny',
      reason: `The call could not be judged: ${messageOf(thrown)}`,
      trail: [],
    };
  }
}
