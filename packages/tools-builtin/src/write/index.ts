export { write, type WriteOutput } from './write.ts';
