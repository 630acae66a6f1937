import type { MappedResult } from '@toolgate/core';

/** What a command printed and how it ended; hooks get it as `tool_response`. */
export interface BashOutput {
  readonly stdout: string;
  readonly stderr: string;
  /** Stopped from outside. */
  readonly interrupted: boolean;
  /** As the shell counts: 128 + signal for a command ended by a signal. Undefined while it runs on. */
  readonly exitCode?: number;
  /** The time limit that stopped it. */
  readonly timedOutAfterMs?: number;
  /** What a code other than 0 says when it is no failure. */
  readonly returnCodeInterpretation?: string;
  /** Bytes of the two streams that are not in `stdout` and `stderr`. */
  readonly cutBytes?: number;
  /** It printed more than any command may, and was stopped. */
  readonly flooded?: boolean;
  /** The task it goes on as. */
  readonly backgroundTaskId?: string;
  /** A file with all of the output, up to a cap, where `stdout` and `stderr` do not hold it; and its bytes. */
  readonly persistedOutputPath?: string;
  readonly persistedOutputSize?: number;
  /** Processes it had started in the background were ended with it. */
  readonly backgroundEnded?: boolean;
  /** What it ran in, where a sandbox was asked for: the driver's name, or `none` and why. */
  readonly sandbox?: string;
  readonly noSandbox?: string;
  /** Processes that could not be ended. */
  readonly survivors?: readonly number[];
  /** The working directory that later commands start in, where it changed. */
  readonly cwd?: string;
  /** Where the command ended, outside the working directories; later commands do not start there. */
  readonly cwdRefused?: string;
}

/** Most characters of a failed command's output; its start and its end are what tells. */
const maxFailureChars = 10_000;

/** Most characters shown of output that is kept in a file. */
const previewChars = 1_000;

/** What the model reads. A failure starts with `Exit code N`. */
export function mapBashOutput(data: BashOutput): MappedResult {
  if (data.backgroundTaskId !== undefined) return { content: backgroundText(data) };
  const output = [data.stdout, data.stderr]
    .map((text) => text.replace(/\n+$/, ''))
    .filter(Boolean)
    .join('\n');
  const headline = headlineOf(data);
  const notes = notesOf(data);
  if (headline === undefined) {
    const shown = data.persistedOutputPath === undefined ? output : output.slice(0, previewChars);
    return { content: [shown, ...notes].filter(Boolean).join('\n') || '(No output.)' };
  }
  return {
    content: [headline, middleCut(output), ...notes].filter(Boolean).join('\n'),
    is_error: true,
  };
}

function backgroundText({ timedOutAfterMs, backgroundTaskId, ...data }: BashOutput): string {
  const how =
    timedOutAfterMs === undefined
      ? 'The command runs in the background'
      : `The command did not end within ${timedOutAfterMs} ms and goes on in the background`;
  const where =
    data.persistedOutputPath === undefined
      ? ''
      : ` Its output goes to ${data.persistedOutputPath}.`;
  const soFar = [data.stdout, data.stderr].filter(Boolean).join('\n').slice(-previewChars);
  return [
    `${how}, as task ${backgroundTaskId}.${where} TaskOutput shows it, TaskStop ends it; you are told when it has ended.`,
    ...(soFar ? [`So far:\n${soFar}`] : []),
  ].join('\n');
}

function headlineOf({ exitCode = 0, ...data }: BashOutput): string | undefined {
  if (data.timedOutAfterMs !== undefined)
    return `Exit code ${exitCode}\nStopped after ${data.timedOutAfterMs} ms, its time limit. Do less at a time, or give a larger timeout.`;
  if (data.interrupted) return `Exit code ${exitCode}\nInterrupted.`;
  if (data.flooded) return `Exit code ${exitCode}\nStopped: it printed more than any command may.`;
  if (exitCode === 0 || data.returnCodeInterpretation) return undefined;
  return `Exit code ${exitCode}`;
}

function notesOf(data: BashOutput): readonly string[] {
  const notes = [
    data.returnCodeInterpretation && `(${data.returnCodeInterpretation}.)`,
    data.backgroundEnded &&
      '(Processes it left in the background were ended; to have a command run on, set run_in_background.)',
    data.persistedOutputPath !== undefined &&
      `(The output has ${data.persistedOutputSize ?? 0} bytes. It is in ${data.persistedOutputPath}; read it in parts.)`,
    data.noSandbox !== undefined &&
      `(It ran outside the sandbox: ${data.noSandbox.replace(/\.$/, '')}.)`,
    data.survivors && `(Still running: process ${data.survivors.join(', ')}.)`,
    data.cwdRefused &&
      `(The command ended in ${data.cwdRefused}, outside the working directories; the working directory was reset.)`,
  ];
  return notes.filter((note) => typeof note === 'string' && note !== '') as readonly string[]; // filtered
}

function middleCut(text: string): string {
  if (text.length <= maxFailureChars) return text;
  const half = maxFailureChars / 2;
  const left = text.length - maxFailureChars;
  return `${text.slice(0, half)}\n… [${left} characters left out] …\n${text.slice(-half)}`;
}
