import { TaskRegistry } from './task-registry.ts';

/**
 * The registry of the tools that come ready made: `bash`, `taskOutput` and `taskStop` are the same objects in
 * every gate, so that a call can be told by its tool (`isCallOf`). Each task belongs to one session.
 */
export const sessionTasks = new TaskRegistry();
