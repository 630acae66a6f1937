import { buildTool, type ToolUseContext } from '@toolgate/core';
import { allowReads } from '../allow-reads.ts';
import { absoluteField } from '../files/judged-path.ts';
import { searchRoot } from '../search/search-root.ts';
import { checkGrepInput, inputSchema, type GrepInput } from './grep-input.ts';
import { grepText, type GrepOutput } from './grep-output.ts';
import { findSearcher, type SearchOptions } from '../search/find-ripgrep.ts';
import { searchProgress, type SearchProgress } from '../search/progress.ts';
import { PatternRefused } from '../search/run-ripgrep.ts';
import { grepByRipgrep } from './grep-by-ripgrep.ts';
import { grepByWalk } from './grep-by-walk.ts';
import { taskOf } from './grep-task.ts';

const description = `Searches the text of files for a regular expression (ripgrep's; look-around and back references work, too).
- output_mode files_with_matches (default) gives paths, newest first; content gives lines; count gives matching lines a file.
- Narrow it with path, glob (*.ts) or type (ts).
- multiline lets a pattern match across lines.
- Left out: binary files, links, what .gitignore names, and .git and node_modules unless glob or path names them.`;

export type { GrepOutput };

/** Makes a Grep tool that uses only some engines. */
export const createGrep = (options: SearchOptions = {}) =>
  buildTool({
    name: 'Grep',
    description,
    searchHint: 'search the text of files',
    inputSchema,
    pathFields: { path: { as: 'Read', open: true, filtered: true, whenMissing: '.' } },
    maxResultSizeChars: 20_000,
    isReadOnly: () => true,
    isConcurrencySafe: () => true,
    isIdempotent: () => true,
    checkPermissions: allowReads,
    backfillObservableInput: absoluteField('path'),
    validateInput: (input, context) => checkGrepInput(input, context, options),
    async call(input, context, onProgress: (data: SearchProgress) => void) {
      return { data: await search(input, context, { ...options, onProgress }) };
    },
    mapToolResultToToolResultBlockParam: (data: GrepOutput) => ({ content: grepText(data) }),
    getActivityDescription: ({ pattern }) => `Searching for ${pattern}`,
    renderToolUseMessage: ({ pattern, path }) => ({
      type: 'text',
      text: path ? `${pattern} in ${path}` : pattern,
    }),
    renderToolResultMessage: ({ numFiles, numMatches }) => ({
      type: 'text',
      text:
        numMatches === undefined ? `${numFiles} files` : `${numMatches} lines in ${numFiles} files`,
      tone: 'muted',
    }),
  });

/** Grep: lines or files that match a regular expression. */
export const grep = createGrep();

async function search(
  input: GrepInput,
  context: ToolUseContext,
  { onProgress, ...options }: SearchOptions & { onProgress: (data: SearchProgress) => void },
): Promise<GrepOutput> {
  const root = await searchRoot(context, input.path);
  const task = taskOf(input, context, { root, found: searchProgress(onProgress) });
  const { engine, path } = await findSearcher(context, options);
  if (path !== undefined)
    try {
      return { ...(await grepByRipgrep({ ...task, program: path })), engine };
    } catch (error) {
      // What JavaScript alone can read is searched for by JavaScript.
      if (!(error instanceof PatternRefused)) throw error;
    }
  return { ...(await grepByWalk(task)), engine: 'walk' };
}
