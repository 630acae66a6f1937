import {
  buildTool,
  createToolgate,
  definePlugin,
  emptySnapshot,
  type AnyTool,
  type Diagnostic,
  type LanguageModel,
  type Opinion,
  type PermissionBackend,
  type RuleEntry,
  type SettingsSnapshot,
  type ToolgateOptions,
} from '@toolgate/core';
import { z } from 'zod';
import { bashClassifier, sideQuery, type SideQueryOptions } from '../../src/index.ts';
import type { JudgeAnswer } from '../../src/side-query/question.ts';

/** An answer of the judge, a no that names nothing unless said otherwise. */
export const answer = (more: Partial<JudgeAnswer> = {}): JudgeAnswer => ({
  verdict: 'none',
  confidence: 'high',
  matched: 'none',
  addressesJudge: false,
  reason: 'Because.',
  ...more,
});

/** What a scripted model was asked. */
export interface Asked {
  readonly system: string;
  readonly prompt: string;
  readonly signal: AbortSignal | undefined;
}

/** A model that keeps what it was asked and answers with a script: a JSON value, a text, or a promise of one. */
export function scriptedModel(script: (asked: Asked) => unknown) {
  const asked: Asked[] = [];
  const model: LanguageModel = {
    specificationVersion: 'v3',
    provider: 'scripted',
    modelId: 'judge',
    async doGenerate({ prompt, abortSignal }) {
      const [system, user] = prompt;
      const one: Asked = {
        system: JSON.stringify(system?.content),
        prompt: JSON.stringify(user?.content),
        signal: abortSignal,
      };
      asked.push(one);
      const given = await script(one);
      const text = typeof given === 'string' ? given : JSON.stringify(given);
      return { content: [{ type: 'text', text }] };
    },
  };
  return { model, asked };
}

export const bashTool = (): { readonly tool: AnyTool; readonly ran: string[] } => {
  const ran: string[] = [];
  const tool = buildTool({
    name: 'Bash',
    description: 'Runs a command.',
    inputSchema: z.object({ command: z.string() }),
    toAutoClassifierInput: ({ command }) => command,
    call: ({ command }) => {
      ran.push(command);
      return { data: 'done' };
    },
  });
  return { tool: tool as AnyTool, ran }; // of whatever input
};

export interface Setup extends Pick<ToolgateOptions, 'dialog' | 'permissions' | 'facts'> {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly onDeny?: string;
  readonly rules?: readonly Pick<RuleEntry, 'behavior' | 'text'>[];
  readonly mode?: SettingsSnapshot['mode'];
  readonly script?: (asked: Asked) => unknown;
  /** Judges in place of the script. */
  readonly model?: LanguageModel;
  readonly options?: Omit<SideQueryOptions, 'model'>;
  readonly tools?: readonly AnyTool[];
}

/** Modes that settle nothing. */
const noModes = definePlugin({
  name: 'no-modes',
  setup: (gate) => gate.hooks.resolve.tap({ name: 'mode', slot: 'mode' }, () => undefined),
});

/** A backend that says the same of every call, at once. */
export const says = (opinion: Opinion | undefined): PermissionBackend =>
  Object.assign(() => opinion, { peek: () => opinion });

/** A gate whose side query asks a scripted model. */
export function gateWith(setup: Setup = {}) {
  const { allow, deny, onDeny, rules = [], mode = 'default', script = () => answer() } = setup;
  const { model: scripted, asked } = scriptedModel(script);
  const { model = scripted } = setup;
  const { tool, ran } = bashTool();
  const found: Diagnostic[] = [];
  const value = { ...(allow && { allow }), ...(deny && { deny }), ...(onDeny && { onDeny }) };
  let snapshot: SettingsSnapshot = {
    ...emptySnapshot,
    mode,
    values: [
      { source: 'userSettings', key: 'classifier', value, pointer: '/classifier', file: 's.json' },
    ],
    rules: rules.map((rule) => ({ source: 'userSettings', ...rule })),
  };
  const gate = createToolgate({
    tools: [tool, ...(setup.tools ?? [])],
    permissions: setup.permissions ?? says(undefined),
    settings: { current: () => snapshot },
    cwd: '/work/app',
    facts: {
      home: '/home/dev',
      realPath: (path) => path,
      folderIdentity: () => undefined,
      holds: () => true,
    },
    onDiagnostic: (diagnostic) => void found.push(diagnostic),
    ...(setup.dialog && { dialog: setup.dialog }),
    plugins: [bashClassifier(), noModes(), sideQuery({ model, ...setup.options })],
  });
  let count = 0;
  return {
    gate,
    asked,
    ran,
    found,
    change: (more: Partial<SettingsSnapshot>) => void (snapshot = { ...snapshot, ...more }),
    run: (command: string, signal?: AbortSignal) =>
      gate.run(
        { type: 'tool_use', id: `toolu_${(count += 1)}`, name: 'Bash', input: { command } },
        signal ? { signal } : {},
      ),
  };
}
