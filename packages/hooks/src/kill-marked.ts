import { readdirSync, readFileSync } from 'node:fs';

/** The variable in the environment of a command that its children keep, even in a session of their own. */
export const markName = 'TOOLGATE_HOOK_ID';
/** A mark beside those that the process itself began under: a hook may run hooks. */
export const withMark = (env: Readonly<Record<string, string>>, mark: string) => ({
  ...env,
  [markName]: [env[markName], mark].filter(Boolean).join(' '),
});
/** While some are found, what they start meanwhile is looked for again. */
const maxRounds = 20;

/**
 * Ends every process whose environment says that it began under a mark, or under one that holds it. Only
 * where the system shows environments in `/proc`; a process that gave its environment up is not found.
 */
export function killMarked(mark: string): void {
  for (let round = 0; round < maxRounds; round++) {
    const found = processes().filter((pid) => isMarked(pid, mark));
    if (found.length === 0) return;
    for (const pid of found) kill(pid);
  }
}

function processes(): readonly number[] {
  try {
    return readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 0 && pid !== process.pid);
  } catch {
    return [];
  }
}

function isMarked(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .some((entry) => entry.startsWith(`${markName}=`) && entry.includes(mark));
  } catch {
    return false; // gone, or another user's
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}
