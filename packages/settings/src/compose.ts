import {
  isManagedOnly,
  resolvePath,
  type Diagnostic,
  type RuleEntry,
  type SettingsSnapshot,
} from '@toolgate/core';
import type { FileEntries } from './file-entries.ts';
import { settleMode } from './settle-mode.ts';

/** Joins what all files say, given weakest first, into one frozen snapshot. */
export function compose(
  files: readonly FileEntries[],
  options: {
    readonly cwd: string;
    readonly home: string;
    readonly trusted: boolean;
    readonly more?: readonly Diagnostic[];
  },
): SettingsSnapshot {
  const { cwd, home, trusted, more = [] } = options;
  const { mode, modeFrom, switchedOff, diagnostics } = settleMode(files, trusted);
  const folders = files.flatMap(({ directories }) => directories);
  const values = files.flatMap((file) => file.values);
  const { rules, held } = managedAlone(
    files.flatMap((file) => file.rules),
    values,
  );
  return deepFreeze({
    rules,
    mode,
    ...(modeFrom && { modeFrom }),
    ...(switchedOff.length > 0 && { switchedOff }),
    directories: [...new Set(folders.map(({ value }) => resolvePath(value, cwd, home)))],
    values,
    diagnostics: [...more, ...files.flatMap((file) => file.diagnostics), ...diagnostics, ...held],
  });
}

/** Where managed rules alone count, those of others that allow are left out; what tightens stays. */
function managedAlone(
  rules: readonly RuleEntry[],
  values: SettingsSnapshot['values'],
): { readonly rules: readonly RuleEntry[]; readonly held: readonly Diagnostic[] } {
  const left = ({ behavior, source }: RuleEntry) =>
    behavior === 'allow' && source !== 'policySettings';
  if (!isManagedOnly({ values } as SettingsSnapshot)) return { rules, held: [] }; // it reads the values alone
  const others = rules.filter(left);
  const held = [...new Set(others.map(({ file }) => file))].map((file): Diagnostic => {
    const [first, ...more] = others.filter((rule) => rule.file === file);
    return {
      code: 'held-back',
      severity: 'warning',
      message: `${more.length + 1} allow rule${more.length === 0 ? '' : 's'} of this file held back: your organisation lets its own rules alone allow (allowManagedPermissionRulesOnly).`,
      ...(file !== undefined && { file }),
      ...(first?.line !== undefined && { line: first.line }),
      ...(first?.pointer !== undefined && { pointer: first.pointer }),
    };
  });
  return { rules: rules.filter((rule) => !left(rule)), held };
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}
