import type { Behavior } from './opinion.ts';
import type { PermissionMode } from './settings-snapshot.ts';

/** Where an update is kept: a settings file, or this session alone (`session`, `cliArg`). */
export type UpdateDestination =
  | 'userSettings'
  | 'projectSettings'
  | 'localSettings'
  | 'session'
  | 'cliArg';
/** All destinations. */
export const updateDestinations: readonly UpdateDestination[] = [
  'userSettings',
  'projectSettings',
  'localSettings',
  'session',
  'cliArg',
];

/** A rule in two parts: `Tool`, or `Tool(ruleContent)`. */
export interface RuleValue {
  readonly toolName: string;
  readonly ruleContent?: string;
}

/** A change of what is permitted, in the shape of the Agent SDK. `replaceRules` replaces all rules of that behavior there. */
export type PermissionUpdate =
  | {
      readonly type: 'addRules' | 'replaceRules' | 'removeRules';
      readonly rules: readonly RuleValue[];
      readonly behavior: Behavior;
      readonly destination: UpdateDestination;
    }
  | {
      readonly type: 'setMode';
      readonly mode: PermissionMode;
      readonly destination: UpdateDestination;
    }
  | {
      readonly type: 'addDirectories' | 'removeDirectories';
      readonly directories: readonly string[];
      readonly destination: UpdateDestination;
    };

/** A rule as it is written. */
export const ruleText = ({ toolName, ruleContent }: RuleValue): string =>
  ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`;

/** A written rule in two parts; what is no rule stays whole, for whoever checks it. */
export function ruleValue(text: string): RuleValue {
  const [, toolName, ruleContent] = /^([^()]*)\((.*)\)$/s.exec(text.trim()) ?? [];
  return toolName === undefined || ruleContent === undefined
    ? { toolName: text }
    : { toolName, ruleContent };
}

/** True for a destination that ends with the session. */
export const isOfSession = (destination: UpdateDestination): destination is 'session' | 'cliArg' =>
  destination === 'session' || destination === 'cliArg';
