import { buildTool } from '@toolgate/core';
import { z } from 'zod';
import { allowReads } from '../allow-reads.ts';
import { absoluteField, fileError } from '../files/judged-path.ts';
import { globProblem } from '../search/check-pattern.ts';
import { engineNote } from '../search/engine-note.ts';
import { findSearcher, type SearchEngine, type SearchOptions } from '../search/find-ripgrep.ts';
import { searchProgress, type SearchProgress } from '../search/progress.ts';
import { deniedNote } from '../search/denied-note.ts';
import { searchRoot, shownPath } from '../search/search-root.ts';
import { globByRipgrep, globByWalk } from './find-files.ts';

/** Most files in a result. */
const maxFiles = 100;

const inputSchema = z.strictObject({
  pattern: z.string().min(1).describe('What the paths look like, such as src/**/*.ts'),
  path: z.string().min(1).optional().describe('Folder to search, the working directory by default'),
});

/** The files that were found; hooks get it as `tool_response`. */
export interface GlobOutput {
  readonly durationMs: number;
  readonly numFiles: number;
  /** Newest first; from the working directory, or absolute when outside it. */
  readonly filenames: readonly string[];
  readonly truncated: boolean;
  readonly totalMatches: number;
  /** Matches left out because a rule denies reading them. */
  readonly denied: number;
  /** What ran: the packaged ripgrep, `rg` of the system, or a walk in JavaScript. */
  readonly engine: SearchEngine;
}

const description = `Finds files by their path, newest first.
- The pattern is relative to the folder: *.md (that folder alone), **/*.ts (any depth), src/{a,b}/**.
- At most ${maxFiles} files are shown. Links are not followed.
- What .gitignore names, .git and node_modules are left out unless the pattern names them.`;

/** Makes a Glob tool that uses only some engines. */
export const createGlob = (options: SearchOptions = {}) =>
  buildTool({
    name: 'Glob',
    description,
    searchHint: 'find files by name',
    inputSchema,
    pathFields: { path: { as: 'Read', open: true, filtered: true, whenMissing: '.' } },
    isReadOnly: () => true,
    isConcurrencySafe: () => true,
    isIdempotent: () => true,
    checkPermissions: allowReads,
    backfillObservableInput: absoluteField('path'),
    validateInput({ pattern }) {
      const message = globProblem(pattern);
      return message ? { result: false, message, errorCode: 1 } : { result: true };
    },
    async call({ pattern, path }, context, onProgress: (data: SearchProgress) => void) {
      const start = performance.now();
      const root = await searchRoot(context, path);
      if (!root.isFolder)
        throw fileError(`${root.path} is no folder.`, 'a file instead of a folder');
      const searcher = await findSearcher(context, options);
      const { default: picomatch } = await import('picomatch');
      const matches = picomatch(pattern.replace(/^(\.\/)+/, ''), { dot: true });
      const task = {
        root,
        context,
        pattern,
        matches,
        most: maxFiles,
        found: searchProgress(onProgress),
      };
      const { newest, count, denied } = await (searcher.path === undefined
        ? globByWalk(task)
        : globByRipgrep({ ...task, program: searcher.path }));
      const filenames = newest.map((found) => shownPath(context.cwd, found));
      const data: GlobOutput = {
        durationMs: Math.round(performance.now() - start),
        numFiles: filenames.length,
        filenames,
        truncated: count > filenames.length,
        totalMatches: count,
        denied,
        engine: searcher.engine,
      };
      return { data };
    },
    mapToolResultToToolResultBlockParam: (data: GlobOutput) => ({ content: shown(data) }),
    getActivityDescription: ({ pattern }) => `Looking for ${pattern}`,
    renderToolUseMessage: ({ pattern, path }) => ({
      type: 'text',
      text: path ? `${pattern} in ${path}` : pattern,
    }),
    renderToolResultMessage: ({ totalMatches }) => ({
      type: 'text',
      text: `${totalMatches} files`,
      tone: 'muted',
    }),
  });

/** Glob: files below a folder whose path matches, newest first. */
export const glob = createGlob();

function shown({ engine, filenames, truncated, totalMatches, denied }: GlobOutput): string {
  const notes = [
    truncated &&
      `The newest ${filenames.length} of ${totalMatches}; use a narrower pattern or path.`,
    deniedNote(denied),
    engineNote(engine),
  ].filter((note) => typeof note === 'string');
  const text = filenames.length === 0 ? 'No files found.' : filenames.join('\n');
  return notes.length === 0 ? text : `${text}\n(${notes.join(' ')})`;
}
