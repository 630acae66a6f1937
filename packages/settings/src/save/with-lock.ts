import { createHash, randomUUID } from 'node:crypto';
import { link, open, readFile, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';

/** How long a lock is waited for, and how old one may be before its holder counts as gone, in milliseconds. */
const patienceMs = 10_000;
const staleMs = 30_000;

/**
 * Does something while no other process does the same for that file. The lock is `FILE.lock` and names its
 * holder; one whose process is gone is taken over.
 *
 * @throws Error, as a rejection, when the lock is held for 10 s.
 */
export async function withLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  const lock = `${file}.lock`;
  const mine = JSON.stringify({ pid: process.pid, host: hostname(), id: randomUUID() });
  await take(lock, mine);
  try {
    return await work();
  } finally {
    if ((await textOf(lock)) === mine) await rm(lock, { force: true });
  }
}

async function take(lock: string, mine: string): Promise<void> {
  const until = performance.now() + patienceMs;
  for (let pauseMs = 5; ; pauseMs = Math.min(pauseMs * 2, 100)) {
    if (await create(lock, mine)) return;
    await takeOver(lock);
    if (performance.now() > until)
      throw new Error(`${lock} is held by another process; remove it if that is gone`);
    await wait(pauseMs * (0.5 + Math.random() / 2));
  }
}

async function create(lock: string, mine: string): Promise<boolean> {
  // Written apart and linked, so that a lock is never there without its holder's name.
  const ready = `${lock}.${randomUUID()}`;
  const handle = await open(ready, 'wx', 0o600);
  try {
    await handle.writeFile(mine);
    await handle.close();
    await link(ready, lock);
    return true;
  } catch (thrown) {
    if (Object(thrown).code === 'EEXIST') return false;
    throw thrown;
  } finally {
    await rm(ready, { force: true });
  }
}

/**
 * Removes a lock whose holder is gone. Of all that see it one alone may: whoever makes the claim on exactly that
 * lock. Without it a slow one would remove the lock that a faster one has taken meanwhile, and two would write.
 */
async function takeOver(lock: string): Promise<void> {
  const held = await textOf(lock);
  if (held === undefined || !(await isGone(lock, held))) return;
  const claim = `${lock}.${createHash('sha256').update(held).digest('hex').slice(0, 32)}`;
  if (
    await create(claim, JSON.stringify({ pid: process.pid, host: hostname(), id: randomUUID() }))
  ) {
    if ((await textOf(lock)) === held) await rm(lock, { force: true });
    await rm(claim, { force: true });
    return;
  }
  const claimant = await textOf(claim);
  if (claimant !== undefined && (await isGone(claim, claimant))) await rm(claim, { force: true });
}

async function isGone(lock: string, held: string): Promise<boolean> {
  try {
    const { pid, host } = JSON.parse(held) as { readonly pid?: unknown; readonly host?: unknown }; // only read
    if (host === hostname() && typeof pid === 'number') return !isAlive(pid);
  } catch {
    // no lock of ours
  }
  const stats = await stat(lock).catch(() => undefined);
  return stats !== undefined && Date.now() - stats.mtimeMs > staleMs;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return Object(thrown).code === 'EPERM';
  }
}

const textOf = (file: string): Promise<string | undefined> =>
  readFile(file, 'utf8').catch(() => undefined);
