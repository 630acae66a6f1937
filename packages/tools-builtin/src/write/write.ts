import { readFileSync, statSync } from 'node:fs';
import { buildTool, resolvePath } from '@toolgate/core';
import { z } from 'zod';
import { absoluteField, judgedPath } from '../files/judged-path.ts';
import {
  changeView,
  patchView,
  replacementView,
  structuredPatchOf,
  type Hunk,
} from '../files/patch.ts';
import { rememberWritten, staleError, whyStale } from '../files/read-state.ts';
import { withTarget } from '../files/replace-file.ts';
import { inFormOf, readText } from '../files/text-format.ts';
import { mayChange } from '../files/may-change.ts';

const inputSchema = z.strictObject({
  file_path: z.string().min(1).describe('Path of the file, absolute or from the working directory'),
  content: z.string().describe('The whole text of the file'),
});

/** What was written; hooks get it as `tool_response`. */
export interface WriteOutput {
  readonly type: 'create' | 'update';
  readonly filePath: string;
  readonly content: string;
  readonly structuredPatch: readonly Hunk[];
  /** The text before, `null` for a new file. */
  readonly originalFile: string | null;
}

const description = `Writes a whole text file, new or in place of the one there.
- A file that exists must have been read in this session, and not have changed since.
- Prefer Edit for a change to part of a file.
- Missing parent folders are made. Line ends, BOM and mode of an existing file are kept.`;

/** Write: a whole file, atomically. */
export const write = buildTool({
  name: 'Write',
  description,
  searchHint: 'create or overwrite a file',
  inputSchema,
  pathFields: { file_path: 'Edit' },
  backfillObservableInput: absoluteField('file_path'),
  toAutoClassifierInput: ({ file_path, content }) => `${file_path}\n${content}`,
  validateInput: ({ file_path }, context) => mayChange(file_path, context),
  call({ file_path, content }, context) {
    const judged = judgedPath(context, 'Edit', file_path);
    return withTarget(judged, async ({ existing, replace }) => {
      const stale =
        existing && (await whyStale({ ...judged, state: context.readFileState, file: existing }));
      if (stale) throw staleError(stale);
      const before = existing && (await readText(existing.handle, judged.path));
      const bytes = before ? inFormOf(before, content) : Buffer.from(content);
      context.signal.throwIfAborted();
      const written = await replace(bytes);
      await rememberWritten(context.readFileState, { ...judged, ...written });
      const data: WriteOutput = {
        type: before ? 'update' : 'create',
        filePath: judged.path,
        content,
        structuredPatch: before ? await structuredPatchOf(before.text, content) : [],
        originalFile: before?.text ?? null,
      };
      return { data };
    });
  },
  mapToolResultToToolResultBlockParam: ({ type, filePath }: WriteOutput) => ({
    content: type === 'create' ? `Made ${filePath}.` : `Wrote ${filePath}.`,
  }),
  getActivityDescription: ({ file_path }) => `Writing ${file_path}`,
  renderToolUseMessage: ({ file_path, content }, about) => {
    const before = about && textNow(resolvePath(file_path, about.cwd, about.home));
    return before === undefined ? replacementView('', content) : changeView(before, content);
  },
  renderToolResultMessage: ({ structuredPatch, content }) =>
    structuredPatch.length > 0 ? patchView(structuredPatch) : replacementView('', content),
});

/** The most bytes of a file that are compared to show a change. */
const mostShown = 1_000_000;

/** The text of a file as it is, for a person to look at; undefined where there is none to show. */
function textNow(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found?.isFile() || found.size > mostShown) return undefined;
  return readFileSync(path, 'utf8');
}
