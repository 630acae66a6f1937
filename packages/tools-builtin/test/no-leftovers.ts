import { readdirSync, readFileSync } from 'node:fs';
import { beforeEach, expect, onTestFinished } from 'vitest';

/** The processes that this one started and that are still there, zombies too, by number. */
function children(): readonly string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
          .replace(/^.*\) /s, '')
          .split(' ');
        return fields[1] === String(process.pid);
      } catch {
        return false; // Gone.
      }
    });
}

/** After each test of a file, and after what it cleans up, no process is left that was not there before. */
export function noLeftovers(): void {
  beforeEach(() => {
    const before = children();
    // Registered first, so it comes last. Node reaps a child as soon as it gets to it.
    onTestFinished(() =>
      expect.poll(() => children().filter((pid) => !before.includes(pid))).toEqual([]),
    );
  });
}
