import type { Tools } from '@toolgate/core';
import { bash } from './bash/index.ts';
import { edit } from './edit/index.ts';
import { glob } from './glob/index.ts';
import { grep } from './grep/index.ts';
import { notebookEdit } from './notebook-edit/index.ts';
import { read } from './read/index.ts';
import { write } from './write/index.ts';

export {
  bash,
  createBash,
  type BashOptions,
  type BashOutput,
  type BashProgress,
} from './bash/index.ts';
export { edit, type EditOutput } from './edit/index.ts';
export { glob, type GlobOutput } from './glob/index.ts';
export { grep, type GrepOutput } from './grep/index.ts';
export { notebookEdit, type NotebookEditOutput } from './notebook-edit/index.ts';
export { read, type ReadOutput } from './read/index.ts';
export { write, type WriteOutput } from './write/index.ts';

/** All of them, in the order the model is shown. */
export const builtinTools: Tools = [bash, read, write, edit, notebookEdit, glob, grep];
