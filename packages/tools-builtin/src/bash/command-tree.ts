import { setTimeout as wait } from 'node:timers/promises';
import { systemCode } from '../files/judged-path.ts';
import { isMarked, pipesOf, runningProcesses, type ProcessEntry } from './process-table.ts';

/** How often dying processes are looked at, in milliseconds. */
const pollMs = 10;
/** How long a killed process may take to vanish. It does at once, unless nobody reaps its zombie. */
const vanishMs = 500;
/** How long what left the group is looked for and killed, on a machine with much else to do. */
const strayMs = 2_000;
/** How often that is done while this process exits, without waiting. */
const maxRounds = 20;

/**
 * The processes of one command, whose shell leads a group and a session of its own.
 *
 * Where there is /proc, what leaves the group (`setsid`) belongs to it, too: as a descendant and as a member
 * of the session of one, from the first look on and also when its parent is gone; by the mark in its
 * environment; and while it holds the command's output, if the shell lived long enough to be asked for that.
 * Elsewhere only the group is known.
 */
export class CommandTree {
  readonly #groupId: number;
  readonly #mark: string;
  readonly #pipes: readonly string[];
  readonly #sessions: Set<number>;
  readonly #members = new Map<number, ProcessEntry>();

  /**
   * @param groupId  The shell's process number, asked for right after its start.
   * @param mark     `name=value` of the shell's environment, in that of no other command.
   */
  constructor(groupId: number, mark: string) {
    this.#groupId = groupId;
    this.#mark = mark;
    this.#pipes = pipesOf(groupId, [1, 2]);
    this.#sessions = new Set([groupId]);
  }

  /** True while the shell's group has a running member; zombies do not count, where that can be told. */
  isGroupAlive(): boolean {
    try {
      process.kill(-this.#groupId, 0);
    } catch (error) {
      return systemCode(error) === 'EPERM';
    }
    return runningProcesses()?.some(({ groupId }) => groupId === this.#groupId) ?? true;
  }

  /** Ends all of it: SIGTERM, after `graceMs` SIGKILL. Never throws. */
  async end(graceMs: number): Promise<void> {
    if (!(await this.#endBy('SIGTERM', graceMs))) await this.#endBy('SIGKILL', vanishMs);
  }

  /**
   * Kills what is still there, by every sign it can be known by.
   * @returns The processes that could not be ended.
   */
  async killStrays(): Promise<readonly number[]> {
    const end = performance.now() + strayMs;
    for (;;) {
      const strays = this.#look({ everywhere: true });
      if (strays.length === 0 || performance.now() >= end) return strays.map(({ pid }) => pid);
      for (const { pid } of strays) signalProcess(pid, 'SIGKILL');
      await wait(pollMs);
    }
  }

  /** Kills all of it at once, while this process exits. */
  killNow(): void {
    const killed = new Set<string>();
    for (let round = 0; round < maxRounds; round += 1) {
      const fresh = this.#look({ everywhere: true }).filter((entry) => !killed.has(keyOf(entry)));
      signalProcess(-this.#groupId, 'SIGKILL');
      if (fresh.length === 0) return;
      for (const entry of fresh) {
        killed.add(keyOf(entry));
        signalProcess(entry.pid, 'SIGKILL');
      }
    }
  }

  /** Signals the group, and whoever is outside it as soon as it is seen. True when all are gone in time. */
  async #endBy(signal: NodeJS.Signals, withinMs: number): Promise<boolean> {
    const end = performance.now() + withinMs;
    const told = new Set<string>();
    for (let isFirst = true; ; isFirst = false) {
      const members = this.#look(); // Before the signal: the children of what ends are nobody's.
      if (isFirst) signalProcess(-this.#groupId, signal);
      for (const entry of members)
        if (!told.has(keyOf(entry)) && entry.groupId !== this.#groupId)
          signalProcess(entry.pid, signal);
      for (const entry of members) told.add(keyOf(entry));
      if (members.length === 0 && !this.isGroupAlive()) return true;
      if (performance.now() >= end) return false;
      await wait(pollMs);
    }
  }

  /** The members that run now. What was seen once stays a member. */
  #look({ everywhere = false } = {}): readonly ProcessEntry[] {
    const running = runningProcesses() ?? [];
    const now = new Map(running.map((entry) => [entry.pid, entry.startedAt]));
    for (const { pid, startedAt } of this.#members.values())
      if (now.get(pid) !== startedAt) this.#members.delete(pid);
    for (const entry of running)
      if (entry.groupId === this.#groupId || (everywhere && this.#hasSign(entry))) this.#add(entry);
    for (let before = -1; before !== this.#members.size;) {
      before = this.#members.size;
      for (const entry of running)
        if (this.#members.has(entry.parent) || this.#sessions.has(entry.sessionId))
          this.#add(entry);
    }
    return [...this.#members.values()];
  }

  #hasSign({ pid }: ProcessEntry): boolean {
    return isMarked(pid, this.#mark) || pipesOf(pid).some((name) => this.#pipes.includes(name));
  }

  #add(entry: ProcessEntry): void {
    this.#members.set(entry.pid, entry);
    // A session counts by its leader: one that others lead holds more than ours.
    if (entry.sessionId === entry.pid) this.#sessions.add(entry.pid);
  }
}

const keyOf = ({ pid, startedAt }: ProcessEntry): string => `${pid} ${startedAt}`;

/** Signals a process, or a group by its negative number; it may be gone already. */
function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Nobody there.
  }
}

/** Commands that must not outlive this process. Holds one listener while there are any. */
export class CommandGuard {
  readonly #trees = new Set<CommandTree>();
  readonly #onExit = () => {
    for (const tree of this.#trees) tree.killNow();
  };

  add(tree: CommandTree): void {
    if (this.#trees.size === 0) process.on('exit', this.#onExit);
    this.#trees.add(tree);
  }

  remove(tree: CommandTree): void {
    this.#trees.delete(tree);
    if (this.#trees.size === 0) process.removeListener('exit', this.#onExit);
  }
}
