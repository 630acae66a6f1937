import {
  emptySnapshot,
  strictest,
  type AnyObject,
  type AnyTool,
  type Behavior,
  type Opinion,
  type PermissionUnit,
  type RuleEntry,
  type StartedCall,
} from '@toolgate/core';
import { rulesBackend, unknownTool } from '../../src/index.ts';
import { factsOf } from './vector-gate.ts';

export type RuleTexts = Readonly<Partial<Record<Behavior, readonly string[]>>>;

export const entries = (rules: RuleTexts, root = '/p'): readonly RuleEntry[] =>
  (['deny', 'ask', 'allow'] as const).flatMap((behavior) =>
    (rules[behavior] ?? []).map((text): RuleEntry => ({
      behavior,
      text,
      source: 'projectSettings',
      root,
    })),
  );

export interface CallParts {
  readonly tool?: AnyTool | string;
  readonly units: readonly PermissionUnit[];
  readonly input?: AnyObject;
  readonly rules?: RuleTexts | readonly RuleEntry[];
  readonly cwd?: string;
  readonly directories?: readonly string[];
}

/** A call as it reaches stage 4, in the project `/p` of the user whose home is `/h`. */
export function startedCall(parts: CallParts): StartedCall {
  const { tool = 'Bash', units, input = {}, rules = {}, cwd = '/p', directories = ['/p'] } = parts;
  const effects = { units, readOnly: false, destructive: false, concurrencySafe: false };
  return {
    toolUse: {
      type: 'tool_use',
      id: 't',
      name: typeof tool === 'string' ? tool : tool.name,
      input,
    },
    tool: typeof tool === 'string' ? unknownTool(tool) : tool,
    input,
    observedInput: input,
    effects: { ...effects, warnings: [], suggestedRules: [], needs: [] },
    cwd,
    revision: 0,
    checkAsks: [],
    settings: {
      ...emptySnapshot,
      rules: Array.isArray(rules) ? rules : entries(rules as RuleTexts),
    }, // no array
    directories,
    startOpinions: [],
    contexts: [],
  };
}

export const command = (content: string, more: Partial<PermissionUnit> = {}): PermissionUnit => ({
  tool: 'Bash',
  content,
  exact: content,
  readOnly: false,
  own: true,
  ...more,
});

export const file = (
  tool: 'Read' | 'Edit',
  path: string,
  more: Partial<PermissionUnit> = {},
): PermissionUnit => ({ tool, path, realPath: path, readOnly: tool === 'Read', ...more });

export function opinionsOn(
  parts: CallParts,
  symlinks: Readonly<Record<string, string>> = {},
): readonly Opinion[] {
  const backend = rulesBackend({ facts: factsOf({ home: '/h', symlinks }) });
  const answer = backend(startedCall(parts), { signal: new AbortController().signal });
  if (!Array.isArray(answer)) throw new Error('the rules answer with a list');
  return answer as readonly Opinion[]; // checked above
}

/** What rules alone come to. */
export const verdict = (
  parts: CallParts,
  symlinks?: Readonly<Record<string, string>>,
): Behavior | 'undecided' => strictest(opinionsOn(parts, symlinks), parts.units).behavior;
