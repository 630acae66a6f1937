import {
  ruleValue,
  type AnyObject,
  type Dialog,
  type PermissionAnswer,
  type PermissionPrompt,
  type PermissionUpdate,
  type UpdateDestination,
} from '@toolgate/core';

/** An "always allow" that is offered, typed as the Agent SDK types updates. */
export interface SuggestedUpdate {
  type: 'addRules';
  rules: { toolName: string; ruleContent?: string }[];
  behavior: 'allow';
  destination: UpdateDestination;
}

/** What the Agent SDK tells such a callback, as far as it is known here. */
export interface CanUseToolOptions {
  /** Aborts when another answer came first. */
  readonly signal: AbortSignal;
  /** What "always allow" would do; to be handed back as `updatedPermissions`. */
  readonly suggestions: SuggestedUpdate[];
  /** The first path that is asked about. */
  readonly blockedPath?: string;
  readonly decisionReason: string;
  readonly toolUseID: string;
  /** The prompt's id. */
  readonly requestId: string;
  readonly agentID?: string;
  /** True where an approval should not be the easy answer. */
  readonly defaultToNo?: boolean;
  readonly suppressAlwaysAllowRule?: boolean;
  /** The ask rule that matched. */
  readonly matchedAskRule?: { source: string; toolName: string; ruleContent?: string };
}

/** What the Agent SDK lets such a callback answer. */
export type CanUseToolResult =
  | {
      readonly behavior: 'allow';
      readonly updatedInput?: Record<string, unknown>;
      readonly updatedPermissions?: readonly PermissionUpdate[];
      readonly toolUseID?: string;
      readonly decisionClassification?: string;
    }
  | {
      readonly behavior: 'deny';
      readonly message: string;
      readonly interrupt?: boolean;
      readonly toolUseID?: string;
      readonly decisionClassification?: string;
    };

/** A permission callback as the Agent SDK takes it. */
export type CanUseTool = (
  toolName: string,
  input: Record<string, unknown>,
  options: CanUseToolOptions,
) => Promise<CanUseToolResult | null>;

/**
 * Lets a permission callback of the Agent SDK answer prompts. It gets a copy of the input. Its updates count
 * once the call was allowed. `null`, a throw, or an answer that names another call is no answer, so the call is
 * denied.
 */
export const fromCanUseTool =
  (callback: CanUseTool): Dialog =>
  async (prompt, { signal }) => {
    const input: Record<string, unknown> = structuredClone(prompt.input);
    const result = await callback(prompt.tool, input, optionsOf(prompt, signal));
    if (result === null) return undefined;
    if (result.toolUseID !== undefined && result.toolUseID !== prompt.toolUseId)
      throw new Error(`canUseTool answered for ${result.toolUseID}, not for ${prompt.toolUseId}.`);
    return answerOf(result, prompt.input);
  };

function optionsOf(prompt: PermissionPrompt, signal: AbortSignal): CanUseToolOptions {
  const { units, agentId, strength, destructive, rule } = prompt;
  const blockedPath = units.find(({ path }) => path !== undefined)?.path;
  return {
    signal,
    suggestions: suggestionsOf(prompt),
    ...(blockedPath !== undefined && { blockedPath }),
    decisionReason: prompt.reason,
    toolUseID: prompt.toolUseId,
    requestId: prompt.id,
    ...(agentId !== undefined && { agentID: agentId }),
    ...((strength === 'person' || destructive) && { defaultToNo: true }),
    ...(strength === 'person' && { suppressAlwaysAllowRule: true }),
    ...(rule?.behavior === 'ask' && {
      matchedAskRule: { source: rule.source, ...ruleValue(rule.text) },
    }),
  };
}

/** One update for each destination, in the order of the rules. */
function suggestionsOf({ suggestedRules }: PermissionPrompt): SuggestedUpdate[] {
  const destinations = [...new Set(suggestedRules.map(({ destination }) => destination))];
  return destinations.map((destination) => ({
    type: 'addRules',
    rules: suggestedRules
      .filter((suggested) => suggested.destination === destination)
      .map(({ rule }) => ruleValue(rule)),
    behavior: 'allow',
    destination,
  }));
}

function answerOf(result: CanUseToolResult, input: AnyObject): PermissionAnswer {
  if (result.behavior !== 'allow') {
    const { behavior, message, interrupt } = result;
    return { behavior, message, ...(interrupt !== undefined && { interrupt }) };
  }
  const { behavior, updatedInput, updatedPermissions } = result;
  // Callbacks hand the input back when they change nothing.
  const isEdit = updatedInput && JSON.stringify(updatedInput) !== JSON.stringify(input);
  return {
    behavior,
    ...(isEdit && { updatedInput }),
    ...(updatedPermissions && { updates: updatedPermissions }),
  };
}
