export { backgroundTasks } from './background-tasks.ts';
export { TaskRegistry, type TaskControl, type TaskInfo, type TaskStatus } from './task-registry.ts';
