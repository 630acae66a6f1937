import { buildTool, type ToolUseContext } from '@toolgate/core';
import { allowReads } from '../allow-reads.ts';
import { absoluteField } from '../files/judged-path.ts';
import { searchRoot, shownPath } from '../search/search-root.ts';
import { checkGrepInput, inputSchema, patternOf, type GrepInput } from './grep-input.ts';
import { grepText, type GrepOutput } from './grep-output.ts';
import { collectors } from './collectors.ts';
import { mayTakeLong, PatternTooSlow, TimeBox } from './pattern.ts';
import { searchFiles } from './search-files.ts';

const defaultLimit = 250;
/** Even without a limit, no result holds more than this. */
const mostEver = 20_000;

const description = `Searches the text of files for a regular expression (JavaScript's).
- output_mode files_with_matches (default) gives paths, newest first; content gives lines; count gives matching lines a file.
- Narrow it with path, glob (*.ts) or type (ts).
- multiline lets a pattern match across lines.
- Left out: binary files, files over 16 MiB, links, and .git and node_modules unless glob or path names them; .gitignore is not read yet.`;

export type { GrepOutput };

/** Grep: lines or files that match a regular expression. */
export const grep = buildTool({
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
  validateInput: checkGrepInput,
  call: async (input, context) => ({ data: await search(input, context) }),
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

async function search(input: GrepInput, context: ToolUseContext): Promise<GrepOutput> {
  const root = await searchRoot(context, input.path);
  const mode = input.output_mode ?? 'files_with_matches';
  const offset = input.offset ?? 0;
  const { head_limit = defaultLimit } = input;
  const limit = head_limit === 0 ? mostEver : Math.min(head_limit, mostEver);
  const collect = collectors[mode](input, {
    most: offset + limit,
    offset,
    show: (path) => shownPath(context.cwd, path),
  });
  const pattern = patternOf(input);
  let timeBox: TimeBox | undefined;
  const skipped = { tooLarge: 0, tooSlow: 0, denied: 0 };
  for await (const file of searchFiles(root, input, context)) {
    if ('skipped' in file) {
      skipped[file.skipped] += 1;
      continue;
    }
    const work = () => collect.add({ ...file, pattern });
    try {
      if (mayTakeLong(pattern, file.text.length)) (timeBox ??= new TimeBox()).run(work);
      else work();
    } catch (error) {
      if (!(error instanceof PatternTooSlow)) throw error;
      skipped.tooSlow += 1;
    }
    if (collect.isDone()) break;
  }
  return {
    mode,
    ...collect.end(),
    ...(offset > 0 && { appliedOffset: offset }),
    skipped,
  };
}
