import { setTimeout as wait } from 'node:timers/promises';
import { systemCode } from '../files/judged-path.ts';
import { hasRunningMember, markedProcesses } from './process-table.ts';

/** How often a dying group is looked at, in milliseconds. */
const pollMs = 10;
/** How long a killed group may take to vanish. It does at once, unless nobody reaps its zombies. */
const vanishMs = 500;

/** True while something of the group runs; zombies that nobody has reaped do not count, where that can be told. */
export function isGroupAlive(groupId: number): boolean {
  try {
    process.kill(-groupId, 0);
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
  return hasRunningMember(groupId) ?? true;
}

/**
 * Kills what inherited a mark of the environment and left the group (`setsid`).
 * @returns The processes that are still there.
 */
export async function endMarked(name: string, value: string): Promise<readonly number[]> {
  for (let round = 0; round < 5; round += 1) {
    const pids = markedProcesses(name, value);
    if (pids.length === 0) return [];
    for (const pid of pids) signalProcess(pid, 'SIGKILL');
    await wait(pollMs);
  }
  return markedProcesses(name, value);
}

/** Ends every process of a group: SIGTERM, and after `graceMs` SIGKILL. Never throws. */
export async function endGroup(groupId: number, graceMs: number): Promise<void> {
  signalGroup(groupId, 'SIGTERM');
  if (await isGone(groupId, graceMs)) return;
  signalGroup(groupId, 'SIGKILL');
  await isGone(groupId, vanishMs);
}

/** Signals a group that may be gone already. */
export const signalGroup = (groupId: number, signal: NodeJS.Signals): void =>
  signalProcess(-groupId, signal);

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Nobody there.
  }
}

async function isGone(groupId: number, withinMs: number): Promise<boolean> {
  const end = performance.now() + withinMs;
  while (isGroupAlive(groupId)) {
    if (performance.now() >= end) return false;
    await wait(pollMs);
  }
  return true;
}

/** Groups that must not outlive this process. Holds one listener while there are any. */
export class GroupGuard {
  readonly #groups = new Set<number>();
  readonly #onExit = () => {
    for (const groupId of this.#groups) signalGroup(groupId, 'SIGKILL');
  };

  add(groupId: number): void {
    if (this.#groups.size === 0) process.on('exit', this.#onExit);
    this.#groups.add(groupId);
  }

  remove(groupId: number): void {
    this.#groups.delete(groupId);
    if (this.#groups.size === 0) process.removeListener('exit', this.#onExit);
  }
}
