import type { Diagnostic } from '@toolgate/core';
import { visibleLine } from './bounded-text.ts';
import type { HandlerEnd } from './handler-end.ts';
import { labelOf, type Handler } from './handler.ts';
import type { Occasion } from './handler-runner.ts';
import type { HookOutput } from './hook-output.ts';
import type { HookEvent } from './hook-events.ts';

/** How one handler of one event ended: the record that `onResult` gets. */
export interface HookResult {
  /** What the handler is, in one line, such as its command. */
  readonly hook: string;
  readonly outcome: 'success' | 'blocking' | 'non_blocking_error' | 'cancelled';
  /** Text of the handler for people, or what was wrong with it. */
  readonly message?: string;
  readonly blockingError?: { readonly blockingError: string; readonly command: string };
  readonly preventContinuation?: boolean;
  readonly stopReason?: string;
  readonly event: HookEvent;
  readonly toolUseId?: string;
  readonly toolName?: string;
  readonly durationMs: number;
  /** Of a process. */
  readonly exitCode?: number;
  /** The first line of a process's standard error. */
  readonly stderr?: string;
}

/** How a handler's work ended, and what was read from it. */
interface Finished {
  readonly end: HandlerEnd;
  readonly output: HookOutput;
  readonly problems: readonly Pick<Diagnostic, 'message' | 'severity'>[];
  readonly durationMs: number;
}

/** The record of one handler. */
export function resultOf(
  handler: Handler,
  { event, toolUseId, call }: Pick<Occasion, 'event' | 'toolUseId' | 'call'>,
  { end, output, problems, durationMs }: Finished,
): HookResult {
  const hook = labelOf(handler);
  const fault = problems.find(({ severity }) => severity === 'error');
  const isBlocking = output.decision === 'deny';
  const isCancelled = end.state === 'aborted' || end.state === 'timed-out';
  const message = output.message ?? fault?.message;
  const stderr = end.state === 'ended' ? visibleLine(end.stderr) : '';
  return {
    hook,
    outcome: isBlocking
      ? 'blocking'
      : isCancelled
        ? 'cancelled'
        : fault
          ? 'non_blocking_error'
          : 'success',
    ...(message !== undefined && { message }),
    ...(isBlocking && { blockingError: { blockingError: output.reason ?? '', command: hook } }),
    ...(output.stopReason !== undefined && {
      preventContinuation: true,
      stopReason: output.stopReason,
    }),
    event,
    ...(toolUseId !== undefined && { toolUseId }),
    ...(call && { toolName: call.tool.name }),
    durationMs,
    ...(end.state === 'ended' && handler.type === 'command' && { exitCode: end.exitCode }),
    ...(stderr !== '' && { stderr }),
  };
}
