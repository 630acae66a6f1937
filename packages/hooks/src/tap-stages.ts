import {
  deny,
  type BatchInput,
  type DeniedInput,
  type MappedCall,
  type PluginGate,
  type PromptInput,
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
type AnyCall = StartInput['call'] | MappedCall;

/** Taps the stages of a gate: each event of the hook protocol that is about calls, where it belongs. */
export function tapStages(gate: PluginGate, open: OpenRunner): void {
  // Who rewrote a call, for the second round. The model's own block is the one thing that stays the same.
  const rewriters = new WeakMap<ToolUse, string>();
  const matching = (event: ToolEvent, { settings, tool, agentId }: AnyCall) =>
    open.matching(event, settings, { tool, agentId });

  // Where no handler matches, a tap answers at once: a promise would cost more than the rest.
  gate.hooks.start.tap({ ...unlimited, rechecks: true }, (input, { signal }) => {
    const handlers = matching('PreToolUse', input.call);
    return handlers.length > 0 ? before(open, rewriters, input, handlers, signal) : undefined;
  });

  // An agent of a hook looks; whatever else it asks for is refused here.
  gate.hooks.opinions.tap(tapName, ({ agentId, effects }) =>
    open.isHookAgent(agentId) && !effects.readOnly
      ? deny('The agent of a hook may only read.')
      : undefined,
  );

  gate.hooks.prompt.tap({ ...unlimited, slot: 'hooks' }, (input, { signal }) => {
    const handlers = matching('PermissionRequest', input.call);
    return handlers.length > 0 ? answerRequest(open, input, handlers, signal) : undefined;
  });

  gate.hooks.permissionDenied.tap(unlimited, (denied, { signal }) => {
    if (denied.by !== 'classifier') return undefined;
    const handlers = matching('PermissionDenied', denied.call);
    return handlers.length > 0 ? hearDenial(open, denied, handlers, signal) : undefined;
  });

  for (const event of ['PostToolUse', 'PostToolUseFailure'] as const) {
    const hook = event === 'PostToolUse' ? gate.hooks.postToolUse : gate.hooks.postToolUseFailure;
    hook.tap(unlimited, (call, { signal }) => {
      const handlers = matching(event, call);
      return handlers.length > 0 ? after(open, event, call, handlers, signal) : undefined;
    });
  }

  gate.hooks.postToolBatch.tap(unlimited, (batch, { signal }) => afterAll(open, batch, signal));
}

/** A moment of one call. */
const momentOf = (event: ToolEvent, call: AnyCall, payload: object): Occasion => ({
  event,
  cwd: call.cwd,
  payload,
  values: call.settings.values,
  toolUseId: call.toolUse.id,
  call,
});

/** PreToolUse: the first round, and the second one on an input that a rewrite gave. */
async function before(
  open: OpenRunner,
  rewriters: WeakMap<ToolUse, string>,
  { call, recheck }: StartInput,
  handlers: readonly Handler[],
  signal: AbortSignal,
) {
  const moment = momentOf('PreToolUse', call, payloads.PreToolUse(call, open.session));
  if (recheck) {
    const rewriter = recheck.rewrittenBy === tapName ? rewriters.get(call.toolUse) : undefined;
    const others = handlers.filter(
      (handler) => !handler.isAsync && handlerKey(handler) !== rewriter,
    );
    return combineRecheck(await Promise.all(open.run(moment, others, signal)), call);
  }
  const said = await Promise.all(open.run(moment, handlers, signal));
  const { answer, rewriter, overruled } = combineStart(said, call);
  if (rewriter) rewriters.set(call.toolUse, handlerKey(rewriter));
  open.reportOverruled(overruled, 'input');
  return answer;
}

/** PermissionRequest: a deny counts at once, an allow when nobody can deny any more (security rule 4). */
async function answerRequest(
  open: OpenRunner,
  input: PromptInput,
  handlers: readonly Handler[],
  signal: AbortSignal,
) {
  const { call } = input;
  const moment = momentOf(
    'PermissionRequest',
    call,
    payloads.PermissionRequest(input, open.session),
  );
  const said = await untilDenied(open.run(moment, handlers, signal));
  const denied = said.map(denialOf).find((answer) => answer !== undefined);
  if (denied) return { answer: denied, by: 'hook' as const };
  const { answer, overruled } = combineAllows(said, call);
  open.reportOverruled(overruled, 'input');
  return answer && { answer, by: 'hook' as const };
}

/** Waits until one said no, or all have ended. */
function untilDenied(running: readonly Promise<Said>[]): Promise<readonly Said[]> {
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

/** PermissionDenied: `retry` adds a sentence; nothing is decided again (security rule 17). */
async function hearDenial(
  open: OpenRunner,
  denied: DeniedInput,
  handlers: readonly Handler[],
  signal: AbortSignal,
) {
  const { call } = denied;
  const moment = momentOf(
    'PermissionDenied',
    call,
    payloads.PermissionDenied(denied, open.session),
  );
  const said = await Promise.all(open.run(moment, handlers, signal));
  const { message } = textsOf(said);
  return {
    ...(said.some(({ output }) => output.retry) && {
      context: 'A hook of the person allows you to try this call again.',
    }),
    ...(message !== undefined && { message }),
  };
}

/** PostToolUse and PostToolUseFailure. */
async function after(
  open: OpenRunner,
  event: 'PostToolUse' | 'PostToolUseFailure',
  call: MappedCall,
  handlers: readonly Handler[],
  signal: AbortSignal,
) {
  const moment = momentOf(event, call, payloads[event](call, open.session));
  const { answer, overruled } = combinePost(await Promise.all(open.run(moment, handlers, signal)));
  open.reportOverruled(overruled, 'output');
  return answer;
}

/** PostToolBatch: a block ends the loop before the model is asked again. */
async function afterAll(open: OpenRunner, batch: BatchInput, signal: AbortSignal) {
  const { settings, cwd, context } = batch;
  const { agentId } = context;
  const payload = payloads.PostToolBatch(batch, open.session);
  const moment = { event: 'PostToolBatch' as const, cwd, payload, values: settings.values };
  const handlers = open.matching('PostToolBatch', settings, { agentId });
  const said = await Promise.all(open.run(moment, handlers, signal));
  // What hooks in the background said goes to the session's own model, not to an agent's.
  const later = agentId === undefined ? open.takeLater() : undefined;
  const texts = textsOf(said);
  const block = said.find(({ output }) => output.decision === 'deny')?.output;
  const stop =
    texts.preventContinuation ??
    (block && { stopReason: block.reason ?? 'A hook ended the turn.' });
  const added = [texts.context, later].filter((text) => text !== undefined).join('\n');
  return {
    ...(added !== '' && { context: added }),
    ...(texts.message !== undefined && { message: texts.message }),
    ...(stop && { preventContinuation: stop }),
  };
}
