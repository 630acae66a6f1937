import { Newest } from '../search/newest.ts';
import type { GrepInput, GrepMode } from './grep-input.ts';
import type { GrepOutput } from './grep-output.ts';
import { countMatches, hasMatch, matchText, type MatchOptions } from './match-text.ts';

/** What part of all that is found is shown: from `offset` to `most`. */
export interface Bounds {
  readonly most: number;
  readonly offset: number;
  readonly show: (path: string) => string;
}

/** Gathers one output mode's result, file by file. */
export interface Collector {
  add(file: {
    readonly text: string;
    readonly path: string;
    readonly modifiedMs: number;
    readonly pattern: RegExp;
  }): void;
  isDone(): boolean;
  end(): Omit<GrepOutput, 'mode' | 'appliedOffset' | 'skipped' | 'engine'>;
}

/** One for each output mode. */
export const collectors: Readonly<
  Record<GrepMode, (input: GrepInput, bounds: Bounds) => Collector>
> = {
  files_with_matches: filesCollector,
  content: contentCollector,
  count: countCollector,
};

const matchOptions = (input: GrepInput, pattern: RegExp, most: number): MatchOptions => {
  const around = input['-C'] ?? input.context ?? 0;
  return {
    pattern,
    multiline: input.multiline ?? false,
    before: input['-B'] ?? around,
    after: input['-A'] ?? around,
    onlyMatching: input['-o'] ?? false,
    most,
  };
};

function filesCollector(input: GrepInput, { most, offset, show }: Bounds): Collector {
  const newest = new Newest(most);
  return {
    add({ text, path, modifiedMs, pattern }) {
      if (hasMatch(text, matchOptions(input, pattern, 1))) newest.add({ path, modifiedMs });
    },
    isDone: () => false,
    end() {
      const filenames = newest
        .list()
        .slice(offset)
        .map(({ path }) => show(path));
      return { numFiles: filenames.length, filenames, truncated: newest.count > most };
    },
  };
}

function contentCollector(input: GrepInput, { most, offset, show }: Bounds): Collector {
  const lines: string[] = [];
  const files = new Set<string>();
  let numMatches = 0;
  const numbers = input['-n'] ?? true;
  const takesContext = (input['-A'] ?? input['-B'] ?? input['-C'] ?? input.context ?? 0) > 0;
  return {
    add({ text, path, pattern }) {
      const found = matchText(text, matchOptions(input, pattern, most + 1 - lines.length));
      const name = show(path);
      if (takesContext && found.length > 0 && lines.length > 0) lines.push('--');
      for (const line of found) {
        if (line.kind === 'gap') {
          lines.push('--');
          continue;
        }
        const mark = line.kind === 'match' ? ':' : '-';
        lines.push(name + mark + (numbers ? `${line.number}${mark}` : '') + line.text);
        if (line.kind === 'match') numMatches += 1;
        files.add(name);
      }
    },
    isDone: () => lines.length > most,
    end() {
      const shown = lines.slice(offset, most);
      return {
        numFiles: files.size,
        filenames: [...files],
        content: shown.join('\n'),
        numLines: shown.length,
        numMatches,
        truncated: lines.length > most,
      };
    },
  };
}

function countCollector(input: GrepInput, { most, offset, show }: Bounds): Collector {
  const lines: string[] = [];
  const filenames: string[] = [];
  let numMatches = 0;
  return {
    add({ text, path, pattern }) {
      const count = countMatches(text, matchOptions(input, pattern, Infinity));
      if (count === 0) return;
      const name = show(path);
      lines.push(`${name}:${count}`);
      filenames.push(name);
      numMatches += count;
    },
    isDone: () => lines.length > most,
    end() {
      const shown = lines.slice(offset, most);
      return {
        numFiles: shown.length,
        filenames: filenames.slice(offset, most),
        content: shown.join('\n'),
        numLines: shown.length,
        numMatches,
        truncated: lines.length > most,
      };
    },
  };
}
