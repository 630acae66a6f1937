import type { OpenedFile } from '../files/open-approved.ts';
import {
  cellName,
  joined,
  languageOf,
  parseNotebook,
  type NotebookCell,
  type NotebookOutput,
} from '../files/parse-notebook.ts';
import { maxWindowChars } from '../files/read-window.ts';
import { readText } from '../files/text-format.ts';
import type { ReadCell, ReadNotebook } from './read-output.ts';

/** Most characters of one output, and most pictures of one result. */
const maxOutputChars = 10_000;
const maxImages = 20;
const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** Reads the cells of a notebook, at most as many as fit; undefined when the file is none. */
export async function readNotebook(
  { handle }: OpenedFile,
  {
    path,
    offset,
    limit,
  }: { readonly path: string; readonly offset: number; readonly limit: number },
): Promise<ReadNotebook | undefined> {
  const parsed = parseNotebook((await readText(handle, path)).text);
  if ('problem' in parsed) return undefined;
  const { notebook } = parsed;
  const cells: ReadCell[] = [];
  let room = maxWindowChars;
  let images = 0;
  for (const [index, raw] of notebook.cells.entries()) {
    if (index < offset - 1) continue;
    if (cells.length >= limit) break;
    const cell = shownCell(raw, index);
    room -= cell.source.length + textLength(cell);
    images += cell.outputs.filter(({ type }) => type === 'image').length;
    if ((room < 0 || images > maxImages) && cells.length > 0) break;
    cells.push(cell);
  }
  return {
    type: 'notebook',
    file: {
      filePath: path,
      language: languageOf(notebook),
      cells,
      startCell: offset,
      totalCells: notebook.cells.length,
    },
  };
}

const textLength = ({ outputs }: ReadCell): number =>
  outputs.reduce((sum, output) => sum + (output.type === 'text' ? output.text.length : 0), 0);

function shownCell(cell: NotebookCell, index: number): ReadCell {
  return {
    id: cellName(cell, index),
    type: cell.cell_type,
    source: cut(joined(cell.source), maxWindowChars),
    ...(typeof cell.execution_count === 'number' && { executionCount: cell.execution_count }),
    outputs: (cell.outputs ?? []).flatMap(shownOutput).slice(0, maxImages),
  };
}

function shownOutput(output: NotebookOutput): ReadCell['outputs'] {
  if (output.traceback)
    return text(output.traceback.join('\n') || `${output.ename}: ${output.evalue}`);
  if (output.text !== undefined) return text(joined(output.text));
  const { data = {} } = output;
  const mediaType = imageTypes.find((type) => typeof data[type] === 'string');
  if (mediaType !== undefined) {
    const base64 = String(data[mediaType]).replace(/\s+/g, '');
    if (/^[A-Za-z0-9+/]+=*$/.test(base64)) return [{ type: 'image', mediaType, base64 }];
  }
  const plain = data['text/plain'];
  if (typeof plain === 'string') return text(plain);
  return Array.isArray(plain) ? text(plain.join('')) : [];
}

/** Colours and the like are for terminals. */
// oxlint-disable-next-line no-control-regex -- escape sequences begin with one
const escapes = /\u001b\[[0-9;?]*[ -/]*[@-~]/g;

const text = (content: string): ReadCell['outputs'] => [
  { type: 'text', text: cut(content.replace(escapes, '').replace(/\n$/, ''), maxOutputChars) },
];

const cut = (content: string, most: number): string =>
  content.length <= most
    ? content
    : `${content.slice(0, most)}… [cut: ${content.length} characters]`;
