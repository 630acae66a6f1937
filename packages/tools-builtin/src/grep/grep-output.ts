import { deniedNote } from '../search/denied-note.ts';
import { engineNote } from '../search/engine-note.ts';
import type { SearchEngine } from '../search/find-ripgrep.ts';
import type { GrepMode } from './grep-input.ts';

/** What was found, by output mode; hooks get it as `tool_response`. */
export interface GrepOutput {
  readonly mode: GrepMode;
  readonly numFiles: number;
  /** `files_with_matches`: newest first. From the working directory, or absolute when outside it. */
  readonly filenames: readonly string[];
  /** The lines of `content` and `count`. */
  readonly content?: string;
  readonly numLines?: number;
  readonly numMatches?: number;
  /** There was more than `head_limit`. */
  readonly truncated: boolean;
  readonly appliedOffset?: number;
  /** What ran: the packaged ripgrep, `rg` of the system, or a walk in JavaScript. */
  readonly engine: SearchEngine;
  /** Files left out: too large, the pattern took too long on them, or a rule denies reading them. */
  readonly skipped: {
    readonly tooLarge: number;
    readonly tooSlow: number;
    readonly denied: number;
  };
}

/** What the model reads. */
export function grepText(output: GrepOutput): string {
  const { mode, filenames, content, truncated, skipped, appliedOffset = 0 } = output;
  const body = mode === 'files_with_matches' ? filenames.join('\n') : (content ?? '');
  const shown = body === '' ? 0 : body.split('\n').length;
  const notes = [
    truncated && `There is more; go on with offset ${appliedOffset + shown}.`,
    skipped.tooLarge > 0 && `${skipped.tooLarge} files over 16 MiB were not searched.`,
    skipped.tooSlow > 0 &&
      `The pattern took too long on ${skipped.tooSlow} files; make it simpler.`,
    deniedNote(skipped.denied),
    engineNote(output.engine),
  ].filter((note) => typeof note === 'string');
  const text = body === '' ? 'No matches found.' : body;
  return notes.length === 0 ? text : `${text}\n(${notes.join(' ')})`;
}
