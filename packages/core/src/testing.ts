import { createToolgate } from './create-toolgate.ts';
import type { CallOutcome } from './outcome.ts';
import { definePlugin } from './plugin.ts';
import type { RuleTexts } from './policy.ts';
import type { Opinion } from './opinion.ts';
import type { PermissionAnswer, PermissionBackend, PermissionPrompt } from './ports.ts';
import type { Diagnostic } from './settings-snapshot.ts';
import type { AnyTool, Tool } from './tool.ts';

/** How `runTool` runs a tool; everything may be left out. */
export interface RunToolOptions {
  /**
   * Rules in force. Without `permissions` a rule is a tool's name, or a name with the exact content or
   * path of a unit, as in `Bash(npm test)`. A call that no rule decides is asked.
   */
  readonly rules?: RuleTexts;
  /** Reads the rules in place of the plain reading above, as `rulesBackend()` of `@toolgate/permissions` does. */
  readonly permissions?: PermissionBackend;
  /**
   * What the person answers, prompt by prompt; after the last nobody is there, which denies. Without
   * `rules`, `permissions` and `answers` every prompt is allowed.
   */
  readonly answers?: readonly ('allow' | 'deny' | PermissionAnswer)[];
  /** Aborts the call, which ends with its result all the same. */
  readonly signal?: AbortSignal;
  /** The working directory; default: the process's. */
  readonly cwd?: string;
  /** Calls of other tools, or of this one, that run before it in the same session, all allowed. */
  readonly before?: readonly { readonly tool: AnyTool; readonly input: unknown }[];
}

/** What came of the call. */
export interface ToolRun<O, P> {
  /** What the model gets, and how the call ended. */
  readonly outcome: CallOutcome;
  /** What `call` returned as `data`; undefined when it did not run to its end. */
  readonly data: O | undefined;
  /** What the tool reported while it ran. */
  readonly progress: readonly P[];
  /** What a person was asked. */
  readonly prompts: readonly PermissionPrompt[];
  /** What was ignored, dropped or failed. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Runs one call of a tool through all eight stages, as an agent would, trusted and alone. Never rejects
 * for what the tool does: a refusal, a failure and an abort are outcomes.
 *
 * @throws ToolgateError for a tool that no gate would take.
 */
export async function runTool<I, O, P>(
  tool: Tool<I, O, P>,
  input: unknown,
  options: RunToolOptions = {},
): Promise<ToolRun<O, P>> {
  const { rules, permissions, answers, signal, cwd, before = [] } = options;
  const isFree = !rules && !permissions && !answers;
  const left = [...(answers ?? [])];
  const progress: P[] = [];
  const prompts: PermissionPrompt[] = [];
  const diagnostics: Diagnostic[] = [];
  let data: O | undefined;
  let isPreparing = true;
  const watch = definePlugin({
    name: 'run-tool',
    setup: ({ hooks }) => {
      // What a tool reports and returns is of its own types; `id` tells its call from those before it.
      hooks.progress.tap('note', (event) => {
        if (event.toolUseID === id) progress.push(event.data as P);
      });
      hooks.result.tap('note', ({ call }) => {
        if (call.toolUse.id === id && call.ending.ok) data ??= call.ending.result.data as O;
        return undefined;
      });
    },
  });
  const own = tool as unknown as AnyTool; // as any list of tools holds it
  const gate = createToolgate({
    tools: Array.from(new Set([...before.map((call) => call.tool), own])),
    plugins: [watch()],
    permissions: permissions ?? plainRules,
    dialog: async (prompt) => {
      if (isPreparing || isFree) return { behavior: 'allow' };
      prompts.push(prompt);
      const answer = left.shift();
      return typeof answer === 'string' ? { behavior: answer } : answer;
    },
    onDiagnostic: (diagnostic) => void diagnostics.push(diagnostic),
    ...(cwd !== undefined && { cwd }),
  });
  try {
    for (const [index, call] of before.entries())
      await gate.run({
        type: 'tool_use',
        id: `before_${index}`,
        name: call.tool.name,
        input: call.input,
      });
    isPreparing = false;
    if (rules) gate.policy.addRules('session', rules);
    const use = { type: 'tool_use', id, name: tool.name, input } as const;
    const outcome = await gate.run(use, signal && { signal });
    return { outcome, data, progress, prompts, diagnostics };
  } finally {
    await gate.close();
  }
}

const id = 'toolu_1';

/** `Name` speaks of every call of a tool, `Name(content)` of a unit with exactly this content or path. */
const plainRules: PermissionBackend = ({ settings, effects, tool }) =>
  settings.rules.flatMap((rule): readonly Opinion[] => {
    const opinion = (covers: 'all' | readonly (typeof effects.units)[number][]): Opinion =>
      rule.behavior === 'allow'
        ? { behavior: 'allow', reason: 'A rule allows it.', covers, rule }
        : rule.behavior === 'ask'
          ? { behavior: 'ask', strength: 'ask', reason: 'A rule asks.', rule }
          : { behavior: 'deny', reason: 'A rule denies it.', rule };
    if (rule.text === tool.name) return [opinion('all')];
    return effects.units
      .filter((unit) =>
        [unit.content, unit.path].some((content) => rule.text === `${unit.tool}(${content})`),
      )
      .map((unit) => opinion([unit]));
  });
