import type { PermissionUpdate } from '@toolgate/core';
import { z } from 'zod';
import { visibleLine } from './bounded-text.ts';
import type { HookEvent } from './hook-events.ts';
import { permissionUpdates } from './permission-updates.ts';
import { readEvery } from './read-every.ts';

const text = z.string().optional();
const input = z.record(z.string(), z.unknown()).optional();
const context = { additionalContext: text };
/** The event-specific parts of an answer that Toolgate itself reads. */
const specifics: Readonly<Partial<Record<HookEvent, z.ZodRawShape>>> = {
  PreToolUse: {
    ...context,
    permissionDecision: z.enum(['allow', 'deny', 'ask', 'defer']).optional(),
    permissionDecisionReason: text,
    updatedInput: input,
  },
  PermissionRequest: {
    decision: z
      .discriminatedUnion('behavior', [
        z.looseObject({
          behavior: z.literal('allow'),
          updatedInput: input,
          updatedPermissions: permissionUpdates.optional(),
        }),
        z.looseObject({
          behavior: z.literal('deny'),
          message: text,
          interrupt: z.boolean().optional(),
        }),
      ])
      .optional(),
  },
  PermissionDenied: { retry: z.boolean().optional() },
  PostToolUse: {
    ...context,
    updatedToolOutput: z.unknown().optional(),
    updatedMCPToolOutput: z.unknown().optional(),
  },
};

const schemaOf = (event: HookEvent) =>
  z.looseObject({
    continue: z.boolean().optional(),
    stopReason: text,
    suppressOutput: z.boolean().optional(),
    systemMessage: text,
    // A permission request is allowed by its own field alone.
    decision: z.enum(event === 'PermissionRequest' ? ['block'] : ['approve', 'block']).optional(),
    reason: text,
    hookSpecificOutput: z
      .looseObject({ ...context, ...specifics[event], hookEventName: z.literal(event) })
      .optional(),
  });

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
  /** What an allowed permission request wants changed. */
  readonly updates?: readonly PermissionUpdate[];
  /** A denied permission request ends the turn. */
  readonly interrupt?: boolean;
  /** The model may be told that it can try again. */
  readonly retry?: boolean;
  /** The event-specific part as it was given, for events that the agent fires. */
  readonly fields?: Readonly<Record<string, unknown>>;
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
  const parsed = schemaOf(event).safeParse(object);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue?.path.join('.') ?? '';
    return {
      kind: 'invalid',
      problem: `"${where}" in its output is wrong: ${issue?.message}`,
      object,
    };
  }
  return { kind: 'answer', output: fieldsOf(event, parsed.data), object };
}

/** What `specifics` has checked, where it is there at all. */
interface Specific {
  readonly additionalContext?: string;
  readonly permissionDecision?: Decision;
  readonly permissionDecisionReason?: string;
  readonly updatedInput?: Readonly<Record<string, unknown>>;
  readonly updatedToolOutput?: unknown;
  readonly updatedMCPToolOutput?: unknown;
  readonly retry?: boolean;
  readonly decision?: {
    readonly behavior: 'allow' | 'deny';
    readonly message?: string;
    readonly interrupt?: boolean;
    readonly updatedInput?: Readonly<Record<string, unknown>>;
    readonly updatedPermissions?: readonly PermissionUpdate[];
  };
}

function fieldsOf(event: HookEvent, top: z.infer<ReturnType<typeof schemaOf>>): HookOutput {
  const own = top.hookSpecificOutput;
  const specific = (event in specifics ? (own ?? {}) : {}) as Specific; // checked by `specifics`
  const { decision: asked } = event === 'PermissionRequest' ? specific : {};
  const legacy = top.decision && (top.decision === 'block' ? 'deny' : 'allow');
  // Both forms at once: the stricter one.
  const named = asked?.behavior ?? specific.permissionDecision;
  const decision = legacy === 'deny' ? legacy : (named ?? legacy);
  const reason = asked?.message ?? specific.permissionDecisionReason ?? top.reason;
  const updatedInput = asked?.updatedInput ?? specific.updatedInput;
  const updatedOutput = specific.updatedToolOutput ?? specific.updatedMCPToolOutput;
  const added = own?.additionalContext;
  return {
    ...(decision && { decision }),
    ...(reason !== undefined && { reason }),
    ...(updatedInput && { updatedInput }),
    ...(updatedOutput !== undefined && { updatedOutput: { value: updatedOutput } }),
    ...(typeof added === 'string' && { context: added }),
    ...(top.systemMessage !== undefined && { message: top.systemMessage }),
    ...(top.continue === false && { stopReason: top.stopReason ?? 'A hook ended the turn.' }),
    ...(asked?.updatedPermissions && { updates: asked.updatedPermissions }),
    ...(asked?.interrupt && { interrupt: true }),
    ...(specific.retry === true && { retry: true }),
    ...(own && { fields: own }),
  };
}
