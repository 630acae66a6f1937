import type { ContentBlock, MappedCall, StartInput } from '@toolgate/core';
import type { HookEvent } from './handler.ts';

/** What does not change during a session. */
export interface Session {
  readonly sessionId: string;
  readonly transcriptPath: string;
}

type AnyCall = StartInput['call'] | MappedCall;

/** The JSON that a hook reads on standard input (protocol 1.2 and 1.3). */
export const payloadOf = (event: HookEvent, call: AnyCall, session: Session): string =>
  JSON.stringify({
    session_id: session.sessionId,
    transcript_path: session.transcriptPath,
    cwd: call.cwd,
    permission_mode: call.settings.mode,
    hook_event_name: event,
    tool_name: call.tool.name,
    tool_input: call.observedInput,
    ...('ending' in call && outcomeOf(event, call)),
    tool_use_id: call.toolUse.id,
  });

function outcomeOf(event: HookEvent, { ending, content, toolMs }: MappedCall) {
  const duration_ms = Math.round(toolMs);
  if (event === 'PostToolUse')
    return { tool_response: ending.ok ? ending.result.data : null, duration_ms };
  return {
    error: ending.ok ? textOf(content) : ending.failure.message,
    is_interrupt: !ending.ok && ending.failure.code === 'tool_aborted',
    duration_ms,
  };
}

const textOf = (content: string | readonly ContentBlock[]): string =>
  typeof content === 'string'
    ? content
    : content
        .flatMap((block) => ('text' in block && typeof block.text === 'string' ? [block.text] : []))
        .join('\n');
