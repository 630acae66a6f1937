export { read, type ReadOutput } from './read.ts';
