export { createGlob, glob, type GlobOutput } from './glob.ts';
export type { SearchEngine, SearchOptions } from '../search/find-ripgrep.ts';
