import {
  deny,
  type MappedCall,
  type PluginGate,
  type StartInput,
  type ToolUse,
} from '@toolgate/core';
import { combinePost } from './combine-post.ts';
import { combineAllows, denialOf } from './combine-request.ts';
import { combineRecheck, combineStart, textsOf } from './combine-start.ts';
import { handlerKey, type Handler } from './handler.ts';
import type { Occasion, Said } from './handler-runner.ts';
import type { ToolEvent } from './hook-events.ts';
import type { OpenRunner } from './open-runner.ts';
import { payloads } from './payload.ts';

const tapName = '@toolgate/hooks';
/** Handlers have limits of their own. */
const unlimited = { name: tapName, limitMs: Infinity };

/** Taps the stages of a gate: each event of the hook protocol that is about calls, where it belongs. */
export function tapStages(gate: PluginGate, open: OpenRunner): void {
  const { session } = open;
  const about = (
    event: ToolEvent,
    call: StartInput['call'] | MappedCall,
    payload: object,
  ): Occasion => ({
    event,
    cwd: call.cwd,
    payload,
    values: call.settings.values,
    toolUseId: call.toolUse.id,
    call,
  });
  const matching = (event: ToolEvent, call: StartInput['call'] | MappedCall) =>
    open.matching(event, call.settings, { tool: call.tool, agentId: call.agentId });

  tapStart(gate, open, (call) => about('PreToolUse', call, payloads.PreToolUse(call, session)));

  // An agent of a hook looks; whatever else it asks for is refused here.
  gate.hooks.opinions.tap(tapName, ({ agentId, effects }) =>
    open.isHookAgent(agentId) && !effects.readOnly
      ? deny('The agent of a hook may only read.')
      : undefined,
  );

  gate.hooks.prompt.tap({ ...unlimited, slot: 'hooks' }, async (input, { signal }) => {
    const { call } = input;
    const handlers = matching('PermissionRequest', call);
    const occasion = about('PermissionRequest', call, payloads.PermissionRequest(input, session));
    const running = open.run(occasion, handlers, signal);
    const said = await untilDenied(running);
    const denied = said.map(denialOf).find((answer) => answer !== undefined);
    if (denied) return { answer: denied, by: 'hook' as const };
    const { answer, overruled } = combineAllows(said, call);
    open.reportOverruled(overruled, 'input');
    return answer && { answer, by: 'hook' as const };
  });

  gate.hooks.permissionDenied.tap(unlimited, async (denied, { signal }) => {
    if (denied.by !== 'classifier') return undefined;
    const { call } = denied;
    const occasion = about('PermissionDenied', call, payloads.PermissionDenied(denied, session));
    const said = await Promise.all(open.run(occasion, matching('PermissionDenied', call), signal));
    const { message } = textsOf(said);
    const context = said.some(({ output }) => output.retry)
      ? 'A hook of the person allows you to try this call again.'
      : undefined;
    return context === undefined && message === undefined
      ? undefined
      : { ...(context !== undefined && { context }), ...(message !== undefined && { message }) };
  });

  for (const event of ['PostToolUse', 'PostToolUseFailure'] as const) {
    const hook = event === 'PostToolUse' ? gate.hooks.postToolUse : gate.hooks.postToolUseFailure;
    hook.tap(unlimited, async (call, { signal }) => {
      const occasion = about(event, call, payloads[event](call, session));
      const said = await Promise.all(open.run(occasion, matching(event, call), signal));
      const { answer, overruled } = combinePost(said);
      open.reportOverruled(overruled, 'output');
      return answer;
    });
  }

  gate.hooks.postToolBatch.tap(unlimited, async (batch, { signal }) => {
    const { settings, cwd, context } = batch;
    const { agentId } = context;
    const handlers = open.matching('PostToolBatch', settings, { agentId });
    const payload = payloads.PostToolBatch(batch, session);
    const occasion = { event: 'PostToolBatch' as const, cwd, payload, values: settings.values };
    const said = await Promise.all(open.run(occasion, handlers, signal));
    // What hooks in the background said goes to the session's own model, not to an agent's.
    const later = agentId === undefined ? open.takeLater() : undefined;
    return batchAnswer(said, later);
  });
}

/** PreToolUse: the first round, and the second one on an input that a rewrite gave. */
function tapStart(
  gate: PluginGate,
  open: OpenRunner,
  about: (call: StartInput['call']) => Occasion,
): void {
  // Who rewrote a call, for the second round. The model's own block is the one thing that stays the same.
  const rewriters = new WeakMap<ToolUse, string>();
  gate.hooks.start.tap({ ...unlimited, rechecks: true }, async ({ call, recheck }, { signal }) => {
    const handlers = open.matching('PreToolUse', call.settings, {
      tool: call.tool,
      agentId: call.agentId,
    });
    const run = (chosen: readonly Handler[]) => Promise.all(open.run(about(call), chosen, signal));
    if (recheck) {
      const rewriter = recheck.rewrittenBy === tapName ? rewriters.get(call.toolUse) : undefined;
      const others = handlers.filter(
        (handler) => !handler.isAsync && handlerKey(handler) !== rewriter,
      );
      return combineRecheck(await run(others), call);
    }
    const { answer, rewriter, overruled } = combineStart(await run(handlers), call);
    if (rewriter) rewriters.set(call.toolUse, handlerKey(rewriter));
    open.reportOverruled(overruled, 'input');
    return answer;
  });
}

/** Waits until one said no, or all have ended: a deny counts at once, an allow when nobody can deny any more. */
async function untilDenied(running: readonly Promise<Said>[]): Promise<readonly Said[]> {
  return new Promise((resolve, reject) => {
    for (const one of running)
      one.then(
        (said) => (denialOf(said) ? resolve([said]) : undefined),
        (error: unknown) => reject(error instanceof Error ? error : new Error(String(error))),
      );
    // oxlint-disable-next-line promise/no-callback-in-promise -- settles this very promise
    Promise.all(running).then(resolve, () => undefined);
  });
}

/** A block of a batch ends the loop before the model is asked again. */
function batchAnswer(said: readonly Said[], later: string | undefined) {
  const texts = textsOf(said);
  const block = said.find(({ output }) => output.decision === 'deny')?.output;
  const stop =
    texts.preventContinuation ??
    (block && { stopReason: block.reason ?? 'A hook ended the turn.' });
  const context = [texts.context, later].filter((text) => text !== undefined).join('\n');
  return {
    ...(context !== '' && { context }),
    ...(texts.message !== undefined && { message: texts.message }),
    ...(stop && { preventContinuation: stop }),
  };
}
