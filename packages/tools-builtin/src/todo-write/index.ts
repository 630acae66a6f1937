export { todoWrite, type Todo, type TodoWriteOutput } from './todo-write.ts';
