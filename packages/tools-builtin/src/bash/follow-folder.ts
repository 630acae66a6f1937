import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A command that tells where it ended, and how to read that. */
export interface FollowedScript {
  readonly script: string;
  /** The private folder it tells it in; undefined when there is none. */
  readonly folder?: string;
  /** The shell's last working directory, links resolved; undefined when it did not tell. */
  finalFolder(): Promise<string | undefined>;
  remove(): Promise<void>;
}

/**
 * Lets a command tell its last working directory through a private file, written by an EXIT trap.
 *
 * A trap survives `exit`, `set -e` and syntax errors, and is not inherited by subshells; a file, unlike
 * a further descriptor, is not handed to children, which might keep it open or use its number. The trap
 * stands on the command's first line, so line numbers stay as they are. A command that sets its own EXIT
 * trap, or replaces the shell with `exec`, is not followed.
 */
export async function followFolder(command: string): Promise<FollowedScript> {
  const folder = await mkdtemp(join(tmpdir(), 'toolgate-')).catch(() => undefined);
  // Without a place to write to the command runs all the same, and is not followed.
  if (folder === undefined) return { script: command, finalFolder: nothing, remove: nothing };
  const file = join(folder, 'cwd');
  const tell = `builtin pwd -P 2>/dev/null >|${quote(file)}`;
  return {
    folder,
    script: `trap ${quote(tell)} EXIT; ${command}`,
    async finalFolder() {
      const text = await readFile(file, 'utf8').catch(() => '');
      return text.startsWith('/') ? text.replace(/\n$/, '') : undefined;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

const nothing = () => Promise.resolve(undefined);

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
