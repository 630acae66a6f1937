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
