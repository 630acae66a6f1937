import { buildTool } from '@toolgate/core';
import { z } from 'zod';
import { allowReads } from '../allow-reads.ts';
import { absoluteField, fileError, judgedPath } from '../files/judged-path.ts';
import { openApproved } from '../files/open-approved.ts';
import { remember } from '../files/read-state.ts';
import { maxLineChars, readWindow } from '../files/read-window.ts';
import { notSupportedYet } from '../files/sniff.ts';

/** Lines read when the call names no limit. */
const defaultLines = 2_000;

const inputSchema = z.strictObject({
  file_path: z.string().min(1).describe('Path of the file, absolute or from the working directory'),
  offset: z.int().nonnegative().optional().describe('First line to read, from 1'),
  limit: z.int().positive().optional().describe(`Most lines to read, ${defaultLines} by default`),
});

/** The lines that were read; hooks get it as `tool_response`. */
export interface ReadOutput {
  readonly type: 'text';
  readonly file: {
    readonly filePath: string;
    /** The lines read, without numbers. */
    readonly content: string;
    readonly numLines: number;
    readonly startLine: number;
    readonly totalLines: number;
    /** True when the size limit of a result, not `limit`, ended it. */
    readonly truncatedByTokenCap?: boolean;
  };
}

const description = `Reads a text file and shows its lines with their numbers.
- Shows up to ${defaultLines} lines from the start; use offset and limit for other parts of a long file.
- Lines longer than ${maxLineChars} characters are cut.
- Read a file before you change it with Edit or Write.
- Folders are not files: list them with Glob. Images, PDF documents and notebooks are not supported yet.`;

/** Read: lines of a text file, as `number, tab, text`. */
export const read = buildTool({
  name: 'Read',
  description,
  searchHint: 'show the text of a file',
  inputSchema,
  pathFields: { file_path: 'Read' },
  maxResultSizeChars: Infinity,
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  isIdempotent: () => true,
  checkPermissions: allowReads,
  backfillObservableInput: absoluteField('file_path'),
  validateInput({ file_path }) {
    const message = notSupportedYet(file_path);
    return message ? { result: false, message, errorCode: 1 } : { result: true };
  },
  async call({ file_path, offset = 1, limit = defaultLines }, context) {
    const judged = judgedPath(context, 'Read', file_path);
    const { handle, stats } = await openApproved(judged);
    try {
      const window = await readWindow(handle, {
        offset: Math.max(offset, 1),
        limit,
        signal: context.signal,
      });
      if (window.binary)
        throw fileError(
          `${judged.path} seems to be ${window.binary}. Read shows text only.`,
          'a binary file',
        );
      remember(context.readFileState, {
        realPath: judged.realPath,
        modifiedMs: stats.mtimeMs,
        window,
      });
      const file = {
        filePath: judged.path,
        content: window.lines.join('\n'),
        numLines: window.lines.length,
        startLine: window.startLine,
        totalLines: window.totalLines,
        ...(window.full && { truncatedByTokenCap: true }),
      };
      return { data: { type: 'text' as const, file } };
    } finally {
      await handle.close();
    }
  },
  mapToolResultToToolResultBlockParam: ({ file }: ReadOutput) => ({ content: shown(file) }),
  getActivityDescription: ({ file_path }) => `Reading ${file_path}`,
  renderToolUseMessage: ({ file_path }) => ({ type: 'text', text: file_path }),
  renderToolResultMessage: ({ file }) => ({
    type: 'text',
    text: `${file.numLines} of ${file.totalLines} lines`,
    tone: 'muted',
  }),
});

function shown({ content, numLines, startLine, totalLines, ...rest }: ReadOutput['file']): string {
  if (totalLines === 0) return '(The file is empty.)';
  if (numLines === 0 && !rest.truncatedByTokenCap)
    return `(The file has ${totalLines} lines; line ${startLine} is past its end.)`;
  const text = content
    .split('\n')
    .map((line, index) => `${startLine + index}\t${line}`)
    .join('\n');
  const last = startLine + numLines - 1;
  if (last >= totalLines) return text;
  const why = rest.truncatedByTokenCap ? ', as much as fits' : '';
  return `${text}\n(Lines ${startLine} to ${last} of ${totalLines}${why}. Read on with offset ${last + 1}.)`;
}
