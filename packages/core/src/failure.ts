/** The eight stages, by name. */
export type StageName =
  | 'lookup'
  | 'validate'
  | 'start'
  | 'authorize'
  | 'execute'
  | 'result'
  | 'post'
  | 'emit';

/** Nothing ran. Every code has an entry in docs/reference/failures.md. */
export const refusalCodes = [
  'tool_not_found',
  'input_invalid',
  'schema_invalid',
  'permission_denied',
  'changed_since_approval',
  'duplicate_id',
  'id_reused',
  'outcome_unknown',
  'call_aborted',
  'plugin_failed',
  'internal_error',
] as const;
/** One of {@link refusalCodes}: nothing ran. */
export type RefusalCode = (typeof refusalCodes)[number];

/** Something ran, or may have. */
export const failureCodes = [
  'tool_failed',
  'tool_timed_out',
  'tool_aborted',
  'executor_failed',
  'result_withheld',
] as const;
/** One of {@link failureCodes}: something ran, or may have. */
export type FailureCode = (typeof failureCodes)[number];

/** Why a call did not run. `message` is written for the model and says what to do next. */
export interface Refusal {
  readonly code: RefusalCode;
  readonly stage: StageName;
  readonly message: string;
  /** The number a tool's `validateInput` gave. */
  readonly errorCode?: number;
}

/** Why a call that ran has no output. `cause` is what was thrown; it never reaches the model or telemetry as it is. */
export interface ToolFailure {
  readonly code: FailureCode;
  readonly message: string;
  readonly cause?: unknown;
}

const passing = new Set<unknown>(
  'EAI_AGAIN EBUSY ECONNREFUSED ECONNRESET EHOSTUNREACH ENETUNREACH EPIPE ETIMEDOUT'.split(' '),
);

/** True for a failure that may not come again: a time limit, a network's, or one whose error says `retryable: true`. */
export function isRetryable({ code, cause }: ToolFailure): boolean {
  if (code === 'tool_timed_out') return true;
  try {
    const error = Object(cause) as { readonly retryable?: unknown; readonly code?: unknown }; // only read
    return error.retryable === true || passing.has(error.code);
  } catch {
    return false;
  }
}

/** The message of anything thrown, never throwing itself; objects with hostile getters included. */
export function messageOf(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return String(thrown.message) || thrown.name;
    if (typeof thrown === 'string') return thrown;
    return `a value of type ${typeof thrown} was thrown`;
  } catch {
    return 'something unreadable was thrown';
  }
}

/** The one place where a foreign throw becomes a value. */
export function toFailure(code: FailureCode, thrown: unknown): ToolFailure {
  return { code, message: messageOf(thrown), cause: thrown };
}
