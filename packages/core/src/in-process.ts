import type { PermittedCall, ToolEnding } from './call.ts';
import { createContext } from './create-context.ts';
import { toFailure } from './failure.ts';
import { attempt, attemptNow, neverAborts, type Attempt } from './hooks/guard.ts';
import { INTERRUPT_MESSAGE } from './messages-for-model.ts';
import { frozenJson } from './json.ts';
import type { Run } from './run.ts';
import type { AnyObject, AnyTool, ToolResult } from './tool.ts';

type Limit = 'timed_out' | 'aborted';

/** Runs `tool.call` here, until it ends, its time is up or the call is aborted. */
export async function runInProcess(call: PermittedCall, run: Run): Promise<ToolEnding> {
  const controller = new AbortController();
  const ended = await withinLimits(call, run, controller);
  if (ended === 'timed_out') return timedOut(call.tool);
  if (ended === 'aborted')
    return { ok: false, failure: { code: 'tool_aborted', message: INTERRUPT_MESSAGE } };
  if (!ended.ok)
    return { ok: false, failure: toFailure('tool_failed', ended.cause ?? ended.message) };
  if (!isResult(ended.value))
    return {
      ok: false,
      failure: { code: 'tool_failed', message: `${call.tool.name} returned no { data }.` },
    };
  return { ok: true, result: ended.value };
}

/** The tool ran past its limit; the model may try again with less work. */
export const timedOut = ({ name, timeoutMs }: AnyTool): ToolEnding => ({
  ok: false,
  failure: {
    code: 'tool_timed_out',
    message: `${name} was stopped after ${timeoutMs} ms. Ask for less, or raise its limit.`,
  },
});

/** A tool that is told to stop has `graceMs` to end by itself; then it is left behind and its late result dropped. */
function withinLimits(
  call: PermittedCall,
  run: Run,
  controller: AbortController,
): Promise<Attempt<ToolResult<unknown>> | Limit> {
  const { tool, input } = call;
  if (run.signal.aborted) return Promise.resolve('aborted');
  const behavior = attemptNow<unknown>(() => tool.interruptBehavior());
  const stays = !behavior.ok || behavior.value !== 'cancel';
  return new Promise((resolve) => {
    const cancels: (() => void)[] = [];
    let limit: Limit | undefined;
    let isOver = false;
    let isDetached = false;
    const end = (ending: Attempt<ToolResult<unknown>> | Limit) => {
      isOver = true;
      for (const cancel of cancels) cancel();
      resolve(ending);
    };
    const stop = (reason: Limit) => {
      if (limit !== undefined) return;
      limit = reason;
      controller.abort();
      if (stays) cancels.push(run.clock.after(run.parts.graceMs, () => end(reason)));
      else end(reason);
    };
    const onAbort = () => stop('aborted');
    run.signal.addEventListener('abort', onAbort, { once: true });
    cancels.push(() => run.signal.removeEventListener('abort', onAbort));
    if (tool.timeoutMs !== Infinity)
      cancels.push(run.clock.after(tool.timeoutMs, () => stop('timed_out')));

    let workEnded = (): void => {};
    const work = new Promise<void>((settle) => (workEnded = settle));
    const detach = (result: ToolResult<unknown>): AbortSignal => {
      if (isOver || limit !== undefined)
        throw new Error('The call is over; there is nothing to hand over to the background.');
      end({ ok: true, value: result });
      isDetached = true;
      return run.parts.background(work, controller);
    };
    const context = createContext(call, run, controller, {
      userModified: call.userModified,
      detach,
    });
    // The scope's own signal never aborts here: the tool is told through its context and gets its grace.
    const running = attempt<ToolResult<unknown>>(
      () => tool.call(input, context, (data) => (isOver ? undefined : progress(data, call, run))),
      Infinity,
      { signal: neverAborts, clock: run.clock },
    );
    void Promise.resolve(running).then((ended) => {
      workEnded();
      if (isDetached) return;
      if (isOver)
        return run.trace?.({
          event: 'diagnostic',
          id: run.callId,
          tool: tool.name,
          stage: 'execute',
          code: 'late-result',
          message: 'a result came after the call was over and was dropped',
        });
      return end(limit && !ended.ok ? limit : ended);
    });
  });
}

function progress(data: AnyObject, call: PermittedCall, run: Run): void {
  const { hooks } = run.parts;
  if (hooks.progress.taps.length === 0) return;
  const json = frozenJson(data);
  if ('value' in json)
    void hooks.progress.collect({ toolUseID: call.toolUse.id, data: json.value as AnyObject }, run); // the data of an AnyObject
}

const isResult = (value: unknown): value is ToolResult<unknown> =>
  typeof value === 'object' && value !== null && 'data' in value;
