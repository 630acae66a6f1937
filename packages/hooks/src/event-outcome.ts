import { unblockableEvents, type HookEvent } from './hook-events.ts';
import type { Said } from './handler-runner.ts';
import { textsOf } from './combine-start.ts';

/** What all hooks of an event that the agent fired come to. */
export interface EventOutcome {
  /** Set when a hook blocks what was about to happen; for Stop and SubagentStop: what to do next instead. */
  readonly blocked?: { readonly reason: string };
  /** Text for the model. */
  readonly context?: string;
  /** Text for people. */
  readonly message?: string;
  /** Set when a hook wants the agent to end. */
  readonly preventContinuation?: { readonly stopReason: string };
  /** Shell lines that hooks wrote to `CLAUDE_ENV_FILE`, such as `export A=b`, for the agent to run before commands if it trusts them. */
  readonly environment?: string;
  /** The event-specific fields of the answers, such as `sessionTitle`; of several the last in configuration order. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Read elsewhere, or no field that anybody should hand on. */
const notFields = new Set(['hookEventName', 'additionalContext', '__proto__']);

export function outcomeOfEvent(
  event: HookEvent,
  said: readonly Said[],
  environment = '',
): EventOutcome {
  const reasons = said.flatMap(({ output }) =>
    output.decision === 'deny' && !unblockableEvents.has(event)
      ? [output.reason ?? 'A hook blocked this.']
      : [],
  );
  const fields = Object.fromEntries(
    said
      .flatMap(({ output }) => Object.entries(output.fields ?? {}))
      .filter(([name]) => !notFields.has(name)),
  );
  const { context, message, preventContinuation } = textsOf(said);
  return {
    ...(reasons.length > 0 && { blocked: { reason: reasons.join('\n') } }),
    ...(context !== undefined && { context }),
    ...(message !== undefined && { message }),
    ...(preventContinuation && { preventContinuation }),
    ...(environment !== '' && { environment }),
    fields,
  };
}
