export { bash, createBash, type BashOptions, type BashOutput, type BashProgress } from './bash.ts';
