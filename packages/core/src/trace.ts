import type { StageName } from './failure.ts';

/**
 * What happened, without inputs, outputs, paths or messages of foreign code. `ms` is a duration.
 * `diagnostic` events carry `message`: a line of ours about something ignored, dropped or failed.
 * `hook-end` says how a hook's handler ended; only its `stderr` is foreign.
 */
export interface TraceEvent {
  readonly event:
    | 'call-start'
    | 'call-end'
    | 'stage-start'
    | 'stage-end'
    | 'tap-start'
    | 'tap-end'
    | 'decision'
    | 'retry'
    | 'diagnostic'
    | 'hook-end';
  readonly id: string;
  readonly tool: string;
  readonly stage?: StageName;
  readonly hook?: string;
  readonly tap?: string;
  readonly plugin?: string;
  readonly outcome?: string;
  readonly code?: string;
  readonly message?: string;
  readonly ms?: number;
  /** Of `retry`: which attempt begins, from 2 up. */
  readonly attempt?: number;
  /** Of `hook-end`: the exit code of a hook's process, and the first line of its standard error, which is foreign text. */
  readonly exitCode?: number;
  readonly stderr?: string;
}
