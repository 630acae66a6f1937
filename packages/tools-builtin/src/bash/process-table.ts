import { readdirSync, readFileSync } from 'node:fs';

interface ProcessEntry {
  readonly pid: number;
  readonly groupId: number;
  readonly isZombie: boolean;
}

/** The processes of this machine; empty where there is no /proc. */
function* processes(): Generator<ProcessEntry> {
  for (const name of namesIn('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    // pid (name) state parent group …; the name may hold anything.
    const [state, , groupId] = read(`/proc/${name}/stat`)
      .replace(/^.*\) /s, '')
      .split(' ');
    if (state) yield { pid: Number(name), groupId: Number(groupId), isZombie: state === 'Z' };
  }
}

/** Whether a group has a member that still runs. Undefined where that cannot be told. */
export function hasRunningMember(groupId: number): boolean | undefined {
  if (process.platform !== 'linux') return undefined;
  let sawAny = false;
  for (const entry of processes()) {
    sawAny = true;
    if (entry.groupId === groupId && !entry.isZombie) return true;
  }
  return sawAny ? false : undefined;
}

/** Processes that inherited `name=value`, wherever they went. None where that cannot be told. */
export function markedProcesses(name: string, value: string): readonly number[] {
  if (process.platform !== 'linux') return [];
  const marker = `${name}=${value}`;
  return [...processes()]
    .filter(({ pid, isZombie }) => !isZombie && pid !== process.pid)
    .map(({ pid }) => pid)
    .filter((pid) => read(`/proc/${pid}/environ`).split('\0').includes(marker));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return ''; // Gone, or another user's.
  }
}
