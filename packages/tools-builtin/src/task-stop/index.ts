export { createTaskStop, taskStop, type TaskStopOutput } from './task-stop.ts';
