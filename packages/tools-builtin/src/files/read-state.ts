import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { ChangedSinceApproval, type ReadFileEntry, type ToolUseContext } from '@toolgate/core';
import type { OpenedFile } from './open-approved.ts';
import { maxWindowChars, readWindow, type LineWindow } from './read-window.ts';

type ReadFileState = ToolUseContext['readFileState'];

/** Most files remembered; the one read longest ago must then be read again before it is changed. */
const maxRemembered = 1_000;

/** The text a window stands for, as it is remembered. */
export const windowText = ({ lines, complete, endsWithNewline }: LineWindow): string =>
  lines.join('\n') + (complete && endsWithNewline ? '\n' : '');

/**
 * Remembers what the model has seen of a file, at most one window of it. `offset` and `limit` are there
 * when that is not the whole file.
 */
export function remember(
  state: ReadFileState,
  file: { readonly realPath: string; readonly modifiedMs: number; readonly window: LineWindow },
): void {
  const { window, modifiedMs } = file;
  state.delete(file.realPath); // The newest stands last.
  const [oldest] = state.keys();
  if (state.size >= maxRemembered && oldest !== undefined) state.delete(oldest);
  state.set(file.realPath, {
    content: windowText(window),
    modifiedMs,
    ...(!window.complete && { offset: window.startLine, limit: window.lines.length }),
  });
}

/** Remembers a file that was just written: the model knows its text. */
export async function rememberWritten(
  state: ReadFileState,
  file: { readonly realPath: string; readonly handle: FileHandle; readonly stats: Stats },
): Promise<void> {
  const window = await readWindow(file.handle, { offset: 1, limit: 2_000, countAll: false });
  remember(state, { realPath: file.realPath, modifiedMs: file.stats.mtimeMs, window });
}

/**
 * Whether a file is still what was read in this session. What was read whole is compared by content;
 * of what was read in part, the time must be the same, too.
 */
export async function isUnchanged(entry: ReadFileEntry, file: OpenedFile): Promise<boolean> {
  const partly = entry.offset !== undefined;
  if (partly && entry.modifiedMs !== file.stats.mtimeMs) return false;
  const window = await readWindow(file.handle, {
    offset: entry.offset ?? 1,
    limit: entry.limit ?? Number.MAX_SAFE_INTEGER,
    countAll: !partly,
    maxChars: Math.max(maxWindowChars, entry.content.length),
  });
  if (window.binary) return false;
  return partly ? window.lines.join('\n') === entry.content : windowText(window) === entry.content;
}

export interface StaleFile {
  readonly message: string;
  readonly errorCode: number;
}

/** The error of a call whose file was changed after the check: nothing was written. */
export const staleError = ({ message }: StaleFile): ChangedSinceApproval =>
  new ChangedSinceApproval(message, 'the file was not read or changed since');

/** Why an existing file may not be written yet; undefined when it may. */
export async function whyStale(options: {
  readonly state: ReadFileState;
  readonly path: string;
  readonly realPath: string;
  readonly file: OpenedFile;
}): Promise<StaleFile | undefined> {
  const { path, realPath, state, file } = options;
  const entry = state.get(realPath) ?? state.get(path);
  if (!entry)
    return {
      message: `${path} has not been read in this session. Read it first, then try again.`,
      errorCode: 2,
    };
  if (await isUnchanged(entry, file)) return undefined;
  return {
    message: `${path} has changed since it was read. Read it again, then try again.`,
    errorCode: 3,
  };
}
