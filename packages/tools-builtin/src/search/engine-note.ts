import type { SearchEngine } from './find-ripgrep.ts';

/** Says that a search ran without the packaged ripgrep; undefined when it ran on that. */
export const engineNote = (engine: SearchEngine): string | undefined =>
  engine === 'ripgrep'
    ? undefined
    : engine === 'walk'
      ? 'Searched without ripgrep, by a walk in JavaScript.'
      : 'Searched with the rg on the PATH.';
