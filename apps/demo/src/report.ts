import type { CallOutcome, StageName, TraceEvent } from '@toolgate/core';
import type { Expectation, ScriptedCall } from './script.ts';

const stages: readonly StageName[] = [
  'lookup',
  'validate',
  'start',
  'authorize',
  'execute',
  'result',
  'post',
  'emit',
];

/** How one call fared. */
export interface CallReport {
  readonly turn: number;
  readonly tool: string;
  readonly input: unknown;
  readonly stages: Readonly<Partial<Record<StageName, string>>>;
  readonly outcome: CallOutcome['outcome'];
  readonly code?: string;
  readonly text: string;
  readonly durationMs: number;
  readonly asExpected: boolean;
}

/** Puts together what the trace and the outcome say of a call. */
export function reportOf(
  turn: number,
  call: ScriptedCall,
  outcome: CallOutcome,
  events: readonly TraceEvent[],
  expected: Expectation,
): CallReport {
  const { content } = outcome.block;
  const text =
    typeof content === 'string'
      ? content
      : content
          .map((block) => ('text' in block ? String(block.text) : `[${block.type}]`))
          .join('\n');
  const ended = events.flatMap(({ event, stage, outcome: how }) =>
    event === 'stage-end' && stage ? [[stage, how]] : [],
  );
  const isRight =
    outcome.outcome === expected.outcome &&
    (expected.code ?? outcome.code) === outcome.code &&
    text.includes(expected.contains ?? '');
  return {
    turn,
    tool: call.name,
    input: call.input,
    stages: Object.fromEntries(ended),
    outcome: outcome.outcome,
    ...(outcome.code && { code: outcome.code }),
    text,
    durationMs: Math.round(outcome.durationMs),
    asExpected: isRight,
  };
}

const widths = { tool: 6, input: 44, stage: 10 };
export const heading = `  ${' '.repeat(widths.tool + widths.input + 2)}${stages.map((stage) => stage.padEnd(widths.stage)).join('')}`;

/** One line for the stages and one for what came of it. */
export function lineOf(report: CallReport): string {
  const marks = stages.map((stage) => mark(report.stages[stage]).padEnd(widths.stage)).join('');
  const input = cut(JSON.stringify(report.input), widths.input);
  const code = report.code ? ` (${report.code})` : '';
  const verdict = report.asExpected ? '' : '   NOT AS THE SCRIPT SAYS';
  const lines = report.text.replace(/<\/?tool_use_error>/g, '').split('\n');
  // Of a stored result the note about it tells more than its first line.
  const told =
    lines.find((line) => line.startsWith('[The result is')) ??
    lines.find((line) => line.trim() !== '') ??
    '';
  return `  ${report.tool.padEnd(widths.tool)} ${input.padEnd(widths.input)} ${marks}\n         ${report.outcome}${code}, ${report.durationMs} ms: ${cut(told.trim(), 100)}${verdict}`;
}

const mark = (ended: string | undefined): string =>
  ended === undefined ? '·' : ended === 'ok' ? '✓' : '✗';
const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;
