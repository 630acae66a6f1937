export { glob, type GlobOutput } from './glob.ts';
