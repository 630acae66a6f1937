import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HookEvent } from './hook-events.ts';

/** The events whose commands may write `export` lines to `CLAUDE_ENV_FILE`. */
const events: readonly HookEvent[] = ['SessionStart', 'Setup', 'CwdChanged', 'FileChanged'];
const maxBytes = 65_536;

/** A file that commands of one event may write to. */
export interface EnvFile {
  readonly path: string;
  /** What they wrote, at most 64 KiB; the file is gone then. */
  take(): Promise<string>;
}

/** Makes the file in a private folder; undefined for other events, or where it cannot be made. */
export async function envFileFor(event: HookEvent): Promise<EnvFile | undefined> {
  if (!events.includes(event)) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'toolgate-hook-')).catch(() => undefined);
  if (folder === undefined) return undefined;
  const path = join(folder, 'env');
  return {
    path,
    async take() {
      try {
        const file = await open(path);
        const { bytesRead, buffer } = await file.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
        await file.close();
        return buffer.subarray(0, bytesRead).toString('utf8');
      } catch {
        return ''; // nobody wrote anything
      } finally {
        await rm(folder, { recursive: true, force: true }).catch(() => undefined);
      }
    },
  };
}
