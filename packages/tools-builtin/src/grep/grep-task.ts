import type { ToolUseContext } from '@toolgate/core';
import { shownPath, type SearchRoot } from '../search/search-root.ts';
import type { GrepInput, GrepMode } from './grep-input.ts';

const defaultLimit = 250;
/** Even without a limit, no result holds more than this. */
const mostEver = 20_000;

/** What is to be searched for, whatever runs it. */
export interface GrepTask {
  readonly input: GrepInput;
  readonly context: ToolUseContext;
  readonly root: SearchRoot;
  readonly mode: GrepMode;
  /** Lines or files to leave out, and the most to have with these. */
  readonly offset: number;
  readonly most: number;
  /** How a path is shown. */
  readonly show: (path: string) => string;
  /** Hears of each file that matches. */
  readonly found: () => void;
}

export function taskOf(
  input: GrepInput,
  context: ToolUseContext,
  rest: Pick<GrepTask, 'root' | 'found'>,
): GrepTask {
  const { head_limit = defaultLimit, offset = 0 } = input;
  const limit = head_limit === 0 ? mostEver : Math.min(head_limit, mostEver);
  return {
    ...rest,
    input,
    context,
    mode: input.output_mode ?? 'files_with_matches',
    offset,
    most: offset + limit,
    show: (path) => shownPath(context.cwd, path),
  };
}
