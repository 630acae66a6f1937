export { notebookEdit, type NotebookEditOutput } from './notebook-edit.ts';
