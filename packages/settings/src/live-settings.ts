import { statSync, watch, type FSWatcher } from 'node:fs';
import { dirname } from 'node:path';
import {
  tightened,
  type Diagnostic,
  type PermissionUpdate,
  type RuleEntry,
  type SettingsSnapshot,
  type SettingsSource,
} from '@toolgate/core';
import { stricterMode } from './settle-mode.ts';
import { whatWaits, type Waiting } from './what-waits.ts';

/** Settings that follow their files while a session runs. */
export interface LiveSettings extends SettingsSource {
  save(update: PermissionUpdate): Promise<void>;
  /** What files say now and would loosen, each with its place. It waits for a person, or for the next session. */
  waiting(): readonly Waiting[];
  /** A person said yes to all that waits. */
  accept(): void;
  /** Calls back whenever the settings changed. The answer ends it. */
  onChange(listener: (settings: SettingsSnapshot) => void): () => void;
  close(): void;
}

/** What a source reads: its files, and what they say at one time. */
export interface Reader {
  /** Reads all files anew. Never throws. */
  read(): SettingsSnapshot;
  /** The files that are looked at for changes. */
  files(): readonly string[];
  save(update: PermissionUpdate): Promise<void>;
}

/**
 * Follows the files: before each answer it looks whether one changed, so that a deny added by hand binds the
 * very next call; and it hears of changes in between. What tightens counts at once. What loosens waits
 * (security rule 14); only what Toolgate itself saved counts without waiting.
 */
export function liveSettings(reader: Reader, watches: boolean): LiveSettings {
  let accepted = reader.read();
  let newest = accepted;
  let current = accepted;
  let marks = marksOf(reader.files());
  const listeners = new Set<(settings: SettingsSnapshot) => void>();
  const watchers = new Map<string, FSWatcher>();

  const settle = () => {
    const merged = accepted === newest ? newest : withWaiting(accepted, newest);
    if (JSON.stringify(merged) === JSON.stringify(current)) return;
    current = merged;
    for (const listener of listeners) listener(current);
  };
  const look = () => {
    const now = marksOf(reader.files());
    if (now === marks) return;
    marks = now;
    const read = reader.read();
    newest = JSON.stringify(read) === JSON.stringify(accepted) ? accepted : read;
    settle();
    follow();
  };
  const follow = () => {
    if (!watches) return;
    for (const folder of new Set(reader.files().map((file) => nearestFolder(dirname(file))))) {
      if (watchers.has(folder)) continue;
      try {
        const watcher = watch(folder, { persistent: false }, look);
        watcher.on('error', () => {
          watcher.close();
          watchers.delete(folder);
        });
        watchers.set(folder, watcher);
      } catch {
        // Looked at before each answer all the same.
      }
    }
  };
  follow();
  return {
    current() {
      look();
      return current;
    },
    async save(update) {
      await reader.save(update);
      look();
      const isSaved = (rule: RuleEntry) =>
        'rules' in update &&
        rule.source === update.destination &&
        rule.behavior === update.behavior &&
        update.rules.some(
          ({ toolName, ruleContent }) =>
            rule.text === (ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`),
        );
      const mine = newest.rules.filter(
        (rule) => isSaved(rule) && !accepted.rules.some((other) => isSame(rule, other)),
      );
      if (mine.length > 0)
        accepted = Object.freeze({ ...accepted, rules: [...accepted.rules, ...mine] });
      settle();
    },
    waiting() {
      look();
      return whatWaits(accepted, newest);
    },
    accept() {
      look();
      accepted = newest;
      settle();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close() {
      for (const watcher of watchers.values()) watcher.close();
      watchers.clear();
      listeners.clear();
    },
  };
}

const isSame = (a: RuleEntry, b: RuleEntry): boolean =>
  a.behavior === b.behavior && a.text === b.text && a.source === b.source && a.root === b.root;

/** What counts now: the accepted state, tightened by whatever the newest one says. */
function withWaiting(accepted: SettingsSnapshot, newest: SettingsSnapshot): SettingsSnapshot {
  const merged = tightened(accepted, newest);
  const mode = stricterMode(accepted.mode, newest.mode);
  const waits = whatWaits(accepted, newest);
  return Object.freeze({
    ...merged,
    mode: merged.switchedOff?.includes(mode) ? 'default' : mode,
    diagnostics: [...newest.diagnostics, ...waits.map(waitsDiagnostic)],
  });
}

const waitsDiagnostic = ({ what, file, line, pointer }: Waiting): Diagnostic => ({
  code: 'settings-waiting',
  severity: 'warning',
  message: `${what} changed while running and would loosen, so it waits for a person's yes or the next session.`,
  ...(file !== undefined && { file }),
  ...(line !== undefined && { line }),
  ...(pointer !== undefined && { pointer }),
});

/** Tells a file that changed from one that did not, without reading it. */
const marksOf = (files: readonly string[]): string =>
  files
    .map((file) => {
      const stats = statsOf(file);
      return stats ? `${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}` : '-';
    })
    .join(' ');

function statsOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false, bigint: true });
  } catch {
    return undefined; // a link that leads in circles, a folder that may not be entered
  }
}

/** The folder itself, or what is there of the way to it. */
function nearestFolder(folder: string): string {
  for (let at = folder; ; at = dirname(at))
    if (statsOf(at)?.isDirectory() || dirname(at) === at) return at;
}
