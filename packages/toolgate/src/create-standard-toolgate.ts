import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { bashClassifier, gitContextHolds, sideQuery } from '@toolgate/classifier';
import {
  createToolgate,
  diskFacts,
  effectsFacts,
  type Diagnostic,
  type Dialog,
  type LanguageModel,
  type PathFacts,
  type Plugin,
  type SettingsSnapshot,
  type SettingsSource,
  type Toolgate,
  type ToolgateOptions,
  type Tools,
} from '@toolgate/core';
import { createHookRunner, type HookRunner } from '@toolgate/hooks';
import {
  denialTracking,
  modes,
  ruleDiagnostics,
  ruleMatcher,
  rulesBackend,
  type DenialTrackingOptions,
  shadowPolicy,
} from '@toolgate/permissions';
import { managedFolderOf, readSettings, type LiveSettings } from '@toolgate/settings';
import {
  backgroundTasks,
  createBuiltinTools,
  sandbox,
  type SandboxOptions,
} from '@toolgate/tools-builtin';
import { denialsOf, sessionOptions, type Session } from './session/open-session.ts';

/** What the standard gate is made from; everything else is wired. */
export interface StandardOptions {
  /** The start folder: project settings are read from it, and it is the first working directory. */
  readonly cwd: string;
  /** Tools beside the built-in ones. They are trusted. */
  readonly tools?: Tools;
  readonly model?: LanguageModel;
  readonly dialog?: Dialog;
  /**
   * True when the person trusts the folder: its settings may then loosen, too. Default: whether they said so
   * before (`toolgate trust`).
   */
  readonly trust?: boolean;
  /** Further settings files of the user's own, as `--settings`. */
  readonly settingsFiles?: readonly string[];
  /** Where an organisation's `managed-settings.json` is. Default: its place on this system. */
  readonly managedFolder?: string;
  /** Default: the user's home folder. */
  readonly home?: string;
  /** When a model that keeps being refused is told to stop; and where that count is kept. */
  readonly denials?: DenialTrackingOptions;
  /** A session on disk, from `openSession`: what is done there is not done again. Closed by you. */
  readonly session?: Session;
  /** The hooks: made by `createHookRunner`, for a gate that fires events of its own or brings hooks in TypeScript. */
  readonly hooks?: HookRunner;
  /** The sandbox that commands run in; pooled with `sandbox` in the settings, and the stricter one holds. */
  readonly sandbox?: SandboxOptions;
  /** Hears of whatever is ignored, dropped, held back or failed. */
  readonly onDiagnostic?: (diagnostic: Diagnostic) => void;
  /** Replaces or adds any option of `createToolgate`; its `plugins` come after the standard ones. */
  readonly overrides?: ToolgateOptions;
}

/**
 * The built-in tools under Claude Code's settings, rules and hooks: everything in this repository, wired.
 *
 * @throws ToolgateError for a `settingsFiles` entry that cannot be read, or an invalid override.
 */
export async function createStandardToolgate(options: StandardOptions): Promise<Toolgate> {
  const { onDiagnostic, model, dialog, session, overrides = {}, home = homedir() } = options;
  const denials = { ...(session && denialsOf(session)), ...options.denials };
  const cwd = resolve(options.cwd);
  const settings =
    overrides.settings ??
    (await readSettings({
      cwd,
      home,
      settingsFiles: options.settingsFiles ?? [],
      managedFolder: options.managedFolder ?? managedFolderOf(process.platform),
      trusted: options.trust,
      watch: true,
    }));
  report(settings, onDiagnostic);
  const facts = overrides.facts ?? standardFacts(home, cwd, settings);
  const { plugins = [], tools = [], ...rest } = overrides;
  return createToolgate({
    cwd,
    settings,
    matcher: ruleMatcher({ facts }),
    permissions: rulesBackend({ facts, autoDecides: model !== undefined }),
    facts,
    ...(dialog && { dialog }),
    ...(model && { model }),
    ...(onDiagnostic && { onDiagnostic }),
    ...(session && sessionOptions(session)),
    ...rest,
    tools: [...createBuiltinTools(model ? { model } : {}), ...(options.tools ?? []), ...tools],
    plugins: [
      ...standardPlugins(facts, options.hooks),
      denialTracking(denials),
      backgroundTasks(),
      sandbox(options.sandbox),
      ...(session ? [session.plugin] : []),
      ...plugins,
    ],
  });
}

/** The plugins of the standard gate, in a fresh copy. */
export const standardPlugins = (
  facts: PathFacts,
  hooks: HookRunner = createHookRunner(),
): readonly Plugin[] => [
  bashClassifier(),
  modes({ facts }),
  hooks.plugin,
  sideQuery(),
  shadowPolicy({ facts }),
];

/** The disk, and git's own word on whether a repository in the working directories runs anything by itself. */
function standardFacts(home: string, cwd: string, settings: SettingsSource): PathFacts {
  const disk = diskFacts(home);
  const isInside = (path: string) => {
    const directories = [cwd, ...settings.current().directories];
    return effectsFacts({ cwd, directories, facts: disk }).isInside(path);
  };
  const holds = (need: string, folder: string) =>
    need === 'git-context' && gitContextHolds(folder, isInside);
  return { ...disk, holds };
}

/** Says what was dropped or held back of the settings, and which rules mean nothing; when they change, what is new. */
function report(
  settings: SettingsSource & Partial<Pick<LiveSettings, 'onChange'>>,
  onDiagnostic: ((diagnostic: Diagnostic) => void) | undefined,
): void {
  if (!onDiagnostic) return;
  const said = new Set<string>();
  const say = ({ diagnostics, rules }: SettingsSnapshot) => {
    for (const diagnostic of [...diagnostics, ...ruleDiagnostics(rules)]) {
      const key = JSON.stringify(diagnostic);
      if (!said.has(key)) onDiagnostic(diagnostic);
      said.add(key);
    }
  };
  say(settings.current());
  settings.onChange?.(say);
}
