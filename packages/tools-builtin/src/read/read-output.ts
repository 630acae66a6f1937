import type { ContentBlock, MappedResult, View } from '@toolgate/core';

/** Lines of a text file. */
export interface ReadText {
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

/** A picture, whole. */
export interface ReadImage {
  readonly type: 'image';
  readonly file: {
    readonly filePath: string;
    readonly base64: string;
    /** `image/png`, `image/jpeg`, `image/gif` or `image/webp`. */
    readonly type: string;
    /** Bytes. */
    readonly originalSize: number;
  };
}

/** The text of some pages of a PDF document. */
export interface ReadPdf {
  readonly type: 'pdf';
  readonly file: {
    readonly filePath: string;
    readonly originalSize: number;
    readonly totalPages: number;
    readonly pages: readonly { readonly page: number; readonly text: string }[];
    /** True when the size limit of a result ended it before the last page asked for. */
    readonly truncatedByTokenCap?: boolean;
  };
}

/** A cell of a notebook with what it printed; pictures among the outputs are kept whole. */
export interface ReadCell {
  readonly id: string;
  readonly type: string;
  readonly source: string;
  readonly executionCount?: number;
  readonly outputs: readonly (
    | { readonly type: 'text'; readonly text: string }
    | { readonly type: 'image'; readonly mediaType: string; readonly base64: string }
  )[];
}

/** The cells of a notebook. */
export interface ReadNotebook {
  readonly type: 'notebook';
  readonly file: {
    readonly filePath: string;
    readonly language: string;
    readonly cells: readonly ReadCell[];
    /** From 1. */
    readonly startCell: number;
    readonly totalCells: number;
  };
}

/** What was read; hooks get it as `tool_response`. */
export type ReadOutput = ReadText | ReadImage | ReadPdf | ReadNotebook;

/** What the model reads. */
export function mapReadOutput(data: ReadOutput): MappedResult {
  if (data.type === 'text') return { content: textShown(data.file) };
  if (data.type === 'image') return { content: [imageBlock(data.file.type, data.file.base64)] };
  if (data.type === 'pdf') return { content: pdfShown(data.file) };
  return { content: notebookShown(data.file) };
}

const imageBlock = (media_type: string, data: string): ContentBlock => ({
  type: 'image',
  source: { type: 'base64', media_type, data },
});

function textShown(file: ReadText['file']): string {
  const { content, numLines, startLine, totalLines, truncatedByTokenCap } = file;
  if (totalLines === 0) return '(The file is empty.)';
  if (numLines === 0 && !truncatedByTokenCap)
    return `(The file has ${totalLines} lines; line ${startLine} is past its end.)`;
  const text = content
    .split('\n')
    .map((line, index) => `${startLine + index}\t${line}`)
    .join('\n');
  const last = startLine + numLines - 1;
  if (last >= totalLines) return text;
  const why = truncatedByTokenCap ? ', as much as fits' : '';
  return `${text}\n(Lines ${startLine} to ${last} of ${totalLines}${why}. Read on with offset ${last + 1}.)`;
}

function pdfShown({ pages, totalPages, truncatedByTokenCap }: ReadPdf['file']): string {
  const parts = pages.map(
    ({ page, text }) =>
      `Page ${page} of ${totalPages}:\n${text || '(No text: a picture, or empty.)'}`,
  );
  const last = pages.at(-1)?.page ?? totalPages;
  const why = truncatedByTokenCap ? ' That is as much as fits.' : '';
  if (last < totalPages)
    parts.push(`(Read on with pages "${last + 1}-${Math.min(totalPages, last + 20)}".${why})`);
  return parts.join('\n\n');
}

function notebookShown(file: ReadNotebook['file']): readonly ContentBlock[] {
  const { cells, language, startCell, totalCells } = file;
  if (totalCells === 0) return [{ type: 'text', text: '(The notebook has no cells.)' }];
  const blocks: ContentBlock[] = [];
  const say = (text: string) => {
    const before = blocks.at(-1);
    if (before?.type === 'text' && 'text' in before)
      blocks[blocks.length - 1] = { type: 'text', text: `${String(before.text)}\n${text}` };
    else blocks.push({ type: 'text', text });
  };
  for (const { id, type, source, outputs } of cells) {
    say(
      `<cell id=${JSON.stringify(id)} type="${type === 'code' ? language : type}">\n${source}\n</cell>`,
    );
    for (const output of outputs)
      if (output.type === 'text') say(`<output>\n${output.text}\n</output>`);
      else blocks.push(imageBlock(output.mediaType, output.base64));
  }
  const last = startCell + cells.length - 1;
  if (cells.length === 0)
    say(`(The notebook has ${totalCells} cells; cell ${startCell} is past its end.)`);
  else if (last < totalCells)
    say(`(Cells ${startCell} to ${last} of ${totalCells}. Read on with offset ${last + 1}.)`);
  return blocks;
}

/** What people see of a result. */
export function readView(data: ReadOutput): View {
  return { type: 'text', text: summaryOf(data), tone: 'muted' };
}

function summaryOf(data: ReadOutput): string {
  if (data.type === 'text') return `${data.file.numLines} of ${data.file.totalLines} lines`;
  if (data.type === 'image') return `${data.file.type}, ${data.file.originalSize} bytes`;
  if (data.type === 'pdf') return `${data.file.pages.length} of ${data.file.totalPages} pages`;
  return `${data.file.cells.length} of ${data.file.totalCells} cells`;
}
