import type { Diagnostic } from '@toolgate/core';
import type { Handler, HookEvent } from './handler.ts';
import { readDocument, type HookOutput, type ReadDocument } from './hook-output.ts';
import { denyBesideNoise, denyIn, type Found } from './misplaced-deny.ts';
import type { CommandEnd } from './run-command.ts';
import { boundedText, visibleLine } from './bounded-text.ts';

type Problem = Pick<Diagnostic, 'code' | 'message' | 'severity'>;

/** What a handler's run comes to, and what was wrong with it. */
export interface HandlerAnswer {
  readonly output: HookOutput;
  readonly problems: readonly Problem[];
}
type Ended = Extract<CommandEnd, { state: 'ended' }>;

const nothing: HandlerAnswer = { output: {}, problems: [] };

/** Reads how a handler's command ended, by exit code and output (protocol 1.7 and 1.8). */
export function readOutput(event: HookEvent, handler: Handler, end: CommandEnd): HandlerAnswer {
  switch (end.state) {
    case 'aborted':
      return nothing;
    case 'timed-out':
      return failed(handler, {
        code: 'hook-timed-out',
        message: `timed out after ${handler.timeoutMs / 1000} s and was ended with its children`,
      });
    case 'not-started':
      return failed(handler, {
        code: 'hook-not-started',
        message: `could not be started: ${end.message}`,
      });
    case 'ended':
      return readEnded(event, handler, end);
  }
}

function readEnded(event: HookEvent, handler: Handler, end: Ended): HandlerAnswer {
  const document: ReadDocument = end.cut ? { kind: 'text' } : readDocument(event, end.stdout);
  const found = searchDeny(event, end, document);
  if (end.exitCode === 2) return blocked(end, document, found);
  if (found.kind === 'deny') return misplaced(event, found.deny.reason);
  if (document.kind === 'answer') {
    if (end.exitCode !== 0 && handler.onFailure === 'block' && document.output.decision !== 'deny')
      return failed(handler, exitProblem(end));
    if (isDecisionMisplaced(document.object))
      return failed(
        handler,
        invalidOutput(
          'its "permissionDecision" must stand in "hookSpecificOutput", where it is read',
        ),
      );
    const output = end.exitCode === 0 ? document.output : withoutConsent(document.output);
    return {
      output: bounded(output),
      problems: [
        ...noteDefer(output),
        ...noteMisplaced(document.object),
        ...noteNoConsent(document.output, output, end),
      ],
    };
  }
  if (document.kind === 'invalid') return failed(handler, invalidOutput(document.problem));
  if (found.kind === 'unusable') return failed(handler, invalidOutput(found.problem));
  return end.exitCode === 0 ? nothing : failed(handler, exitProblem(end));
}

/** A deny that the protocol's own fields do not give: in the answer's object, beside noise, or on standard error. */
function searchDeny(event: HookEvent, end: Ended, document: ReadDocument): Found {
  if (document.kind === 'answer' && document.output.decision === 'deny') return { kind: 'nothing' };
  if ('object' in document && document.object) {
    const deny = denyIn(document.object, event);
    return deny ? { kind: 'deny', deny } : { kind: 'nothing' };
  }
  const inOutput = denyBesideNoise(end.stdout, event);
  return inOutput.kind === 'nothing' ? denyBesideNoise(end.stderr, event) : inOutput;
}

/** Exit code 2. The reason is the JSON's blocking reason, else standard error, else whatever text there is. */
function blocked(end: Ended, document: ReadDocument, found: Found): HandlerAnswer {
  const output = document.kind === 'answer' ? document.output : {};
  const blocking = output.decision === 'deny' ? output.reason : undefined;
  const inPlace = found.kind === 'deny' ? found.deny.reason : undefined;
  const reason = [blocking, inPlace, end.stderr, output.reason]
    .map((text) => text?.trim() ?? '')
    .find((text) => text !== '');
  const { context, message, stopReason } = output;
  return {
    output: bounded({
      decision: 'deny',
      reason: reason ?? 'A hook blocked this without saying why.',
      ...(context !== undefined && { context }),
      ...(message !== undefined && { message }),
      ...(stopReason !== undefined && { stopReason }),
    }),
    problems: [],
  };
}

const misplaced = (
  event: HookEvent,
  reason = 'A hook denied this without saying why.',
): HandlerAnswer => ({
  output: bounded({ decision: 'deny', reason }),
  problems: [
    {
      code: 'hook-decision-misplaced',
      severity: 'warning',
      message: `said deny in a form or place that is not the protocol's; it was taken. Print exactly one JSON object: ${denyForm[event]}.`,
    },
  ],
});
const blockForm = '{"decision":"block","reason":"…"}';
const denyForm: Readonly<Record<HookEvent, string>> = {
  PreToolUse:
    '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"…"}}',
  PostToolUse: blockForm,
  PostToolUseFailure: blockForm,
};

/** A failed handler is never consent: whatever it said is dropped (security rule 27). */
function failed(handler: Handler, problem: Omit<Problem, 'severity'>): HandlerAnswer {
  const blocks = handler.onFailure === 'block';
  const then = blocks ? 'It is set to block, so it blocked.' : 'It decided nothing.';
  return {
    output: blocks
      ? {
          decision: 'deny',
          reason: 'A hook that guards this call failed, and it is set to block then.',
        }
      : {},
    problems: [{ ...problem, severity: 'error', message: `${problem.message}. ${then}` }],
  };
}

/** What a handler that failed may still say: a deny, an ask, texts, the wish to stop (security rule 27). */
function withoutConsent(output: HookOutput): HookOutput {
  const consent = output.decision === 'allow' ? ['decision', 'reason'] : [];
  const dropped = new Set(['updatedInput', 'updatedOutput', ...consent]);
  return Object.fromEntries(Object.entries(output).filter(([name]) => !dropped.has(name)));
}

function noteNoConsent(said: HookOutput, taken: HookOutput, end: Ended): readonly Problem[] {
  const names = ['decision', 'updatedInput', 'updatedOutput'] as const;
  if (names.every((name) => said[name] === taken[name])) return [];
  const { code, message } = exitProblem(end);
  return [{ code, severity: 'error', message: `${message}. Its allow or rewrite was not taken.` }];
}

const invalidOutput = (problem: string) => ({
  code: 'hook-output-invalid',
  message: `failed: ${problem}`,
});

function exitProblem({ exitCode, stderr }: Ended): Omit<Problem, 'severity'> {
  const line = visibleLine(stderr);
  const said = line === '' ? '' : `: ${line}`;
  return exitCode === 127 || exitCode === 126
    ? { code: 'hook-not-started', message: `could not be run (exit code ${exitCode})${said}` }
    : { code: 'hook-failed', message: `failed with non-blocking status code ${exitCode}${said}` };
}

const noteDefer = ({ decision }: HookOutput): readonly Problem[] =>
  decision === 'defer'
    ? [
        {
          code: 'hook-unsupported',
          severity: 'warning',
          message: 'said "defer", which is not supported yet and counts as "ask"',
        },
      ]
    : [];

const isDecisionMisplaced = (object: object) => 'permissionDecision' in object;

/** Fields that were meant and stand where nobody reads them. */
function noteMisplaced(object: object): readonly Problem[] {
  const names = ['updatedInput', 'additionalContext', 'updatedToolOutput'].filter(
    (name) => name in object,
  );
  return names.map((name) => ({
    code: 'hook-decision-misplaced',
    severity: 'warning',
    message: `gave "${name}" outside "hookSpecificOutput", where it is not read`,
  }));
}

/** The texts of an answer, each within the protocol's limit. */
function bounded(output: HookOutput): HookOutput {
  const texts = ['reason', 'context', 'message', 'stopReason'] as const;
  const short = texts.flatMap((key) => {
    const text = output[key];
    return text === undefined ? [] : [[key, boundedText(text)] as const];
  });
  return { ...output, ...Object.fromEntries(short) };
}
