import { fileEntries, type FileEntries } from './file-entries.ts';
import type { SettingsFile } from './reading.ts';

/**
 * What holds in place of a managed file that cannot be read in full: what it may have forbidden is forbidden.
 * Managed rules and hooks alone count, and no mode that stops asking; its readable deny and ask rules bind.
 */
export function lockedPolicy(place: SettingsFile, read: FileEntries | undefined): FileEntries {
  const { source, file } = place;
  return {
    ...(read ?? fileEntries(place, '{}')),
    switchedOff: ['bypassPermissions', 'auto'],
    values: ['allowManagedPermissionRulesOnly', 'allowManagedHooksOnly'].map((key) => ({
      key,
      value: true,
      source,
      file,
    })),
  };
}
