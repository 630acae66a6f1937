export { read } from './read.ts';
export type {
  ReadCell,
  ReadImage,
  ReadNotebook,
  ReadOutput,
  ReadPdf,
  ReadText,
} from './read-output.ts';
