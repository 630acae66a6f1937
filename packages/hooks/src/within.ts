import type { HandlerEnd } from './handler-end.ts';

/**
 * Waits for work within a limit and until a signal aborts; the work's own signal aborts then. Never rejects.
 * A late end of the work is ignored.
 */
export function within(
  work: (signal: AbortSignal) => Promise<HandlerEnd>,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
  onFault: (error: unknown) => HandlerEnd,
): Promise<HandlerEnd> {
  return new Promise((resolve) => {
    const controller = new AbortController();
    const end = (ended: HandlerEnd) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      resolve(ended);
      controller.abort();
    };
    const onAbort = () => end({ state: 'aborted' });
    const timer = setTimeout(() => end({ state: 'timed-out' }), timeoutMs);
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    // oxlint-disable-next-line promise/no-callback-in-promise -- both only settle
    new Promise<HandlerEnd>((done) => done(work(controller.signal))).then(end, (error: unknown) =>
      end(onFault(error)),
    );
  });
}
