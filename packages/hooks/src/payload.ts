import {
  ruleValue,
  type BatchInput,
  type ContentBlock,
  type DeniedInput,
  type MappedCall,
  type PromptInput,
  type StartInput,
} from '@toolgate/core';
import type { HookEvent } from './hook-events.ts';

/** What does not change during a session. */
export interface Session {
  readonly sessionId: string;
  readonly transcriptPath: string;
}

/** A call of any stage, as far as hooks are told of it. */
type AnyCall = Pick<
  StartInput['call'],
  'cwd' | 'settings' | 'tool' | 'observedInput' | 'toolUse' | 'agentId' | 'agentType'
>;

/** The fields that every payload has (protocol 1.3). */
function common(
  event: HookEvent,
  { sessionId, transcriptPath }: Session,
  at: {
    readonly cwd: string;
    readonly settings: AnyCall['settings'];
    readonly agentId?: string | undefined;
    readonly agentType?: string | undefined;
  },
) {
  return {
    session_id: sessionId,
    transcript_path: transcriptPath,
    cwd: at.cwd,
    permission_mode: at.settings.mode,
    hook_event_name: event,
    ...(at.agentId !== undefined && { agent_id: at.agentId }),
    ...(at.agentType !== undefined && { agent_type: at.agentType }),
  };
}

const ofCall = (event: HookEvent, call: AnyCall, session: Session) => ({
  ...common(event, session, call),
  tool_name: call.tool.name,
  tool_input: call.observedInput,
});

/** The JSON that hooks read on standard input, by event (protocol 1.2 and 1.3). */
export const payloads = {
  PreToolUse: (call: AnyCall, session: Session) => ({
    ...ofCall('PreToolUse', call, session),
    tool_use_id: call.toolUse.id,
  }),
  PermissionRequest: ({ call, prompt }: PromptInput, session: Session) => ({
    ...ofCall('PermissionRequest', call, session),
    permission_suggestions: prompt.suggestedRules.map(({ rule, destination }) => ({
      type: 'addRules',
      rules: [ruleValue(rule)],
      behavior: 'allow',
      destination,
    })),
  }),
  PermissionDenied: ({ call, decision }: DeniedInput, session: Session) => ({
    ...ofCall('PermissionDenied', call, session),
    tool_use_id: call.toolUse.id,
    reason: decision.reason,
  }),
  PostToolUse: (call: MappedCall, session: Session) => ({
    ...ofCall('PostToolUse', call, session),
    tool_use_id: call.toolUse.id,
    tool_response: call.ending.ok ? call.ending.result.data : null,
    duration_ms: Math.round(call.toolMs),
  }),
  PostToolUseFailure: (call: MappedCall, session: Session) => ({
    ...ofCall('PostToolUseFailure', call, session),
    tool_use_id: call.toolUse.id,
    error: call.ending.ok ? textOf(call.content) : call.ending.failure.message,
    is_interrupt: !call.ending.ok && call.ending.failure.code === 'tool_aborted',
    duration_ms: Math.round(call.toolMs),
  }),
  PostToolBatch: ({ calls, settings, cwd, context }: BatchInput, session: Session) => ({
    ...common('PostToolBatch', session, { cwd, settings, ...context }),
    tool_calls: calls.map(({ toolUse, block }) => ({
      tool_name: toolUse.name,
      tool_input: toolUse.input,
      tool_use_id: toolUse.id,
      tool_response: block.content,
    })),
  }),
};

/** The payload of an event that the agent fires: what it says of it, beside the common fields. */
export const payloadOfEvent = (
  event: HookEvent,
  input: Readonly<Record<string, unknown>>,
  session: Session,
  at: { readonly cwd: string; readonly settings: AnyCall['settings'] },
) => ({ ...input, ...common(event, session, at) });

const textOf = (content: string | readonly ContentBlock[]): string =>
  typeof content === 'string'
    ? content
    : content
        .flatMap((block) => ('text' in block && typeof block.text === 'string' ? [block.text] : []))
        .join('\n');
