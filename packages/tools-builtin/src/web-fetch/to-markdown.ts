import { Worker } from 'node:worker_threads';
import { fileError as fetchError } from '../files/judged-path.ts';

/** Longest HTML that is read, in characters; the rest is left out. */
const longestHtml = 2_000_000;
const mostMegabytes = 256;

/**
 * HTML as Markdown. A page is hostile, and what it is nested like can cost minutes: it is read in a thread of
 * its own, which ends with the limit, whatever it is doing. Rejects with an error for the model.
 */
export function toMarkdown(
  html: string,
  { limitMs, signal }: { readonly limitMs: number; readonly signal: AbortSignal },
): Promise<string> {
  const file = import.meta.url.endsWith('.ts') ? './markdown-worker.ts' : './markdown-worker.js';
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(file, import.meta.url), {
      workerData: html.slice(0, longestHtml),
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: mostMegabytes },
    });
    let hasEnded = false;
    const end = (settle: () => void) => {
      if (hasEnded) return;
      hasEnded = true;
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      void worker.terminate().then(settle, settle);
    };
    const fail = () =>
      end(() =>
        reject(
          fetchError('This page could not be read as HTML.', 'the page could not be converted'),
        ),
      );
    const onAbort = () => end(() => reject(signal.reason as Error)); // an abort's reason is an error
    const timer = setTimeout(fail, limitMs);
    signal.addEventListener('abort', onAbort, { once: true });
    worker.once('message', (text: unknown) => end(() => resolve(String(text))));
    worker.once('error', fail);
    worker.once('exit', fail);
    if (signal.aborted) onAbort();
  });
}
