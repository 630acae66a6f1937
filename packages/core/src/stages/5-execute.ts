import {
  refuse,
  type ExecutedCall,
  type Left,
  type PermittedCall,
  type Step,
  type ToolEnding,
} from '../call.ts';
import { claim, ledgerKey } from '../call-ledger.ts';
import { computeEffects } from '../compute-effects.ts';
import { digestOf } from '../digest.ts';
import { isChangedSinceApproval } from '../errors.ts';
import { runInProcess, timedOut } from '../in-process.ts';
import { INTERRUPT_MESSAGE, wrapError } from '../messages-for-model.ts';
import { readAnswer, ending } from '../hooks/answer.ts';
import { attempt, type AttemptFailure } from '../hooks/guard.ts';
import { isRetryable } from '../failure.ts';
import { effectsFacts } from '../path-facts.ts';
import { predicate } from '../registry.ts';
import type { Run } from '../run.ts';
import { interrupted, stoppable } from './stage.ts';

/** Stage 5. What was approved is what runs, once, in one place; a failure there is final. */
export const execute = stoppable<PermittedCall, Step<ExecutedCall>>(
  'execute',
  async (call, run) => {
    if (digestOf(call) !== call.digest || !stillHolds(call, run))
      return refuse(
        {
          code: 'changed_since_approval',
          stage: 'execute',
          message: 'The call changed after it was approved, so nothing ran. Send it again.',
        },
        { decision: call.decision },
      );
    const notClaimed = await claim(call, run);
    if (run.signal.aborted) return { ...interrupted('execute', run), decision: call.decision };
    if (notClaimed) return notClaimed;

    const startedAt = run.clock.now();
    const ending = await runWithRetries(call, run);
    if (!ending.ok && ending.failure.code === 'tool_aborted' && run.signal.aborted)
      return { ...interrupted('execute', run), decision: call.decision };
    if (foundChange(ending, call, run)) return changed(ending.failure.message, call, run);
    return { ...call, ending, toolMs: run.clock.now() - startedAt };
  },
);

/** A trusted tool found something else than what was approved, and did nothing. */
const foundChange = (
  ending: ToolEnding,
  { tool }: PermittedCall,
  run: Run,
): ending is Extract<ToolEnding, { readonly ok: false }> =>
  !ending.ok &&
  ending.failure.code === 'tool_failed' &&
  isChangedSinceApproval(ending.failure.cause) &&
  run.parts.registry.isTrusted(tool);

/** The row was claimed, so how the call ended is kept like a result. */
async function changed(message: string, call: PermittedCall, run: Run): Promise<Left> {
  const row = { content: wrapError(message), isError: true };
  await attempt(() => run.parts.ledger.complete(ledgerKey(call.toolUse, run), row), 5_000, run);
  return refuse(
    { code: 'changed_since_approval', stage: 'execute', message },
    { decision: call.decision },
  );
}

/** What was decided on checks of the surroundings (`needs`) is judged again just before it runs. */
function stillHolds(call: PermittedCall, run: Run): boolean {
  if (call.effects.needs.length === 0) return true;
  const { cwd, directories } = call;
  const facts = effectsFacts({ cwd, directories, facts: run.parts.facts });
  const effects = computeEffects(call, call.input, facts, run.parts.effects);
  return digestOf({ ...call, effects }) === call.digest;
}

/** Again, as the gate's policy has it, when a trusted tool that calls itself idempotent failed for a passing reason. */
async function runWithRetries(call: PermittedCall, run: Run): Promise<ToolEnding> {
  const { retry, registry } = run.parts;
  const { tool, input } = call;
  const mayRetry =
    retry !== undefined &&
    registry.isTrusted(tool) &&
    predicate(() => tool.isIdempotent(input), false);
  for (let attempt = 1; ; attempt++) {
    const ended = await runSomewhere(call, run);
    if (!mayRetry || attempt >= retry.attempts) return ended;
    if (ended.ok || !isRetryable(ended.failure)) return ended;
    await pause((retry.backoffMs ?? 500) * 2 ** (attempt - 1), run);
    if (run.signal.aborted || !stillHolds(call, run)) return ended;
    run.trace?.({
      event: 'retry',
      id: run.callId,
      tool: tool.name,
      stage: 'execute',
      code: ended.failure.code,
      attempt: attempt + 1,
    });
  }
}

/** Waits, or until the call is aborted. */
const pause = (ms: number, { clock, signal }: Run): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.after(ms, end);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });

/** In-process, unless an `execute` tap or an executor takes it: once, within the tool's limit and its grace. */
async function runSomewhere(call: PermittedCall, run: Run): Promise<ToolEnding> {
  const { hooks, executor, graceMs } = run.parts;
  const limitMs = call.tool.timeoutMs + graceMs;
  const answer = await hooks.execute.first(call, {
    signal: run.signal,
    clock: run.clock,
    callId: run.callId,
    tool: run.tool,
    trace: run.trace,
    limitMs,
  });
  if (answer) return answer.ok ? answer.value : executorFailed(answer, call);
  if (!executor) return runInProcess(call, run);
  let here: Promise<ToolEnding> | undefined;
  const elsewhere = await attempt<unknown>(
    ({ signal }) => executor(call, { signal, run: () => (here ??= runInProcess(call, run)) }),
    limitMs,
    run,
  );
  if (!elsewhere.ok) return executorFailed(elsewhere, call);
  const read = readAnswer(elsewhere.value, ending, 'the answer of the executor');
  if (read.ok && read.value !== undefined) return read.value as ToolEnding; // checked by readAnswer
  const message = read.ok ? 'it gave no answer' : read.problem;
  return executorFailed({ ok: false, reason: 'bad_answer', message }, call);
}

function executorFailed(
  { reason, message, cause }: AttemptFailure,
  call: PermittedCall,
): ToolEnding {
  if (reason === 'aborted')
    return { ok: false, failure: { code: 'tool_aborted', message: INTERRUPT_MESSAGE } };
  if (reason === 'timed_out') return timedOut(call.tool);
  const what = `The call could not be run where it should: ${message}`;
  return { ok: false, failure: { code: 'executor_failed', message: what, cause } };
}
