import type { Diagnostic } from '@toolgate/core';
import { visibleLine } from './bounded-text.ts';
import type { HandlerEnd } from './handler-end.ts';
import type { Handler } from './handler.ts';
import { unblockableEvents, type HookEvent } from './hook-events.ts';
import { readDocument, type HookOutput, type ReadDocument } from './hook-output.ts';
import { denyBesideNoise, denyIn, type Found } from './misplaced-deny.ts';

type Problem = Pick<Diagnostic, 'code' | 'message' | 'severity'>;

/** What a handler's run comes to, and what was wrong with it. */
export interface HandlerAnswer {
  readonly output: HookOutput;
  readonly problems: readonly Problem[];
}
type Ended = Extract<HandlerEnd, { state: 'ended' }>;

const nothing: HandlerAnswer = { output: {}, problems: [] };

/** Events whose plain text is context for the model. */
const textIsContext = new Set<HookEvent>([
  'UserPromptSubmit',
  'UserPromptExpansion',
  'SessionStart',
]);

/** Reads how a handler ended, by exit code and output (protocol 1.7 and 1.8). */
export function readOutput(event: HookEvent, handler: Handler, end: HandlerEnd): HandlerAnswer {
  switch (end.state) {
    case 'aborted':
      return nothing;
    case 'said':
      return { output: end.output, problems: [] };
    case 'timed-out':
      return failed(handler, {
        code: 'hook-timed-out',
        message: `timed out after ${handler.timeoutMs / 1000} s and was ended${handler.type === 'command' ? ' with its children' : ''}`,
      });
    case 'not-started':
      return failed(handler, {
        code: 'hook-not-started',
        message: `could not be started: ${end.message}`,
      });
    case 'failed':
      return failed(
        handler,
        { code: end.code, message: end.problem },
        end.code === 'hook-output-invalid',
      );
    case 'ended':
      return readEnded(event, handler, end);
  }
}

function readEnded(event: HookEvent, handler: Handler, end: Ended): HandlerAnswer {
  const document: ReadDocument = end.cut ? { kind: 'text' } : readDocument(event, end.stdout);
  const found = searchDeny(event, end, document);
  if (end.exitCode === 2 && !unblockableEvents.has(event)) return blocked(end, document, found);
  if (found.kind === 'deny') return misplaced(event, found.deny.reason);
  if (document.kind === 'answer') return readAnswer(handler, end, document);
  if (document.kind === 'invalid') return failed(handler, invalidOutput(document.problem), true);
  if (found.kind === 'unusable') return failed(handler, invalidOutput(found.problem), true);
  if (end.exitCode !== 0) return failed(handler, exitProblem(end));
  return { output: plainText(event, end.stdout.trim()), problems: [] };
}

function plainText(event: HookEvent, text: string): HookOutput {
  if (text === '') return {};
  if (event === 'WorktreeCreate') return { fields: { worktreePath: text } };
  return textIsContext.has(event) ? { context: text } : {};
}

function readAnswer(
  handler: Handler,
  end: Ended,
  document: Extract<ReadDocument, { kind: 'answer' }>,
): HandlerAnswer {
  const { output: said, object } = document;
  if (end.exitCode !== 0 && handler.onFailure === 'block' && said.decision !== 'deny')
    return failed(handler, exitProblem(end));
  if ('permissionDecision' in object)
    return failed(
      handler,
      invalidOutput(
        'its "permissionDecision" must stand in "hookSpecificOutput", where it is read',
      ),
      true,
    );
  const notes = noteMisplaced(object);
  const [note] = notes;
  if (note && handler.isStrict && said.decision !== 'deny')
    return failed(handler, invalidOutput(note.message), true);
  const output = end.exitCode === 0 ? said : withoutConsent(said);
  return {
    output,
    problems: [...noteDefer(output), ...notes, ...noteNoConsent(said, output, end)],
  };
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
    output: {
      decision: 'deny',
      reason: reason ?? 'A hook blocked this without saying why.',
      ...(context !== undefined && { context }),
      ...(message !== undefined && { message }),
      ...(stopReason !== undefined && { stopReason }),
    },
    problems: [],
  };
}

const misplaced = (
  event: HookEvent,
  reason = 'A hook denied this without saying why.',
): HandlerAnswer => ({
  output: { decision: 'deny', reason },
  problems: [
    {
      code: 'hook-decision-misplaced',
      severity: 'warning',
      message: `said deny in a form or place that is not the protocol's; it was taken. Print exactly one JSON object: ${denyForm(event)}.`,
    },
  ],
});
function denyForm(event: HookEvent): string {
  const own = (fields: object) =>
    JSON.stringify({ hookSpecificOutput: { hookEventName: event, ...fields } });
  if (event === 'PreToolUse')
    return own({ permissionDecision: 'deny', permissionDecisionReason: '…' });
  if (event === 'PermissionRequest') return own({ decision: { behavior: 'deny', message: '…' } });
  return '{"decision":"block","reason":"…"}';
}

/**
 * A failed handler is never consent: whatever it said is dropped (security rule 27). In strict mode what looks
 * like a decision and cannot be taken blocks.
 */
function failed(
  handler: Handler,
  problem: Omit<Problem, 'severity'>,
  isUnclear = false,
): HandlerAnswer {
  const isStrict = isUnclear && handler.isStrict;
  const blocks = isStrict || handler.onFailure === 'block';
  const then = blocks
    ? `It is set to ${isStrict ? 'be strict' : 'block'}, so it blocked.`
    : 'It decided nothing.';
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
  const consent = output.decision === 'allow' ? ['decision', 'reason', 'updates'] : [];
  const dropped = new Set(['updatedInput', 'updatedOutput', 'retry', ...consent]);
  return Object.fromEntries(Object.entries(output).filter(([name]) => !dropped.has(name)));
}

function noteNoConsent(said: HookOutput, taken: HookOutput, end: Ended): readonly Problem[] {
  const names = ['decision', 'updatedInput', 'updatedOutput', 'retry'] as const;
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
