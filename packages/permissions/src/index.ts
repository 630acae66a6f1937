export { dangerousAllow } from './dangerous-allow.ts';
export {
  countDenial,
  countSuccess,
  denialTracking,
  noDenials,
  type DenialLimits,
  type DenialTrackingOptions,
  type DenialTrackingState,
} from './denial-tracking.ts';
export {
  fromCanUseTool,
  type CanUseTool,
  type CanUseToolOptions,
  type CanUseToolResult,
  type SuggestedUpdate,
} from './dialog/from-can-use-tool.ts';
export type { PromptReply } from './dialog/permission-answer.ts';
export {
  createPromptBroker,
  type BrokerOptions,
  type PromptBroker,
  type ReplyOutcome,
} from './dialog/prompt-broker.ts';
export {
  connectPrompts,
  servePrompts,
  type RemotePrompts,
  type ServedPrompts,
} from './dialog/prompt-socket.ts';
export { promptText, type PromptTextOptions } from './dialog/prompt-text.ts';
export { knownTools, unknownTool } from './known-tools.ts';
export { lintRules } from './lint/lint-rules.ts';
export { matchRule, ruleMatcher } from './match-rule.ts';
export { modes, type ModesOptions } from './modes.ts';
export { parseRule, type ParsedRule, type ParseResult } from './parse-rule.ts';
export { policyTestsJSONSchema, policyTestsSchema, type PolicyTest } from './policy-tests.ts';
export { ruleDiagnostics } from './rule-diagnostics.ts';
export { rulesBackend, type RulesOptions } from './rules-backend.ts';
export {
  shadowPolicy,
  type RulesVerdict,
  type ShadowDifference,
  type ShadowOptions,
} from './shadow-policy.ts';
export { documentedTools } from './rule-syntax.ts';
