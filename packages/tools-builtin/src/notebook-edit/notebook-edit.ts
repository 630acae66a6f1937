import { randomBytes } from 'node:crypto';
import { buildTool, didYouMean } from '@toolgate/core';
import { z } from 'zod';
import { absoluteField, fileError, judgedPath } from '../files/judged-path.ts';
import { mayChange } from '../files/may-change.ts';
import {
  cellName,
  languageOf,
  parseNotebook,
  type Notebook,
  type NotebookCell,
} from '../files/parse-notebook.ts';
import { patchView, replacementView, structuredPatchOf, type Hunk } from '../files/patch.ts';
import { rememberWritten, staleError, whyStale } from '../files/read-state.ts';
import { withTarget } from '../files/replace-file.ts';
import { inFormOf, readText } from '../files/text-format.ts';

const inputSchema = z.strictObject({
  notebook_path: z
    .string()
    .min(1)
    .describe('Path of the notebook, absolute or from the working directory'),
  cell_id: z
    .string()
    .optional()
    .describe(
      'The cell, as Read names it; with insert, the cell to insert after, the start by default',
    ),
  new_source: z.string().describe('The new text of the cell; unused with delete'),
  cell_type: z
    .enum(['code', 'markdown'])
    .optional()
    .describe('The kind of the cell: needed with insert, else as it is'),
  edit_mode: z.enum(['replace', 'insert', 'delete']).optional().describe('Default: replace'),
});
type NotebookEditInput = z.output<typeof inputSchema>;

/** What was changed in a notebook; hooks get it as `tool_response`. */
export interface NotebookEditOutput {
  readonly notebook_path: string;
  readonly cell_id: string;
  readonly cell_type: string;
  readonly edit_mode: 'replace' | 'insert' | 'delete';
  readonly new_source: string;
  readonly language: string;
  readonly original_file: string;
  readonly updated_file: string;
  readonly structuredPatch: readonly Hunk[];
}

const description = `Changes one cell of a Jupyter notebook: replaces its text, inserts a new one, or deletes it.
- The notebook must have been read in this session, and not have changed since.
- cell_id is the id Read shows. insert puts the new cell after it, or first without it, and needs cell_type.
- Replacing a code cell clears its outputs.`;

/** NotebookEdit: one cell of a notebook, atomically; every other byte stays. */
export const notebookEdit = buildTool({
  name: 'NotebookEdit',
  description,
  searchHint: 'change a cell of a Jupyter notebook',
  inputSchema,
  pathFields: { notebook_path: 'Edit' },
  isDestructive: ({ edit_mode }) => edit_mode === 'delete',
  backfillObservableInput: absoluteField('notebook_path'),
  toAutoClassifierInput: ({ notebook_path, new_source }) => `${notebook_path}\n${new_source}`,
  validateInput({ notebook_path, cell_id, cell_type, edit_mode }, context) {
    if (!/\.ipynb$/i.test(notebook_path))
      return refused('NotebookEdit changes .ipynb files; use Edit for others.', 1);
    if (edit_mode === 'insert' && cell_type === undefined)
      return refused('insert needs cell_type: code or markdown.', 5);
    if (edit_mode !== 'insert' && cell_id === undefined)
      return refused(`${edit_mode ?? 'replace'} needs cell_id; Read shows the ids.`, 6);
    return mayChange(notebook_path, context);
  },
  call(input, context) {
    const judged = judgedPath(context, 'Edit', input.notebook_path);
    const { path } = judged;
    return withTarget(judged, async ({ existing, replace }) => {
      if (!existing) throw fileError(`${path} does not exist.`, 'the file does not exist');
      const stale = await whyStale({ ...judged, state: context.readFileState, file: existing });
      if (stale) throw staleError(stale);
      const before = await readText(existing.handle, path);
      const parsed = parseNotebook(before.text);
      if ('problem' in parsed)
        throw fileError(
          `${path} is no notebook. ${parsed.problem}. Mend it as text with Write.`,
          'no notebook',
        );
      const change = changeOf(parsed.notebook, input, path);
      const after = await applied(before.text, change);
      context.signal.throwIfAborted();
      const written = await replace(inFormOf(before, after));
      await rememberWritten(context.readFileState, { ...judged, ...written });
      const data: NotebookEditOutput = {
        notebook_path: path,
        cell_id: change.id,
        cell_type: change.cellType,
        edit_mode: input.edit_mode ?? 'replace',
        new_source: input.new_source,
        language: languageOf(parsed.notebook),
        original_file: before.text,
        updated_file: after,
        structuredPatch: await structuredPatchOf(before.text, after),
      };
      return { data };
    });
  },
  mapToolResultToToolResultBlockParam: (data: NotebookEditOutput) => ({ content: shown(data) }),
  getActivityDescription: ({ notebook_path }) => `Editing ${notebook_path}`,
  renderToolUseMessage: ({ new_source, edit_mode, cell_id }) =>
    edit_mode === 'delete'
      ? { type: 'text', text: `Delete cell ${cell_id ?? ''}` }
      : replacementView('', new_source),
  renderToolResultMessage: ({ structuredPatch }) => patchView(structuredPatch),
});

const refused = (message: string, errorCode: number) =>
  ({ result: false, message, errorCode }) as const;

const done = { replace: 'Changed', insert: 'Inserted', delete: 'Deleted' } as const;

const shown = ({ edit_mode, cell_id, notebook_path }: NotebookEditOutput): string =>
  `${done[edit_mode]} cell ${cell_id} of ${notebook_path}.`;

interface CellChange {
  readonly id: string;
  readonly cellType: string;
  /** Where in `cells`, and what stands there after; undefined when it is taken out. */
  readonly index: number;
  readonly cell: NotebookCell | undefined;
  readonly isInsertion: boolean;
}

function changeOf(notebook: Notebook, input: NotebookEditInput, path: string): CellChange {
  const { cells } = notebook;
  const { cell_id, new_source, edit_mode = 'replace' } = input;
  const at = cell_id === undefined ? -1 : placeOf(cells, cell_id, path);
  if (edit_mode === 'insert') {
    const type = input.cell_type ?? 'code';
    const id = hasIds(notebook) ? { id: randomBytes(4).toString('hex') } : {};
    const cell = newCell({ ...id, metadata: {} }, type, asLines(new_source));
    return { index: at + 1, cell, isInsertion: true, cellType: type, id: cellName(cell, at + 1) };
  }
  const old = cells[at];
  if (!old) throw fileError(`${path} has no such cell.`, 'no such cell');
  const id = cellName(old, at);
  if (edit_mode === 'delete')
    return { index: at, cell: undefined, isInsertion: false, cellType: old.cell_type, id };
  const type = input.cell_type ?? old.cell_type;
  const source = typeof old.source === 'string' ? new_source : asLines(new_source);
  return { index: at, cell: newCell(old, type, source), isInsertion: false, cellType: type, id };
}

/** A cell with new text. What a code cell printed belonged to its old text. */
function newCell(
  old: Readonly<Record<string, unknown>>,
  cell_type: string,
  source: string | readonly string[],
): NotebookCell {
  const { outputs: _outputs, execution_count: _count, source: _source, ...rest } = old;
  return {
    ...rest,
    cell_type,
    ...(cell_type === 'code' && { execution_count: null, outputs: [] }),
    source: typeof source === 'string' ? source : [...source],
  };
}

function placeOf(cells: readonly NotebookCell[], wanted: string, path: string): number {
  const names = cells.map(cellName);
  const at = names.indexOf(wanted);
  if (at !== -1) return at;
  const byPlace = /^cell-(\d{1,6})$/.exec(wanted)?.[1];
  if (byPlace !== undefined && cells[Number(byPlace)]) return Number(byPlace);
  throw fileError(
    `${path} has no cell ${JSON.stringify(wanted)}.${didYouMean(wanted, names)} Read shows the ids.`,
    'no such cell',
  );
}

/** Version 4.5 of the format brought ids. */
const hasIds = ({ nbformat = 4, nbformat_minor = 0, cells }: Notebook): boolean =>
  nbformat > 4 ||
  (nbformat === 4 && nbformat_minor >= 5) ||
  cells.some(({ id }) => id !== undefined);

/** Lines with their ends, as the format prefers them. */
const asLines = (source: string): readonly string[] =>
  source.replaceAll('\r\n', '\n').match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** Changes the JSON text in that one place. */
async function applied(json: string, { index, cell, isInsertion }: CellChange): Promise<string> {
  const { applyEdits, modify } = await import('jsonc-parser');
  const indent = /^\s*\{\r?\n([ \t]+)/.exec(json)?.[1] ?? ' ';
  const edits = modify(json, ['cells', index], cell, {
    isArrayInsertion: isInsertion,
    formattingOptions: {
      insertSpaces: !indent.startsWith('\t'),
      tabSize: indent.startsWith('\t') ? 1 : indent.length,
      eol: '\n',
    },
  });
  return applyEdits(json, edits);
}
