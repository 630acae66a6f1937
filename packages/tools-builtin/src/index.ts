import type { LanguageModel, Tools } from '@toolgate/core';
import { createAgent } from './agent/index.ts';
import { askUserQuestion } from './ask-user-question/index.ts';
import { bash } from './bash/index.ts';
import { edit } from './edit/index.ts';
import { glob } from './glob/index.ts';
import { grep } from './grep/index.ts';
import { notebookEdit } from './notebook-edit/index.ts';
import { read } from './read/index.ts';
import { repl } from './repl/index.ts';
import { taskOutput } from './task-output/index.ts';
import { taskStop } from './task-stop/index.ts';
import { todoWrite } from './todo-write/index.ts';
import { toolSearch } from './tool-search/index.ts';
import { createWebFetch } from './web-fetch/index.ts';
import { write } from './write/index.ts';

export {
  agent,
  createAgent,
  type AgentDefinition,
  type AgentOptions,
  type AgentOutput,
  type AgentProgress,
} from './agent/index.ts';
export { askUserQuestion, type AskUserQuestionOutput } from './ask-user-question/index.ts';
export {
  bash,
  createBash,
  type BashOptions,
  type BashOutput,
  type BashProgress,
} from './bash/index.ts';
export { edit, type EditOutput } from './edit/index.ts';
export { createGlob, glob, type GlobOutput } from './glob/index.ts';
export {
  createGrep,
  grep,
  type GrepOutput,
  type SearchEngine,
  type SearchOptions,
} from './grep/index.ts';
export { notebookEdit, type NotebookEditOutput } from './notebook-edit/index.ts';
export { read, type ReadOutput } from './read/index.ts';
export { createRepl, repl, type ReplOptions, type ReplOutput } from './repl/index.ts';
export {
  bubblewrap,
  sandbox,
  sandboxRuntime,
  type SandboxDriver,
  type SandboxOptions,
} from './sandbox/index.ts';
export { createTaskOutput, taskOutput, type TaskOutputOutput } from './task-output/index.ts';
export { createTaskStop, taskStop, type TaskStopOutput } from './task-stop/index.ts';
export { backgroundTasks, TaskRegistry, type TaskInfo, type TaskStatus } from './tasks/index.ts';
export { todoWrite, type Todo, type TodoWriteOutput } from './todo-write/index.ts';
export { toolSearch, type ToolSearchOutput } from './tool-search/index.ts';
export {
  createWebFetch,
  webFetch,
  type WebFetchOptions,
  type WebFetchOutput,
} from './web-fetch/index.ts';
export { write, type WriteOutput } from './write/index.ts';

/** All of them, in the order the model is shown; those that ask a model ask this one. */
export const createBuiltinTools = ({ model }: { readonly model?: LanguageModel } = {}): Tools => [
  bash,
  taskOutput,
  taskStop,
  read,
  write,
  edit,
  notebookEdit,
  glob,
  grep,
  createWebFetch(model ? { model } : {}),
  todoWrite,
  askUserQuestion,
  toolSearch,
  repl,
  createAgent(model ? { model } : {}),
];

/** All of them without a model. */
export const builtinTools: Tools = createBuiltinTools();
