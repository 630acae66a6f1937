export { createTaskOutput, taskOutput, type TaskOutputOutput } from './task-output.ts';
