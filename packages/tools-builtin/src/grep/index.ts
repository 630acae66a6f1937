export { grep, type GrepOutput } from './grep.ts';
