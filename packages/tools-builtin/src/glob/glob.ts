import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { buildTool } from '@toolgate/core';
import { z } from 'zod';
import { allowReads } from '../allow-reads.ts';
import { absoluteField, fileError } from '../files/judged-path.ts';
import { globProblem } from '../search/check-pattern.ts';
import { Newest } from '../search/newest.ts';
import { deniedNote } from '../search/denied-note.ts';
import { searchRoot, shownPath } from '../search/search-root.ts';
import { foldersToSkip, walk } from '../search/walk.ts';

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
}

const description = `Finds files by their path, newest first.
- The pattern is relative to the folder: *.md (that folder alone), **/*.ts (any depth), src/{a,b}/**.
- At most ${maxFiles} files are shown. Links are not followed.
- .git and node_modules are left out unless the pattern names them; .gitignore is not read yet.`;

/** Glob: files below a folder whose path matches, newest first. */
export const glob = buildTool({
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
  async call({ pattern, path }, context) {
    const start = performance.now();
    const root = await searchRoot(context, path);
    if (!root.isFolder) throw fileError(`${root.path} is no folder.`, 'a file instead of a folder');
    const { default: picomatch } = await import('picomatch');
    const matches = picomatch(pattern.replace(/^(\.\/)+/, ''), { dot: true });
    const newest = new Newest(maxFiles);
    const { signal } = context;
    const skip = foldersToSkip(pattern);
    let denied = 0;
    for await (const file of walk({ ...root, shown: root.path, signal, skip })) {
      if (!matches(file.relative)) continue;
      const found = join(root.path, file.relative);
      if (context.deniesRead(found)) {
        denied += 1;
        continue;
      }
      const stats = await lstat(file.folder.at(file.name)).catch(() => undefined);
      if (stats) newest.add({ path: found, modifiedMs: stats.mtimeMs });
    }
    const filenames = newest.list().map((found) => shownPath(context.cwd, found));
    const data: GlobOutput = {
      durationMs: Math.round(performance.now() - start),
      numFiles: filenames.length,
      filenames,
      truncated: newest.count > filenames.length,
      totalMatches: newest.count,
      denied,
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

function shown({ filenames, truncated, totalMatches, denied }: GlobOutput): string {
  const notes = [
    truncated &&
      `The newest ${filenames.length} of ${totalMatches}; use a narrower pattern or path.`,
    deniedNote(denied),
  ].filter((note) => typeof note === 'string');
  const text = filenames.length === 0 ? 'No files found.' : filenames.join('\n');
  return notes.length === 0 ? text : `${text}\n(${notes.join(' ')})`;
}
