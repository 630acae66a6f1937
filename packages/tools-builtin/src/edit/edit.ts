import { buildTool } from '@toolgate/core';
import { z } from 'zod';
import { absoluteField, fileError, judgedPath } from '../files/judged-path.ts';
import { mayChange } from '../files/may-change.ts';
import { patchView, replacementView, structuredPatchOf, type Hunk } from '../files/patch.ts';
import { rememberWritten, staleError, whyStale } from '../files/read-state.ts';
import { withTarget } from '../files/replace-file.ts';
import { readText, splice } from '../files/text-format.ts';
import { nearestLine } from './nearest-line.ts';

const inputSchema = z.strictObject({
  file_path: z.string().min(1).describe('Path of the file, absolute or from the working directory'),
  old_string: z.string().describe('The text to replace, exactly as it is in the file'),
  new_string: z.string().describe('The text to put in its place'),
  replace_all: z.boolean().optional().describe('Replace every place, not just one'),
});

/** What was changed in a file; hooks get it as `tool_response`. */
export interface EditOutput {
  readonly filePath: string;
  readonly oldString: string;
  readonly newString: string;
  readonly originalFile: string | null;
  readonly structuredPatch: readonly Hunk[];
  readonly userModified: boolean;
  readonly replaceAll: boolean;
}

const description = `Replaces one piece of text in a file by another.
- The file must have been read in this session, and not have changed since.
- old_string must be exactly what the file holds, white space included, without the line numbers Read shows.
- It must occur once: give enough lines around it, or set replace_all to change every place.`;

/** Edit: an exact replacement in a text file, atomically. */
export const edit = buildTool({
  name: 'Edit',
  description,
  searchHint: 'change part of a file',
  inputSchema,
  pathFields: { file_path: 'Edit' },
  backfillObservableInput: absoluteField('file_path'),
  toAutoClassifierInput: ({ file_path, new_string }) => `${file_path}\n${new_string}`,
  validateInput({ file_path, old_string, new_string }, context) {
    if (old_string === '')
      return refused('old_string is empty. Use Write to make or replace a whole file.', 5);
    if (old_string === new_string)
      return refused('old_string and new_string are the same: nothing would change.', 6);
    if (/\.ipynb$/i.test(file_path))
      return refused('A notebook is changed cell by cell, with NotebookEdit.', 1);
    return mayChange(file_path, context);
  },
  call({ file_path, old_string, new_string, replace_all = false }, context) {
    const judged = judgedPath(context, 'Edit', file_path);
    return withTarget(judged, async ({ existing, replace }) => {
      if (!existing) throw fileError(`${judged.path} does not exist.`, 'the file does not exist');
      const stale = await whyStale({ ...judged, state: context.readFileState, file: existing });
      if (stale) throw staleError(stale);
      const before = await readText(existing.handle, judged.path);
      const oldText = old_string.replaceAll('\r\n', '\n');
      const newText = new_string.replaceAll('\r\n', '\n');
      const starts = placesOf(before.text, oldText);
      checkCount(starts.length, replace_all, { path: judged.path, text: before.text, oldText });
      const bytes = splice(before, starts, { length: oldText.length, by: newText });
      context.signal.throwIfAborted();
      const written = await replace(bytes);
      await rememberWritten(context.readFileState, { ...judged, ...written });
      const after = before.text.split(oldText).join(newText);
      const data: EditOutput = {
        filePath: judged.path,
        oldString: old_string,
        newString: new_string,
        originalFile: before.text,
        structuredPatch: await structuredPatchOf(before.text, after),
        userModified: context.userModified,
        replaceAll: replace_all,
      };
      return { data };
    });
  },
  mapToolResultToToolResultBlockParam: ({ filePath, structuredPatch, userModified }) => ({
    content: [
      `Changed ${filePath}.${userModified ? ' The user had edited the change before it was made.' : ''}`,
      ...structuredPatch.flatMap(numbered).slice(0, 60),
    ].join('\n'),
  }),
  getActivityDescription: ({ file_path }) => `Editing ${file_path}`,
  renderToolUseMessage: ({ old_string, new_string }) => replacementView(old_string, new_string),
  renderToolResultMessage: ({ structuredPatch }) => patchView(structuredPatch),
});

const refused = (message: string, errorCode: number) =>
  ({ result: false, message, errorCode }) as const;

function placesOf(text: string, wanted: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length))
    places.push(at);
  return places;
}

function checkCount(
  count: number,
  all: boolean,
  {
    path,
    text,
    oldText,
  }: { readonly path: string; readonly text: string; readonly oldText: string },
): void {
  if (count === 0)
    throw fileError(
      `old_string was not found in ${path}.${nearestLine(text, oldText)}`,
      'old_string was not found',
    );
  if (count > 1 && !all)
    throw fileError(
      `old_string was found ${count} times in ${path}. Set replace_all, or add lines around it until it is the only one.`,
      'old_string was found more than once',
    );
}

/** The changed lines as the file now has them, numbered like Read does. */
function numbered({ newStart, lines }: Hunk): readonly string[] {
  return lines
    .filter((line) => line.startsWith('+') || line.startsWith(' '))
    .map((line, index) => `${newStart + index}\t${line.slice(1)}`);
}
