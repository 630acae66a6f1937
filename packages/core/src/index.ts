export type {
  ExecutedCall,
  FoundCall,
  Left,
  MappedCall,
  ObservedCall,
  PermittedCall,
  StartedCall,
  Step,
  ToolEnding,
  ValidCall,
} from './call.ts';
export type {
  ContentReplacementState,
  ContextOptions,
  Surroundings,
  ReadFileEntry,
  ToolUseContext,
} from './context.ts';
export type {
  Effects,
  EffectsAnswer,
  EffectsFacts,
  FolderIdentity,
  PermissionUnit,
  TouchedPath,
  Warning,
} from './effects.ts';
export {
  ChangedSinceApproval,
  isTelemetrySafeError,
  isToolgateError,
  TelemetrySafeError,
  ToolgateError,
  type ToolgateErrorCode,
} from './errors.ts';
export {
  failureCodes,
  messageOf,
  refusalCodes,
  toFailure,
  type FailureCode,
  type Refusal,
  type RefusalCode,
  type StageName,
  type ToolFailure,
} from './failure.ts';
export type {
  BatchInput,
  DeniedAnswer,
  DeniedInput,
  HookName,
  HookTypes,
  ParseAnswer,
  ParseInput,
  ProgressEvent,
  PostAnswer,
  PromptAnswer,
  PromptInput,
  ResolveInput,
  ResultInput,
  StartAnswer,
  StartInput,
} from './hooks/create-hooks.ts';
export type { TapFunction, TapOptions } from './hooks/stage-hook.ts';
export type {
  AssistantMessage,
  ContentBlock,
  OtherBlock,
  TextBlock,
  ToolResultBlock,
  ToolUse,
  UserMessage,
} from './messages.ts';
export { didYouMean, nearest, unknownKey } from './nearest.ts';
export {
  allow,
  ask,
  coversUnit,
  deny,
  strictest,
  type AllowOpinion,
  type AskOpinion,
  type Behavior,
  type Decision,
  type DenyOpinion,
  type Heard,
  type Opinion,
  type Strength,
  type TrailEntry,
  type Verdict,
} from './opinion.ts';
export type { CallOutcome } from './outcome.ts';
export { answerJson, answerText, askModel, type ModelQuestion } from './ask-model.ts';
export type {
  LanguageModel,
  ModelAnswer,
  ModelMessage,
  ModelPart,
  ModelRequest,
  ModelTool,
} from './language-model.ts';
export { diskFacts, effectsFacts, isBelow, resolvePath } from './path-facts.ts';
export {
  definePlugin,
  type Plugin,
  type PluginDefinition,
  type PluginGate,
  type PluginHooks,
} from './plugin.ts';
export type {
  Clock,
  Dialog,
  Executor,
  LedgerClaim,
  LedgerKey,
  McpTools,
  PathFacts,
  PermissionAnswer,
  PermissionBackend,
  PermissionPrompt,
  ResultStore,
  RetryPolicy,
  RuleMatcher,
  StoredResult,
  SuggestedRule,
  ToolLedger,
} from './ports.ts';
export {
  ruleText,
  ruleValue,
  updateDestinations,
  type PermissionUpdate,
  type RuleValue,
  type UpdateDestination,
} from './permission-update.ts';
export {
  emptySnapshot,
  isManagedOnly,
  permissionModes,
  tightened,
  type Diagnostic,
  type PermissionMode,
  type Provenance,
  type RuleEntry,
  type SettingsSnapshot,
  type SettingsSource,
  type SettingsSourceName,
  type SettingValue,
} from './settings-snapshot.ts';
export type { LintEdit, LintFinding, LintFix } from './lint-finding.ts';
export type {
  AnyObject,
  AnyTool,
  BuiltTool,
  DescriptionOptions,
  DrawnAbout,
  InputOf,
  InputSchema,
  MappedResult,
  PathFields,
  PermissionResult,
  StandardSchema,
  Tool,
  ToolDef,
  ToolProgressData,
  ToolResult,
  Tools,
  ValidationResult,
} from './tool.ts';
export type { TraceEvent } from './trace.ts';
export { textView, type View } from './view.ts';
export { buildTool } from './build-tool.ts';
export { createToolgate, type Toolgate } from './create-toolgate.ts';
export type { ToolgateOptions } from './toolgate-options.ts';
export type { DefinitionOptions, ToolDefinition } from './tool-definitions.ts';
export { isCallOf } from './is-call-of.ts';
export { CANCEL_MESSAGE } from './messages-for-model.ts';
export { formatZodValidationError } from './validation-error.ts';
export { buildSchemaNotSentHint, isDeferred, loadedTools } from './deferred-tools.ts';
export type { PolicyHandle, RuleTexts } from './policy.ts';
export { findToolByName, toolMatchesName } from './registry.ts';
export type { RunningTurn, RunOptions, TurnInput } from './scheduler/run-turn.ts';
export { isProtectedPath } from './floors.ts';
export type { ForkedAgent, ForkOptions } from './fork.ts';
export { folderStore, type FolderStoreOptions } from './folder-store.ts';
export { visibleText } from './visible-text.ts';
export { repairPairing, type PairingChange } from './repair-pairing.ts';
