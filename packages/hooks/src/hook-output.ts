import { z } from 'zod';
import type { HookEvent } from './handler.ts';
import { readEvery } from './read-every.ts';
import { visibleLine } from './bounded-text.ts';

const text = z.string().optional();
const specific = {
  PreToolUse: z.looseObject({
    hookEventName: z.literal('PreToolUse'),
    permissionDecision: z.enum(['allow', 'deny', 'ask', 'defer']).optional(),
    permissionDecisionReason: text,
    updatedInput: z.record(z.string(), z.unknown()).optional(),
    additionalContext: text,
  }),
  PostToolUse: z.looseObject({
    hookEventName: z.literal('PostToolUse'),
    additionalContext: text,
    updatedToolOutput: z.unknown().optional(),
    updatedMCPToolOutput: z.unknown().optional(),
  }),
  PostToolUseFailure: z.looseObject({
    hookEventName: z.literal('PostToolUseFailure'),
    additionalContext: text,
  }),
};

const common = {
  continue: z.boolean().optional(),
  stopReason: text,
  suppressOutput: z.boolean().optional(),
  systemMessage: text,
  decision: z.enum(['approve', 'block']).optional(),
  reason: text,
};
const schemas = {
  PreToolUse: z.looseObject({ ...common, hookSpecificOutput: specific.PreToolUse.optional() }),
  PostToolUse: z.looseObject({ ...common, hookSpecificOutput: specific.PostToolUse.optional() }),
  PostToolUseFailure: z.looseObject({
    ...common,
    hookSpecificOutput: specific.PostToolUseFailure.optional(),
  }),
};

type Decision = 'allow' | 'deny' | 'ask' | 'defer';

/** The fields of a hook's answer (protocol 1.8), whatever the event. */
export interface HookOutput {
  readonly decision?: Decision;
  readonly reason?: string;
  readonly updatedInput?: Readonly<Record<string, unknown>>;
  readonly updatedOutput?: { readonly value: unknown };
  readonly context?: string;
  readonly message?: string;
  readonly stopReason?: string;
}

/** What standard output was: nothing, plain text, one valid answer, or an object that is none. */
export type ReadDocument =
  | { readonly kind: 'empty' | 'text' }
  | { readonly kind: 'answer'; readonly output: HookOutput; readonly object: object }
  | { readonly kind: 'invalid'; readonly problem: string; readonly object?: object };

/** Reads standard output that may be exactly one JSON document. Only that can allow or rewrite (security rule 16). */
export function readDocument(event: HookEvent, stdout: string): ReadDocument {
  const trimmed = stdout.trim();
  if (trimmed === '') return { kind: 'empty' };
  if (!trimmed.startsWith('{')) return { kind: 'text' };
  let object: unknown;
  try {
    object = JSON.parse(trimmed);
  } catch {
    return {
      kind: 'invalid',
      problem: 'its output starts like a JSON object but is not exactly one',
    };
  }
  if (typeof object !== 'object' || object === null) return { kind: 'text' };
  const { value: every, doubled } = readEvery(trimmed);
  if (doubled !== undefined && typeof every === 'object' && every !== null)
    return {
      kind: 'invalid',
      problem: `"${visibleLine(doubled, 40)}" stands twice in an object of its output`,
      object: every,
    };
  const parsed = schemas[event].safeParse(object);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue?.path.join('.') ?? '';
    return {
      kind: 'invalid',
      problem: `"${where}" in its output is wrong: ${issue?.message}`,
      object,
    };
  }
  return { kind: 'answer', output: fieldsOf(event, object), object };
}

function fieldsOf(event: HookEvent, object: object): HookOutput {
  const top = schemas[event].parse(object);
  const pre =
    event === 'PreToolUse' ? schemas.PreToolUse.parse(object).hookSpecificOutput : undefined;
  const post =
    event === 'PostToolUse' ? schemas.PostToolUse.parse(object).hookSpecificOutput : undefined;
  const legacy = top.decision && (top.decision === 'block' ? 'deny' : 'allow');
  // Both forms at once: the stricter one.
  const decision = legacy === 'deny' ? legacy : (pre?.permissionDecision ?? legacy);
  const reason = pre?.permissionDecisionReason ?? top.reason;
  const updatedOutput = post?.updatedToolOutput ?? post?.updatedMCPToolOutput;
  const context = top.hookSpecificOutput?.additionalContext;
  return {
    ...(decision && { decision }),
    ...(reason !== undefined && { reason }),
    ...(pre?.updatedInput && { updatedInput: pre.updatedInput }),
    ...(updatedOutput !== undefined && { updatedOutput: { value: updatedOutput } }),
    ...(context !== undefined && { context }),
    ...(top.systemMessage !== undefined && { message: top.systemMessage }),
    ...(top.continue === false && { stopReason: top.stopReason ?? 'A hook ended the turn.' }),
  };
}
