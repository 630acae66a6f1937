import { z } from 'zod';

const text = z.union([z.string(), z.array(z.string())]);
const output = z.looseObject({
  output_type: z.string(),
  text: text.optional(),
  data: z.record(z.string(), z.unknown()).optional(),
  traceback: z.array(z.string()).optional(),
  ename: z.string().optional(),
  evalue: z.string().optional(),
});
const cell = z.looseObject({
  cell_type: z.string(),
  id: z.string().optional(),
  source: text,
  outputs: z.array(output).optional(),
  execution_count: z.number().nullish(),
});
const notebook = z.looseObject({
  nbformat: z.number().optional(),
  nbformat_minor: z.number().optional(),
  metadata: z.looseObject({}).optional(),
  cells: z.array(cell),
});

/** A notebook of the Jupyter format, version 4. */
export type Notebook = z.output<typeof notebook>;
export type NotebookCell = z.output<typeof cell>;
export type NotebookOutput = z.output<typeof output>;

/** Reads a notebook; answers with why not when the text is none. */
export function parseNotebook(
  json: string,
): { readonly notebook: Notebook } | { readonly problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    return { problem: `It is no JSON: ${error instanceof Error ? error.message : 'unreadable'}` };
  }
  const parsed = notebook.safeParse(value);
  if (parsed.success) return { notebook: parsed.data };
  const [issue] = parsed.error.issues;
  return { problem: `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not a notebook'}` };
}

/** The text of a `source` or `text` field, which may be kept as lines. */
export const joined = (field: string | readonly string[]): string =>
  typeof field === 'string' ? field : field.join('');

/** The name of a cell: its id, or `cell-N` by its place, from 0, where the format has no ids. */
export const cellName = ({ id }: NotebookCell, index: number): string => id ?? `cell-${index}`;

/** The language of the code cells, `python` where it is not said. */
export function languageOf({ metadata = {} }: Notebook): string {
  for (const key of ['language_info', 'kernelspec']) {
    const info = metadata[key];
    if (typeof info !== 'object' || info === null) continue;
    const { name, language } = info as Readonly<Record<string, unknown>>; // an object, just tested
    const found = key === 'kernelspec' ? language : name;
    if (typeof found === 'string') return found;
  }
  return 'python';
}
