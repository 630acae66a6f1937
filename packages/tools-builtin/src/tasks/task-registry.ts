import { randomBytes } from 'node:crypto';
import type { ToolUseContext } from '@toolgate/core';

/** How a background task stands. */
export type TaskStatus = 'running' | 'completed' | 'failed' | 'stopped';

/** What is known of a background task; kept in the application's state under `tasks`, by id. */
export interface TaskInfo {
  readonly id: string;
  readonly type: 'local_bash' | 'local_agent';
  readonly toolUseId: string;
  /** The sub-agent it belongs to; undefined for the main one. */
  readonly agentId?: string;
  /** What runs; of an agent, its description. */
  readonly command: string;
  readonly description: string;
  readonly status: TaskStatus;
  /** Once it has ended. */
  readonly exitCode?: number;
  /** Why it was stopped. */
  readonly reason?: string;
  /** The whole output, up to a cap; undefined when it could not be kept. */
  readonly outputFile?: string;
  readonly startedAt: string;
  readonly endedAt?: string;
  /** Processes that could not be ended. */
  readonly survivors?: readonly number[];
}

/** What a registry asks of a task. */
export interface TaskControl {
  /** Both streams as far as they are kept in memory. */
  readonly output: () => string;
  /** Ends it; its `ended` follows. */
  readonly stop: (reason: string) => void;
  /** How it ended. Never rejects. */
  readonly ended: Promise<Pick<TaskInfo, 'status' | 'exitCode' | 'survivors'>>;
}

interface Entry {
  readonly sessionId: string;
  readonly control: TaskControl;
  info: TaskInfo;
  reason?: string;
  isTold: boolean;
  done: Promise<void>;
}

/** Most ended tasks remembered of one session. */
const maxEnded = 100;

type Whose = Pick<ToolUseContext, 'sessionId' | 'agentId'>;

/**
 * The background tasks of a set of tools. A task is seen by the agent that started it and by those it works
 * for; ids are random, so that none can be guessed (security rule 19).
 */
export class TaskRegistry {
  readonly #entries = new Map<string, Entry>();
  readonly #others = new Map<string, Map<string, () => Promise<void>>>();

  /** Takes on what runs; `context` is that of the call it began in. */
  add(
    task: Pick<TaskInfo, 'command' | 'description' | 'outputFile'> & {
      readonly type?: TaskInfo['type'];
      readonly control: TaskControl;
    },
    context: ToolUseContext,
  ): TaskInfo {
    const { control, ...rest } = task;
    const { sessionId, agentId, toolUseId } = context;
    const info: TaskInfo = {
      ...rest,
      id: `task_${randomBytes(8).toString('hex')}`,
      type: task.type ?? 'local_bash',
      toolUseId,
      ...(agentId !== undefined && { agentId }),
      status: 'running',
      startedAt: new Date().toISOString(),
    };
    const entry: Entry = { sessionId, control, info, isTold: false, done: Promise.resolve() };
    entry.done = control.ended.then((ending) => {
      entry.info = {
        ...entry.info,
        ...ending,
        ...(entry.reason !== undefined && { reason: entry.reason }),
        endedAt: new Date().toISOString(),
      };
      publish(entry.info, context);
      context.addNotification({ text: `${sentenceOf(entry.info)}` });
      this.#forgetOld(sessionId);
    });
    this.#entries.set(info.id, entry);
    publish(info, context);
    return info;
  }

  /** A task that this agent may see. */
  find(id: string, whose: Whose): TaskInfo | undefined {
    return this.#entry(id, whose)?.info;
  }

  /** The ids of the tasks that this agent may see. */
  ids(whose: Whose): readonly string[] {
    return [...this.#entries.keys()].filter((id) => this.#entry(id, whose));
  }

  /** What a task printed, as far as it is in memory. */
  output(id: string, whose: Whose): string {
    return this.#entry(id, whose)?.control.output() ?? '';
  }

  /** Resolves when the task has ended, or after `ms`, or rejects when `signal` aborts. */
  async wait(
    id: string,
    whose: Whose,
    limit: { readonly ms: number; readonly signal: AbortSignal },
  ) {
    const entry = this.#entry(id, whose);
    if (!entry || entry.info.status !== 'running') return;
    const { ms, signal } = limit;
    signal.throwIfAborted();
    let timer: NodeJS.Timeout | undefined;
    let onAbort: (() => void) | undefined;
    try {
      await Promise.race([
        entry.done,
        new Promise<void>((resolve, reject) => {
          timer = setTimeout(resolve, ms);
          onAbort = () => reject(new Error('The call was aborted.'));
          signal.addEventListener('abort', onAbort, { once: true });
        }),
      ]);
    } finally {
      clearTimeout(timer);
      if (onAbort) signal.removeEventListener('abort', onAbort);
    }
  }

  /** Ends a task and everything it started, and waits for that. */
  async stop(id: string, whose: Whose, reason: string): Promise<TaskInfo | undefined> {
    const entry = this.#entry(id, whose);
    if (!entry) return undefined;
    if (entry.info.status === 'running') {
      entry.reason = reason;
      entry.control.stop(reason);
    }
    await entry.done;
    entry.isTold = true;
    return entry.info;
  }

  /** What ended and was not told yet, once: sentences for the model. */
  takeNotices(whose: Whose): readonly string[] {
    return [...this.#entries.values()].flatMap((entry) => {
      const { info } = entry;
      if (entry.isTold || info.status === 'running') return [];
      if (entry.sessionId !== whose.sessionId || info.agentId !== whose.agentId) return [];
      entry.isTold = true;
      return [sentenceOf(info)];
    });
  }

  /** The model has been told how it ended. */
  markTold(id: string): void {
    const entry = this.#entries.get(id);
    if (entry && entry.info.status !== 'running') entry.isTold = true;
  }

  /** Has something else ended with the session; of one key, what was said last. */
  alsoEnd(sessionId: string, key: string, end: () => Promise<void>): void {
    const others = this.#others.get(sessionId) ?? new Map<string, () => Promise<void>>();
    this.#others.set(sessionId, others.set(key, end));
  }

  /** Ends all tasks of a session and forgets them. */
  async endSession(sessionId: string): Promise<void> {
    const entries = [...this.#entries].filter(([, entry]) => entry.sessionId === sessionId);
    for (const [, entry] of entries) {
      if (entry.info.status !== 'running') continue;
      entry.reason = 'the session ended';
      entry.control.stop(entry.reason);
    }
    const others = [...(this.#others.get(sessionId)?.values() ?? [])];
    this.#others.delete(sessionId);
    await Promise.all([...entries.map(([, entry]) => entry.done), ...others.map((end) => end())]);
    for (const [id] of entries) this.#entries.delete(id);
  }

  #entry(id: string, { sessionId, agentId }: Whose): Entry | undefined {
    const entry = this.#entries.get(id);
    return entry?.sessionId === sessionId && isBelow(entry.info.agentId, agentId)
      ? entry
      : undefined;
  }

  #forgetOld(sessionId: string): void {
    const ended = [...this.#entries].filter(
      ([, entry]) => entry.sessionId === sessionId && entry.info.status !== 'running',
    );
    for (const [id] of ended.slice(0, Math.max(0, ended.length - maxEnded)))
      this.#entries.delete(id);
  }
}

/** True for an agent itself and for those that work for it, whose ids go on from its own with a slash. */
const isBelow = (agentId: string | undefined, of: string | undefined): boolean =>
  of === undefined || agentId === of || (agentId?.startsWith(`${of}/`) ?? false);

function publish(info: TaskInfo, context: ToolUseContext): void {
  context.setAppState((state) => ({
    ...state,
    tasks: { ...(typeof state['tasks'] === 'object' ? state['tasks'] : {}), [info.id]: info },
  }));
}

/** How a task stands, in a sentence. */
export function sentenceOf({
  id,
  status,
  exitCode,
  reason,
  survivors,
  outputFile,
}: TaskInfo): string {
  const how = {
    running: 'is running',
    completed: exitCode === undefined ? 'has ended' : `ended with exit code ${exitCode}`,
    failed: exitCode === undefined ? 'failed' : `failed with exit code ${exitCode}`,
    stopped: `was stopped${reason === undefined ? '' : `: ${reason}`}`,
  }[status];
  const left = survivors ? ` Still running: process ${survivors.join(', ')}.` : '';
  const where = outputFile === undefined ? '' : ` Its output is in ${outputFile}.`;
  return `Background task ${id} ${how}.${left}${where}`;
}
