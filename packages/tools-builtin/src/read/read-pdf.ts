import { Worker } from 'node:worker_threads';
import { fileError } from '../files/judged-path.ts';
import type { OpenedFile } from '../files/open-approved.ts';
import { maxWindowChars } from '../files/read-window.ts';
import { readAll } from '../files/text-format.ts';
import type { PdfAnswer, PdfQuestion } from './pdf-worker.ts';
import type { ReadPdf } from './read-output.ts';

/** Most pages of one call, and most bytes of a document. */
export const maxPages = 20;
const maxPdfBytes = 100 * 1024 * 1024;
/** A document that takes longer is given up, in milliseconds; so is one that needs more memory, in MiB. */
const pdfLimitMs = 30_000;
const pdfMemoryMb = 512;

export interface PageRange {
  readonly first: number;
  readonly last: number;
}

/** Reads `3` or `1-5`; answers with what is wrong about it otherwise. */
export function pageRange(pages: string): PageRange | string {
  const parts = /^\s*(\d{1,6})\s*(?:-\s*(\d{1,6})\s*)?$/.exec(pages);
  const first = Number(parts?.[1] ?? 0);
  const last = Number(parts?.[2] ?? first);
  if (first < 1 || last < first) return `pages is ${JSON.stringify(pages)}; write "3" or "1-5".`;
  if (last - first >= maxPages)
    return `pages asks for ${last - first + 1} pages; at most ${maxPages} at a time.`;
  return { first, last };
}

/**
 * The text of some pages. The document is read in a thread of its own, with a limit of time and memory, so
 * that a hostile one costs no more than that.
 */
export async function readPdf(
  { handle, stats }: OpenedFile,
  options: { readonly path: string; readonly range: PageRange; readonly signal: AbortSignal },
): Promise<ReadPdf> {
  const { path, range, signal } = options;
  if (stats.size > maxPdfBytes)
    throw fileError(
      `${path} has ${stats.size} bytes; the limit is ${maxPdfBytes}.`,
      'the PDF is too large',
    );
  const bytes = await readAll(handle, stats.size);
  const answer = await askWorker({ bytes, ...range }, signal);
  if ('problem' in answer)
    throw fileError(`${path} cannot be read as PDF: ${answer.problem}.`, 'the PDF cannot be read');
  const { totalPages } = answer;
  if (range.first > totalPages)
    throw fileError(
      `${path} has ${totalPages} pages; page ${range.first} is past its end.`,
      'no such page',
    );
  const pages: { page: number; text: string }[] = [];
  let room = maxWindowChars;
  for (const { page, text } of answer.pages) {
    if (text.length > room && pages.length > 0) break;
    pages.push({ page, text: text.slice(0, room) });
    room -= text.length;
  }
  return {
    type: 'pdf',
    file: {
      filePath: path,
      originalSize: bytes.length,
      totalPages,
      pages,
      ...((room < 0 || pages.length < answer.pages.length) && { truncatedByTokenCap: true }),
    },
  };
}

/** Source files run as they are under Node; the published ones are JavaScript. */
const workerUrl = new URL(
  import.meta.url.endsWith('.ts') ? './pdf-worker.ts' : './pdf-worker.js',
  import.meta.url,
);

async function askWorker(question: PdfQuestion, signal: AbortSignal): Promise<PdfAnswer> {
  signal.throwIfAborted();
  const worker = new Worker(workerUrl, {
    workerData: question,
    resourceLimits: { maxOldGenerationSizeMb: pdfMemoryMb },
    env: {},
    stdout: true,
    stderr: true,
  });
  let giveUp: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<PdfAnswer>((resolve, reject) => {
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the reason is the caller's
      giveUp = () => reject(signal.reason);
      signal.addEventListener('abort', giveUp, { once: true });
      const late = { problem: `it took more than ${pdfLimitMs / 1_000} s` };
      timer = setTimeout(resolve, pdfLimitMs, late);
      worker.once('message', (answer: PdfAnswer) => resolve(answer));
      worker.once('error', (error: Error) => resolve({ problem: error.message }));
      worker.once('exit', () => resolve({ problem: 'it ended without an answer' }));
    });
  } finally {
    clearTimeout(timer);
    if (giveUp) signal.removeEventListener('abort', giveUp);
    await worker.terminate();
  }
}
