import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** A process that runs; a zombie is none. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly groupId: number;
  readonly sessionId: number;
  /** With `pid`, names one process: numbers are used again. */
  readonly startedAt: string;
}

/** What runs on this machine but this process; undefined where that cannot be told (no Linux, no /proc). */
export function runningProcesses(): readonly ProcessEntry[] | undefined {
  if (process.platform !== 'linux') return undefined;
  const pids = namesIn('/proc').filter((name) => /^\d+$/.test(name));
  if (pids.length === 0) return undefined;
  return pids.flatMap((pid) => {
    // pid (name) state parent group session … start, the 22nd; the name may hold anything.
    const fields = read(`/proc/${pid}/stat`)
      .replace(/^.*\) /s, '')
      .split(' ');
    const [state, parent, groupId, sessionId] = fields;
    if (!state || state === 'Z' || state === 'X' || Number(pid) === process.pid) return [];
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        groupId: Number(groupId),
        sessionId: Number(sessionId),
        startedAt: fields[19] ?? '',
      },
    ];
  });
}

/** Whether a process was started with this `name=value` in its environment. */
export const isMarked = (pid: number, mark: string): boolean =>
  read(`/proc/${pid}/environ`).split('\0').includes(mark);

/** The names of the pipes and sockets that a process holds, as one of `descriptors` where given. */
export function pipesOf(pid: number, descriptors?: readonly number[]): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  return (descriptors ?? namesIn(folder))
    .map((descriptor) => linkIn(`${folder}/${descriptor}`))
    .filter((name) => /^(socket|pipe):/.test(name));
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

function linkIn(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
