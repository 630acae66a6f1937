import { parentPort, workerData } from 'node:worker_threads';

/** What the thread is asked; `first` and `last` count from 1. */
export interface PdfQuestion {
  readonly bytes: Uint8Array;
  readonly first: number;
  readonly last: number;
}

export type PdfAnswer =
  | { readonly problem: string }
  | {
      readonly totalPages: number;
      readonly pages: readonly { readonly page: number; readonly text: string }[];
    };

if (parentPort) parentPort.postMessage(await answerTo(workerData as PdfQuestion)); // readPdf sends no other

async function answerTo({ bytes, first, last }: PdfQuestion): Promise<PdfAnswer> {
  try {
    const { getDocumentProxy } = await import('unpdf');
    const document = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 });
    const pages: { page: number; text: string }[] = [];
    for (let page = first; page <= Math.min(last, document.numPages); page += 1)
      pages.push({ page, text: await textOf(await document.getPage(page)) });
    return { totalPages: document.numPages, pages };
  } catch (error) {
    return { problem: error instanceof Error ? error.message.replace(/\.$/, '') : 'unreadable' };
  }
}

interface Page {
  getTextContent(): Promise<{ readonly items: readonly object[] }>;
}

async function textOf(page: Page): Promise<string> {
  const { items } = await page.getTextContent();
  return items
    .map((item) =>
      'str' in item ? `${String(item.str)}${'hasEOL' in item && item.hasEOL ? '\n' : ''}` : '',
    )
    .join('')
    .trim();
}
