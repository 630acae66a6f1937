import { buildTool, type ToolUseContext, type ValidationResult } from '@toolgate/core';
import { z } from 'zod';
import { allowReads } from '../allow-reads.ts';
import { binaryKind, imageType, isPdf, sniffBytes } from '../files/file-kind.ts';
import { absoluteField, fileError, judgedPath, type JudgedPath } from '../files/judged-path.ts';
import { openApproved, type OpenedFile } from '../files/open-approved.ts';
import { remember } from '../files/read-state.ts';
import { maxLineChars, maxWindowChars, readWindow } from '../files/read-window.ts';
import { readImage } from './read-image.ts';
import { readNotebook } from './read-notebook.ts';
import { mapReadOutput, readView, type ReadOutput, type ReadText } from './read-output.ts';
import { maxPages, pageRange, readPdf } from './read-pdf.ts';

/** Lines read when the call names no limit. */
const defaultLines = 2_000;
/** Most UTF-16 code units of a result with `allow_large`. */
const largeChars = 1_000_000;

const inputSchema = z.strictObject({
  file_path: z.string().min(1).describe('Path of the file, absolute or from the working directory'),
  offset: z
    .int()
    .nonnegative()
    .optional()
    .describe('First line to read, from 1; of a notebook, first cell'),
  limit: z
    .int()
    .positive()
    .optional()
    .describe(`Most lines to read, ${defaultLines} by default; of a notebook, most cells`),
  pages: z
    .string()
    .optional()
    .describe(
      `Pages of a PDF document: "3" or "1-5", at most ${maxPages}; the first ${maxPages} by default`,
    ),
  allow_large: z
    .boolean()
    .optional()
    .describe(`Show up to ${largeChars} characters of text at once, not ${maxWindowChars}`),
});
type ReadInput = z.output<typeof inputSchema>;

export type { ReadOutput };

const description = `Reads a file: text as lines with their numbers, pictures, PDF documents and notebooks.
- Shows up to ${defaultLines} lines from the start; use offset and limit for other parts of a long file.
- Lines longer than ${maxLineChars} characters are cut.
- PNG, JPEG, GIF and WebP pictures are shown as they are; of a PDF document the text of up to ${maxPages} pages; of a notebook (.ipynb) the cells with their outputs.
- Read a file before you change it with Edit, Write or NotebookEdit.
- Folders are not files: list them with Glob.`;

/** Read: lines of a text file, as `number, tab, text`; a picture; pages of a PDF; cells of a notebook. */
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
  validateInput({ pages }): ValidationResult {
    const range = pages === undefined ? undefined : pageRange(pages);
    return typeof range === 'string'
      ? { result: false, message: range, errorCode: 1 }
      : { result: true };
  },
  async call(input, context) {
    const judged = judgedPath(context, 'Read', input.file_path);
    const file = await openApproved(judged);
    try {
      return { data: await readAny(file, judged, input, context) };
    } finally {
      await file.handle.close();
    }
  },
  mapToolResultToToolResultBlockParam: (data: ReadOutput) => mapReadOutput(data),
  getActivityDescription: ({ file_path }) => `Reading ${file_path}`,
  renderToolUseMessage: ({ file_path, pages }) => ({
    type: 'text',
    text: pages === undefined ? file_path : `${file_path}, pages ${pages}`,
  }),
  renderToolResultMessage: readView,
});

/** By what the file holds, not by its name; notebooks alone are known by their name. */
async function readAny(
  file: OpenedFile,
  judged: JudgedPath,
  input: ReadInput,
  context: ToolUseContext,
): Promise<ReadOutput> {
  const start = Buffer.alloc(sniffBytes);
  const { bytesRead } = await file.handle.read(start, 0, sniffBytes, 0);
  const head = start.subarray(0, bytesRead);
  const { path } = judged;
  const picture = imageType(head);
  if (picture) return readImage(file, path, picture);
  if (isPdf(head)) {
    const range = pageRange(input.pages ?? `1-${maxPages}`);
    if (typeof range === 'string') throw fileError(range, 'no such pages');
    return readPdf(file, { path, range, signal: context.signal });
  }
  if (input.pages !== undefined)
    throw fileError(`${path} is no PDF document; leave pages out.`, 'pages of what is no PDF');
  const binary = binaryKind(head);
  if (binary) throw refusedBinary(path, binary);
  const offset = Math.max(input.offset ?? 1, 1);
  const notebook = /\.ipynb$/i.test(path)
    ? await readNotebook(file, { path, offset, limit: input.limit ?? Infinity })
    : undefined;
  const text = await readLines(file, judged, notebook ? {} : input, context);
  return notebook ?? text;
}

/** Reads lines and remembers them as what the model has seen. */
async function readLines(
  { handle, stats }: OpenedFile,
  { path, realPath }: JudgedPath,
  { offset = 1, limit = defaultLines, allow_large }: Omit<ReadInput, 'file_path'>,
  { signal, readFileState }: ToolUseContext,
): Promise<ReadText> {
  const window = await readWindow(handle, {
    offset: Math.max(offset, 1),
    limit,
    signal,
    ...(allow_large && { maxChars: largeChars }),
  });
  if (window.binary) throw refusedBinary(path, window.binary);
  remember(readFileState, { realPath, modifiedMs: stats.mtimeMs, window });
  return {
    type: 'text',
    file: {
      filePath: path,
      content: window.lines.join('\n'),
      numLines: window.lines.length,
      startLine: window.startLine,
      totalLines: window.totalLines,
      ...(window.full && { truncatedByTokenCap: true }),
    },
  };
}

const refusedBinary = (path: string, kind: string) =>
  fileError(
    `${path} seems to be ${kind}. Read shows text, PNG, JPEG, GIF and WebP pictures, PDF and notebooks; use Bash for the rest.`,
    'a binary file',
  );
