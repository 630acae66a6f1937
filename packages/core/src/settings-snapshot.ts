import type { Behavior } from './opinion.ts';
import type { PermissionUpdate } from './permission-update.ts';

/** Where a rule or setting comes from, weakest first for settings values; rules of all sources are pooled. */
export type SettingsSourceName =
  | 'userSettings'
  | 'projectSettings'
  | 'localSettings'
  | 'flagSettings'
  | 'policySettings'
  | 'cliArg'
  | 'command'
  | 'session';

/** `dontAsk` denies what would ask, `bypassPermissions` allows what nobody denies or asks about; a plugin gives modes their meaning. */
export type PermissionMode =
  | 'default'
  | 'acceptEdits'
  | 'plan'
  | 'auto'
  | 'dontAsk'
  | 'bypassPermissions';
/** All modes, from the usual one to the most permissive. */
export const permissionModes: readonly PermissionMode[] = [
  'default',
  'acceptEdits',
  'plan',
  'auto',
  'dontAsk',
  'bypassPermissions',
];

/** The place of an entry. `line` counts from 1; `pointer` is a JSON pointer (RFC 6901). */
export interface Provenance {
  readonly source: SettingsSourceName;
  readonly file?: string;
  readonly line?: number;
  readonly pointer?: string;
}

/** One permission rule as it was written. `root` is the folder that a `/path` in it is anchored at. */
export interface RuleEntry extends Provenance {
  readonly behavior: Behavior;
  readonly text: string;
  readonly root?: string;
}

/** One top-level key of one settings file, other than `permissions`. */
export interface SettingValue extends Provenance {
  readonly key: string;
  readonly value: unknown;
}

/** Something that was ignored, dropped or held back, in one line, with its place. */
export interface Diagnostic {
  readonly code: string;
  readonly message: string;
  readonly severity: 'error' | 'warning' | 'info';
  readonly file?: string;
  readonly line?: number;
  readonly pointer?: string;
}

/** All settings at one instant. Immutable. */
export interface SettingsSnapshot {
  readonly rules: readonly RuleEntry[];
  readonly mode: PermissionMode;
  /** Modes that settings switch off (`disableBypassPermissionsMode`); nothing sets them. */
  readonly switchedOff?: readonly PermissionMode[];
  /** Working directories beside the start folder; absolute. */
  readonly directories: readonly string[];
  readonly values: readonly SettingValue[];
  readonly diagnostics: readonly Diagnostic[];
  /** Where the mode was set; absent for the usual one. */
  readonly modeFrom?: Provenance;
}

/** The port behind the settings package. `current` is synchronous and cheap; a change is a new object. */
export interface SettingsSource {
  /** The newest settings; the same object as long as nothing changed. */
  current(): SettingsSnapshot;
  /** Writes an update to the settings file it names. Resolves once it is on disk; rejects with one sentence when it cannot be. */
  save?(update: PermissionUpdate): Promise<void>;
  /** Stops watching. Given 10 s when the gate closes. */
  close?(): void | Promise<void>;
}

/** No rules, mode `default`. */
export const emptySnapshot: SettingsSnapshot = Object.freeze({
  rules: Object.freeze([]),
  mode: 'default',
  directories: Object.freeze([]),
  values: Object.freeze([]),
  diagnostics: Object.freeze([]),
});

const sameRule = (a: RuleEntry) => (b: RuleEntry) =>
  a.behavior === b.behavior && a.text === b.text && a.source === b.source && a.root === b.root;

/**
 * What a call in a running turn goes by when settings changed under way: denies and asks of either
 * count, an allow only if it was there when the turn began and still is (security rule 14).
 */
export function tightened(first: SettingsSnapshot, newest: SettingsSnapshot): SettingsSnapshot {
  if (first === newest) return newest;
  const kept = first.rules.filter(
    (rule) => rule.behavior !== 'allow' || newest.rules.some(sameRule(rule)),
  );
  const added = newest.rules.filter(
    (rule) => rule.behavior !== 'allow' && !first.rules.some(sameRule(rule)),
  );
  const switchedOff = [...(first.switchedOff ?? []), ...(newest.switchedOff ?? [])];
  return {
    ...first,
    ...(switchedOff.length > 0 && { switchedOff }),
    rules: [...kept, ...added],
    directories: first.directories.filter((directory) => newest.directories.includes(directory)),
    diagnostics: newest.diagnostics,
  };
}

/** True when managed policy lets no other rules count, so that none may be kept (security rule 4). */
export const isManagedOnly = ({ values }: SettingsSnapshot): boolean =>
  values.some(
    ({ key, source, value }) =>
      key === 'allowManagedPermissionRulesOnly' && source === 'policySettings' && value !== false,
  );
