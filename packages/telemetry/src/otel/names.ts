// The names of the GenAI and MCP semantic conventions that are used, in one place: they are still in
// development. What they have no name for is below `toolgate`.

/** Attributes of spans and metrics. */
export const attribute = {
  operation: 'gen_ai.operation.name',
  tool: 'gen_ai.tool.name',
  toolType: 'gen_ai.tool.type',
  callId: 'gen_ai.tool.call.id',
  arguments: 'gen_ai.tool.call.arguments',
  result: 'gen_ai.tool.call.result',
  conversation: 'gen_ai.conversation.id',
  agent: 'gen_ai.agent.id',
  errorType: 'error.type',
  mcpMethod: 'mcp.method.name',
  stage: 'toolgate.stage',
  outcome: 'toolgate.outcome',
  code: 'toolgate.code',
  decision: 'toolgate.decision',
  source: 'toolgate.decision.source',
  hook: 'toolgate.hook',
  tap: 'toolgate.tap',
  plugin: 'toolgate.plugin',
  exitCode: 'toolgate.hook.exit_code',
  attempt: 'toolgate.attempt',
  queueMs: 'toolgate.queue.ms',
  resultChars: 'toolgate.result.chars',
} as const;

/** Names of metrics. */
export const metric = {
  /** Seconds, by tool and outcome. */
  duration: 'gen_ai.execute_tool.duration',
  /** Calls, by tool, outcome, decision and code. */
  calls: 'toolgate.calls',
  /** Seconds that a call waited for its turn. */
  queue: 'toolgate.queue.duration',
  /** UTF-16 code units of text that the model got. */
  size: 'toolgate.result.size',
} as const;

/** Names of events on the span of a call. */
export const spanEvent = {
  decision: 'toolgate.decision',
  hook: 'toolgate.hook',
  tap: 'toolgate.tap',
  retry: 'toolgate.retry',
} as const;
