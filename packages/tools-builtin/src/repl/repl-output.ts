import type { MappedResult } from '@toolgate/core';

/** What JavaScript printed and came to; hooks get it as `tool_response`. */
export interface ReplOutput {
  readonly stdout: string;
  readonly stderr: string;
  /** The value of the last expression, as text; absent for `undefined`. */
  readonly value?: string;
  /** What was thrown. */
  readonly error?: string;
  /** Stopped from outside. */
  readonly interrupted: boolean;
  /** The session is over, with this code; the next call starts a new one. */
  readonly exitCode?: number;
  /** The time limit that stopped it. */
  readonly timedOutAfterMs?: number;
  /** Bytes of the two streams that were not kept. */
  readonly cutBytes?: number;
  /** What earlier calls defined was gone. */
  readonly isNewSession?: boolean;
  /** Processes that could not be ended. */
  readonly survivors?: readonly number[];
  /** What it ran in, where a sandbox was asked for: the driver's name, or `none` and why. */
  readonly sandbox?: string;
  readonly noSandbox?: string;
}

/** What the model reads. */
export function mapReplOutput(data: ReplOutput): MappedResult {
  const { stdout, stderr, value, error, survivors, noSandbox } = data;
  const parts = [
    headlineOf(data),
    stdout.replace(/\n+$/, ''),
    stderr.replace(/\n+$/, ''),
    value,
    error,
    data.isNewSession && '(A new session: what was defined before is gone.)',
    survivors && `(Still running: process ${survivors.join(', ')}.)`,
    noSandbox !== undefined && `(It ran outside the sandbox: ${noSandbox.replace(/\.$/, '')}.)`,
  ].filter((part) => typeof part === 'string' && part !== '');
  return {
    content: parts.join('\n') || '(No output, and the value undefined.)',
    ...((error !== undefined || data.exitCode !== undefined) && { is_error: true }),
  };
}

function headlineOf({ exitCode, timedOutAfterMs, interrupted }: ReplOutput): string | undefined {
  if (exitCode === undefined) return undefined;
  const gone = 'The session is over; the next call starts a new one.';
  if (timedOutAfterMs !== undefined)
    return `Stopped after ${timedOutAfterMs} ms, its time limit. ${gone}`;
  return interrupted ? `Interrupted. ${gone}` : `The process ended with code ${exitCode}. ${gone}`;
}
