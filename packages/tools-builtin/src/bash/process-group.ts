import { setTimeout as wait } from 'node:timers/promises';

/** How often a dying group is looked at, in milliseconds. */
const pollMs = 10;
/** How long a killed group may take to vanish. It does at once, unless nobody reaps its zombies. */
const vanishMs = 500;

/** True while the group has members. Some systems count zombies. */
export function isGroupAlive(groupId: number): boolean {
  try {
    process.kill(-groupId, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Ends every process of a group: SIGTERM, and after `graceMs` SIGKILL. Never throws. */
export async function endGroup(groupId: number, graceMs: number): Promise<void> {
  signalGroup(groupId, 'SIGTERM');
  if (await isGone(groupId, graceMs)) return;
  signalGroup(groupId, 'SIGKILL');
  await isGone(groupId, vanishMs);
}

/** Signals a group that may be gone already. */
export function signalGroup(groupId: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-groupId, signal);
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
