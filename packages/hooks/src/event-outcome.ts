import type { HookEvent } from './hook-events.ts';
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
  /** The event-specific fields of the answers, such as `sessionTitle`; of several the last in configuration order. */
  readonly fields: Readonly<Record<string, unknown>>;
}

export function outcomeOfEvent(event: HookEvent, said: readonly Said[]): EventOutcome {
  const reasons = said.flatMap(({ output }) =>
    output.decision === 'deny' ? [output.reason ?? 'A hook blocked this.'] : [],
  );
  const fields: Record<string, unknown> = {};
  for (const { output } of said)
    for (const [name, value] of Object.entries(output.fields ?? {}))
      if (name !== 'hookEventName' && name !== 'additionalContext') fields[name] = value;
  const { context, message, preventContinuation } = textsOf(said);
  return {
    ...(reasons.length > 0 && { blocked: { reason: reasons.join('\n') } }),
    ...(context !== undefined && { context }),
    ...(message !== undefined && { message }),
    ...(preventContinuation && { preventContinuation }),
    fields,
  };
}
