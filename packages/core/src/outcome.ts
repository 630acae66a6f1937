import type { FailureCode, RefusalCode } from './failure.ts';
import type { ContentBlock, ToolResultBlock } from './messages.ts';
import type { Decision } from './opinion.ts';
import type { ToolResult } from './tool.ts';

/** How one call ended. `block` is the one `tool_result`; `after` goes behind all blocks of the turn. */
export interface CallOutcome {
  readonly block: ToolResultBlock;
  readonly after: readonly ContentBlock[];
  readonly newMessages: NonNullable<ToolResult<unknown>['newMessages']>;
  /** Set when a hook lets the call stand and wants the loop to end. */
  readonly stop?: { readonly reason: string };
  readonly outcome: 'ok' | 'refused' | 'failed' | 'aborted' | 'answered';
  readonly code?: RefusalCode | FailureCode;
  /** The number a tool's `validateInput` gave with its refusal. */
  readonly errorCode?: number;
  /** Absent when the call left before stage 4 decided. */
  readonly decision?: Decision;
  readonly durationMs: number;
}
