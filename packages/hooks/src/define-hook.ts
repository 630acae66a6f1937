import type { HookEvent } from './hook-events.ts';

/** The fields that every event's payload has. */
export interface HookInput {
  readonly session_id: string;
  readonly transcript_path: string;
  readonly cwd: string;
  readonly hook_event_name: string;
  readonly permission_mode?: string;
  readonly agent_id?: string;
  readonly agent_type?: string;
}
interface ToolInput extends HookInput {
  readonly tool_name: string;
  readonly tool_input: Readonly<Record<string, unknown>>;
}

/** What the handlers of an event are given, by event; of events that are not listed, the common fields. */
export interface HookInputs {
  readonly PreToolUse: ToolInput & { readonly tool_use_id: string };
  readonly PermissionRequest: ToolInput & {
    readonly permission_suggestions?: readonly unknown[];
  };
  readonly PermissionDenied: ToolInput & { readonly tool_use_id: string; readonly reason: string };
  readonly PostToolUse: ToolInput & {
    readonly tool_use_id: string;
    readonly tool_response: unknown;
    readonly duration_ms?: number;
  };
  readonly PostToolUseFailure: ToolInput & {
    readonly tool_use_id: string;
    readonly error: string;
    readonly is_interrupt?: boolean;
    readonly duration_ms?: number;
  };
  readonly PostToolBatch: HookInput & {
    readonly tool_calls: readonly {
      readonly tool_name: string;
      readonly tool_input: unknown;
      readonly tool_use_id: string;
      readonly tool_response?: unknown;
    }[];
  };
}
export type InputOf<Event extends HookEvent> = Event extends keyof HookInputs
  ? HookInputs[Event]
  : HookInput & Readonly<Record<string, unknown>>;

/** The event-specific part of an answer, by event. */
export interface HookSpecificOutputs {
  readonly PreToolUse: {
    readonly permissionDecision?: 'allow' | 'deny' | 'ask' | 'defer';
    readonly permissionDecisionReason?: string;
    readonly updatedInput?: Readonly<Record<string, unknown>>;
    readonly additionalContext?: string;
  };
  readonly PermissionRequest: {
    readonly decision?:
      | {
          readonly behavior: 'allow';
          readonly updatedInput?: Readonly<Record<string, unknown>>;
          readonly updatedPermissions?: readonly unknown[];
        }
      | { readonly behavior: 'deny'; readonly message?: string; readonly interrupt?: boolean };
  };
  readonly PermissionDenied: { readonly retry?: boolean };
  readonly PostToolUse: {
    readonly additionalContext?: string;
    readonly updatedToolOutput?: unknown;
    readonly updatedMCPToolOutput?: unknown;
  };
  readonly PostToolUseFailure: { readonly additionalContext?: string };
  readonly PostToolBatch: { readonly additionalContext?: string };
}
type SpecificOf<Event extends HookEvent> = Event extends keyof HookSpecificOutputs
  ? HookSpecificOutputs[Event]
  : Readonly<Record<string, unknown>>;

/** What a hook answers, in the words of the public hook protocol. Undefined is no answer. */
export interface HookAnswer<Event extends HookEvent = HookEvent> {
  /** False lets the call run and ends the loop after it. */
  readonly continue?: boolean;
  readonly stopReason?: string;
  readonly suppressOutput?: boolean;
  readonly systemMessage?: string;
  readonly decision?: 'approve' | 'block';
  readonly reason?: string;
  readonly hookSpecificOutput?: { readonly hookEventName: Event } & SpecificOf<Event>;
}

/** A hook as a function of the embedder's own process. A throw is a failed hook. `signal` aborts at its limit. */
export type HookCallback<Event extends HookEvent> = (
  input: InputOf<Event>,
  toolUseId: string | undefined,
  options: { readonly signal: AbortSignal },
) => HookAnswer<Event> | undefined | void | Promise<HookAnswer<Event> | undefined | void>;

/** A hook written in TypeScript, for `createHookRunner({ hooks })`. */
export interface HookDefinition<Event extends HookEvent> {
  /** Names it in diagnostics, in the trail and for `hookAllow`. */
  readonly name: string;
  readonly event: Event;
  /** As in settings: a name, a list such as `Edit|Write`, a regular expression; everything when left out. */
  readonly matcher?: string;
  /** A permission rule that must match, such as `Bash(git push *)`. */
  readonly if?: string;
  /** Seconds; default 60. */
  readonly timeout?: number;
  /** Runs once, then never again. */
  readonly once?: boolean;
  /** What a throw, a bad answer or a timeout means. Default: `block` before a tool or prompt, else `continue`. */
  readonly onFailure?: 'continue' | 'block';
  readonly statusMessage?: string;
  readonly hook: HookCallback<Event>;
}

/** A definition of whatever event. */
export type AnyHookDefinition = { [Event in HookEvent]: HookDefinition<Event> }[HookEvent];

/** Types a hook by its event; adds nothing. */
export const defineHook = <const Event extends HookEvent>(
  definition: HookDefinition<Event>,
): HookDefinition<Event> => definition;

const definer =
  <Event extends HookEvent>(event: Event) =>
  (definition: Omit<HookDefinition<Event>, 'event'>): HookDefinition<Event> => ({
    ...definition,
    event,
  });

/** A hook that runs before a tool: it may deny, ask, allow, or change the input. */
export const definePreToolUse = definer('PreToolUse');
/** A hook that may answer in a person's place when a call must be confirmed. */
export const definePermissionRequest = definer('PermissionRequest');
/** A hook that hears of the classifier's denials. */
export const definePermissionDenied = definer('PermissionDenied');
/** A hook that runs after a tool succeeded: it may add text or replace the output. */
export const definePostToolUse = definer('PostToolUse');
/** A hook that runs after a tool failed. */
export const definePostToolUseFailure = definer('PostToolUseFailure');
/** A hook that runs after all calls of a turn. */
export const definePostToolBatch = definer('PostToolBatch');
