import type { ExecutedCall, MappedCall } from '../call.ts';
import { ledgerKey } from '../call-ledger.ts';
import { boundResult } from '../bound-result.ts';
import { attempt, attemptNow, withSignal, type TapScope } from '../hooks/guard.ts';
import { frozenJson } from '../json.ts';
import { isContent } from '../messages.ts';
import { messageForFailure } from '../messages-for-model.ts';
import type { Run } from '../run.ts';
import type { MappedResult } from '../tool.ts';
import { traced } from './stage.ts';

/**
 * Stage 6. The output becomes what the model reads: mapped, rewritten by the taps, then bounded and stored.
 * What ran is read after an abort, too, for as long as a tool would get to end.
 */
export const mapResult = traced<ExecutedCall, MappedCall>('result', async (call, run) => {
  const { scope, end } = graceful(run);
  const mapped = await read(call, run, scope);
  const { content, isError } = mapped;
  const kept = await attempt(
    () => run.parts.ledger.complete(ledgerKey(call.toolUse, run), { content, isError }),
    5_000,
    scope,
  );
  end();
  if (!kept.ok)
    run.parts.report({
      code: 'result-not-recorded',
      severity: 'error',
      message: `that ${call.tool.name} ended could not be recorded: ${kept.message}`,
    });
  return mapped;
});

/** The run's surroundings under a signal that aborts only `graceMs` after the run's own. */
function graceful(run: Run): { readonly scope: TapScope; readonly end: () => void } {
  const controller = new AbortController();
  let cancel: (() => void) | undefined;
  const onAbort = () => {
    cancel = run.clock.after(run.parts.graceMs, () => controller.abort());
  };
  if (run.signal.aborted) onAbort();
  else run.signal.addEventListener('abort', onAbort, { once: true });
  const end = () => {
    cancel?.();
    run.signal.removeEventListener('abort', onAbort);
  };
  return { scope: withSignal(run, controller.signal), end };
}

async function read(call: ExecutedCall, run: Run, scope: TapScope): Promise<MappedCall> {
  const { tool } = call;
  const mapped = mapOutput(call);
  if ('failure' in mapped)
    return withheld(call, `${tool.name} ran, but its result could not be turned into text.`);
  const rewritten = await run.parts.hooks.result.rewrite({ ...mapped, call }, scope);
  if (!rewritten.ok) {
    run.parts.report({
      code: 'result-withheld',
      severity: 'error',
      message: `${rewritten.tap} of ${rewritten.plugin} failed, so the result of ${tool.name} was withheld: ${rewritten.message}`,
    });
    return withheld(
      call,
      `${tool.name} ran, but its result was withheld because a check of it failed.`,
    );
  }
  const { content, is_error: isError } = rewritten.value;
  const json = frozenJson(content);
  if ('problem' in json || !isContent(json.value))
    return withheld(call, `${tool.name} ran, but its result was withheld because it is no text.`);
  const { content: bounded, stored } = await boundResult(json.value, tool.maxResultSizeChars, {
    parts: run.parts,
    scope,
    id: run.callId,
    state: run.turn.context.contentReplacementState,
  });
  const shown = isEmpty(bounded) ? `(${tool.name} ran and gave no output.)` : bounded;
  // A rewrite may mark a result as an error; it cannot make a failure look like a success.
  return { ...call, content: shown, stored, isError: isError === true || !call.ending.ok };
}

const isEmpty = (content: MappedCall['content']): boolean =>
  typeof content === 'string' ? content.trim() === '' : content.length === 0;

function mapOutput(call: ExecutedCall): MappedResult | { readonly failure: true } {
  const { ending, tool } = call;
  if (!ending.ok) return { content: messageForFailure(ending.failure), is_error: true };
  const mapped = attemptNow<unknown>(() =>
    tool.mapToolResultToToolResultBlockParam(ending.result.data, call.toolUse.id),
  );
  const json = frozenJson(mapped.ok ? mapped.value : undefined);
  if ('problem' in json) return { failure: true };
  const { content, is_error } = Object(json.value) as Partial<MappedResult>; // a copy, just made
  return isContent(content) ? { content, is_error: is_error === true } : { failure: true };
}

const withheld = (call: ExecutedCall, message: string): MappedCall => ({
  ...call,
  ending: { ok: false, failure: { code: 'result_withheld', message } },
  content: messageForFailure({ code: 'result_withheld', message }),
  stored: [],
  isError: true,
});
