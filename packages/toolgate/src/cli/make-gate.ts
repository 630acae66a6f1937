import { stat } from 'node:fs/promises';
import {
  createToolgate,
  definePlugin,
  type Diagnostic,
  type Dialog,
  type PathFacts,
  type PermissionMode,
  type Plugin,
  type Toolgate,
} from '@toolgate/core';
import { createHookRunner } from '@toolgate/hooks';
import { parseRule, rulesBackend } from '@toolgate/permissions';
import { createStandardToolgate } from '../create-standard-toolgate.ts';
import { sessionOptions, type Session } from '../session/open-session.ts';
import { loadConfig } from './load-config.ts';
import { UsageError } from './usage-error.ts';

/** The flags of every verb that decides. */
export interface DecidingFlags {
  readonly config?: string;
  readonly settings: readonly string[];
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
  readonly mode?: string;
  readonly cwd: string;
  readonly trust: boolean;
}

export interface GateExtras {
  readonly dialog?: Dialog;
  readonly plugins?: readonly Plugin[];
  readonly session?: Session;
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
  readonly tell: (text: string) => void;
}

/** The gate that the flags describe: a config's own, or the standard one. */
export async function makeGate(flags: DecidingFlags, extras: GateExtras): Promise<Toolgate> {
  const cwd = await existingFolder(flags.cwd);
  const gate =
    flags.config === undefined
      ? await standardGate(flags, cwd, extras)
      : await configGate(flags.config, flags, cwd, extras);
  checkRules(flags);
  gate.policy.addRules('cliArg', { allow: flags.allow, ask: flags.ask, deny: flags.deny });
  if (flags.mode !== undefined) gate.policy.setMode(flags.mode as PermissionMode); // setMode refuses what is none
  return gate;
}

const standardGate = (
  flags: DecidingFlags,
  cwd: string,
  { dialog, plugins = [], session, onDiagnostic, tell }: GateExtras,
): Promise<Toolgate> =>
  createStandardToolgate({
    hooks: createHookRunner({ onStatus: ({ hook, message }) => tell(`${message} (${hook})`) }),
    cwd,
    ...(flags.trust && { trust: true }),
    settingsFiles: flags.settings,
    onDiagnostic,
    ...(dialog && { dialog }),
    ...(session && { session }),
    overrides: { plugins },
  });

async function configGate(
  file: string,
  flags: DecidingFlags,
  cwd: string,
  { dialog, plugins = [], session, onDiagnostic, tell }: GateExtras,
): Promise<Toolgate> {
  for (const [flag, isGiven] of [
    ['--settings', flags.settings.length > 0],
    ['--trust', flags.trust],
  ] as const)
    if (isGiven)
      throw new UsageError(
        `${flag} does nothing beside --config: the config module brings its own settings`,
      );
  const config = await loadConfig(file, tell);
  return createToolgate({
    onDiagnostic,
    ...(dialog && { dialog }),
    ...(session && sessionOptions(session)),
    ...config,
    cwd,
    plugins: [
      ...(config.plugins ?? []),
      flagRules(config.facts),
      ...(session ? [session.plugin] : []),
      ...plugins,
    ],
  });
}

/** Lets `--allow`, `--ask` and `--deny` count whatever permission backend a config brings. */
export const flagRules = definePlugin({
  name: 'rule-flags',
  setup(gate, facts: PathFacts | undefined) {
    const backend = rulesBackend(facts && { facts });
    gate.hooks.opinions.tap({ name: 'rule-flags', slot: 'rules' }, (call, options) =>
      backend(call, options),
    );
  },
});

export async function existingFolder(folder: string): Promise<string> {
  if (!(await stat(folder).catch(() => undefined))?.isDirectory())
    throw new UsageError(`--cwd ${folder}: there is no such folder`);
  return folder;
}

/** A rule that cannot be read is a mistake in the command; one that means less than it seems is reported. */
export function checkRules(flags: Pick<DecidingFlags, 'allow' | 'ask' | 'deny'>): void {
  for (const behavior of ['deny', 'ask', 'allow'] as const)
    for (const text of flags[behavior]) {
      const parsed = parseRule(text);
      if (!parsed.ok)
        throw new UsageError(`--${behavior} ${JSON.stringify(text)}: ${parsed.problem}`);
    }
}
