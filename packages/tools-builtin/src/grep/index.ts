export { createGrep, grep, type GrepOutput } from './grep.ts';
export type { SearchEngine, SearchOptions } from '../search/find-ripgrep.ts';
