import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { Background } from './background.ts';
import { checkOptions } from './check-options.ts';
import { reliable, systemClock } from './clock.ts';
import { explain } from './explain.ts';
import { messageOf } from './failure.ts';
import { folderStore } from './folder-store.ts';
import { attempt, attemptNow, neverAborts } from './hooks/guard.ts';
import { createHooks } from './hooks/create-hooks.ts';
import { loadPlugins } from './load-plugins.ts';
import { memoryLedger } from './memory-ledger.ts';
import type { ToolUse } from './messages.ts';
import { checkKeys } from './nearest.ts';
import type { Decision } from './opinion.ts';
import type { CallOutcome } from './outcome.ts';
import { diskFacts } from './path-facts.ts';
import { Policy, type PolicyHandle } from './policy.ts';
import { Registry } from './registry.ts';
import {
  applyChanges,
  beginTurn,
  explainSafely,
  forget,
  runSafely,
  traceTo,
} from './run-safely.ts';
import type { ContextChange, Parts } from './run.ts';
import {
  runTurn,
  type RunningTurn,
  type RunOptions,
  type TurnInput,
} from './scheduler/run-turn.ts';
import { emptySnapshot, type Diagnostic, type SettingsSource } from './settings-snapshot.ts';
import type { AnyObject, AnyTool } from './tool.ts';
import type { ToolgateOptions } from './toolgate-options.ts';
import {
  toolDefinitions,
  type DefinitionOptions,
  type ToolDefinition,
} from './tool-definitions.ts';

/** An agent's tool layer. */
export interface Toolgate {
  /** Runs one call; never rejects. */
  run(toolUse: ToolUse, options?: RunOptions): Promise<CallOutcome>;
  /** Runs all calls of an assistant message; work starts at once. */
  runTurn(message: TurnInput, options?: RunOptions): RunningTurn;
  /** What would be decided about a call, and why; runs nothing and asks no one. */
  explain(toolUse: ToolUse): Promise<Decision>;
  /** What to hand the model as `tools`: all, or those named. */
  toolDefinitions(options?: DefinitionOptions): Promise<readonly ToolDefinition[]>;
  readonly policy: PolicyHandle;
  /** The session's working directory; follows `cd` inside the working directories. */
  readonly cwd: string;
  /** Closes the plugins in reverse order. Calls made afterwards are aborted ones. */
  close(): Promise<void>;
}

/**
 * Composes a gate. Synchronous; the set of taps is fixed when it returns.
 *
 * @throws ToolgateError for a misspelled option, a name taken twice, a plugin that is missing or invalid.
 */
export function createToolgate(options: ToolgateOptions): Toolgate {
  checkOptions(options);
  const { onDiagnostic, dialog, permissions, results } = options;
  const clock = options.clock ? reliable(options.clock) : systemClock;
  const startFolder = resolve(options.cwd ?? process.cwd());
  const sessionId = options.sessionId ?? randomUUID();
  const report = (diagnostic: Diagnostic) =>
    void attemptNow(() => onDiagnostic?.(Object.freeze(diagnostic)));
  const hooks = createHooks(options.limitsMs);
  checkKeys(options.limitsMs ?? {}, Object.keys(hooks), 'limitsMs', 'TG_OPTION_INVALID');
  const policy = new Policy({
    source: options.settings,
    startFolder,
    knowsModes: () => hooks.resolve.taps.some(({ slot }) => slot === 'mode'),
    onRules: (rules) => {
      const found = attemptNow<readonly Diagnostic[] | undefined>(() =>
        permissions?.diagnose?.(rules),
      );
      if (found.ok) for (const diagnostic of found.value ?? []) report(diagnostic);
    },
  });

  if (permissions) hooks.opinions.tap({ name: 'permissions', slot: 'rules' }, permissions);
  if (results) hooks.result.tap('results', results);
  let gate: Toolgate | undefined;
  const store = options.store ?? folderStore();
  const { matcher, model, mcp } = options;
  const ports = { matcher, model, mcp, dialog, store };
  const loaded = loadPlugins(options.plugins ?? [], hooks, {
    ports,
    cwd: startFolder,
    sessionId,
    settings: () => policy.snapshot(),
    diagnostic: report,
    toolgate: () => gate,
    trace: (event) => traceTo(hooks, event, clock),
  });
  if (dialog)
    hooks.prompt.tap(
      { name: 'dialog', slot: 'dialog' },
      async ({ prompt, touched }, { signal }) => {
        const answer = await dialog(prompt, { signal, touched });
        return answer && { answer, by: 'person' as const };
      },
    );
  // Where somebody can be asked, a classifier that is late joins the race for the answer.
  const slots = [...hooks.prompt.taps, ...hooks.resolve.taps].map(({ slot }) => slot);
  if (slots.includes('dialog') && slots.includes('classifier'))
    hooks.prompt.tap(
      { name: 'late-classifier', slot: 'classifier' },
      async ({ late }) =>
        (await late) && { answer: { behavior: 'allow' as const }, by: 'classifier' as const },
    );
  for (const hook of Object.values(hooks)) hook.seal();
  policy.check();

  const background = new Background();
  const own = options.tools ?? [];
  const registry = new Registry(own, loaded.tools(), options.trust);
  loaded.onTools(() => registry.replace([...own, ...loaded.tools()]));
  const parts: Parts = {
    hooks,
    registry,
    policy,
    clock,
    report,
    effects: {
      owners: loaded.owners,
      tighteners: loaded.tighteners,
      isTrusted: (tool) => registry.isTrusted(tool),
      canFilterReads: permissions?.deniesRead !== undefined,
    },
    backend: permissions,
    executor: options.executor,
    ledger: options.ledger ?? memoryLedger(),
    store,
    gate() {
      if (!gate) throw new Error('The gate is not made yet.'); // no call comes before
      return gate;
    },
    facts: options.facts ?? diskFacts(),
    session: {
      id: sessionId,
      cwd: startFolder,
      startFolder,
      readFileState: new Map(),
      appState: Object.freeze({}),
      turns: 0,
      agentTurns: 0,
    },
    background: (work, controller) => background.add(work, controller),
    siblings: options.siblings ?? 'independent',
    retry: options.retry,
    maxTurnResultChars: options.maxTurnResultChars ?? 200_000,
    graceMs: options.graceMs ?? 2_000,
    classifierWaitMs: options.classifierWaitMs ?? 2_000,
    hookAllow: options.hookAllow?.absolute ?? [],
  };
  const closePlugins = async () => {
    await background.close(parts.graceMs, clock);
    return loaded.close();
  };
  gate = gateOf(parts, closePlugins, options.settings);
  return gate;
}

function gateOf(
  parts: Parts,
  closePlugins: () => Promise<readonly unknown[]>,
  settings: SettingsSource | undefined,
): Toolgate {
  const schemas = new WeakMap<AnyTool, AnyObject>();
  const alone = { parts, isDuplicate: false, admit: () => undefined, readers: undefined };
  let closed: Promise<void> | undefined;
  // A closed gate answers as an aborted one: each call gets its result, and nothing starts.
  const stillOpen = (signal: AbortSignal | undefined) =>
    closed ? AbortSignal.abort() : (signal ?? neverAborts);
  return {
    async run(toolUse, options = {}) {
      const { signal } = options;
      const turn = beginTurn(parts, options);
      const changes: ContextChange[] = [];
      const outcome = await runSafely(toolUse, {
        ...alone,
        turn,
        signal: stillOpen(signal),
        change: (change) => void changes.push(change),
      });
      applyChanges(parts, turn, changes);
      forget(parts, turn);
      return outcome;
    },
    runTurn: (message, options) =>
      runTurn(message, parts, { ...options, signal: stillOpen(options?.signal) }),
    explain: (toolUse) =>
      explainSafely(
        toolUse,
        {
          ...alone,
          // Not a turn of the session: nothing is asked of the model and nothing answered.
          turn: {
            index: 0,
            settings: emptySnapshot,
            context: {},
            message: undefined,
            decisions: new Map(),
          },
          signal: neverAborts,
          change: () => undefined,
        },
        explain,
      ),
    toolDefinitions: (options) => toolDefinitions(parts, schemas, options),
    policy: parts.policy,
    get cwd() {
      return parts.session.cwd;
    },
    close: () => (closed ??= closeAll(parts, closePlugins, settings)),
  };
}

/** Within 10 s for each plugin and for the settings; what fails to close is reported. */
async function closeAll(
  parts: Parts,
  closePlugins: () => Promise<readonly unknown[]>,
  settings: SettingsSource | undefined,
): Promise<void> {
  const scope = { clock: parts.clock, signal: neverAborts };
  const plugins = await closePlugins();
  const source = await attempt<unknown>(() => settings?.close?.(), 10_000, scope);
  const failures = [...plugins.map(messageOf), ...(source.ok ? [] : [source.message])];
  for (const failure of failures)
    parts.report({
      code: 'close-failed',
      severity: 'warning',
      message: `something failed to close: ${failure}`,
    });
}
