import { StringDecoder } from 'node:string_decoder';

/** A piece of output while a command runs. Of fast output, the newest characters. */
export interface BashProgress {
  readonly type: 'bash_progress';
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
  /** Bytes of both streams so far. */
  readonly totalBytes: number;
  readonly [key: string]: unknown;
}

/** Shortest time between two reports of one stream, in milliseconds, and most characters of one. */
const intervalMs = 100;
const maxChars = 8_000;

/** Turns chunks into few, small reports. `end` sends what is left. */
export function progressReporter(report: (data: BashProgress) => void) {
  let totalBytes = 0;
  const streams = { stdout: streamState(), stderr: streamState() };
  const send = (stream: 'stdout' | 'stderr') => {
    const state = streams[stream];
    clearTimeout(state.timer);
    state.timer = undefined;
    if (state.pending === '') return;
    const text = state.pending;
    state.pending = '';
    state.sentMs = performance.now();
    report({ type: 'bash_progress', stream, text, totalBytes });
  };
  return {
    add(stream: 'stdout' | 'stderr', chunk: Buffer): void {
      const state = streams[stream];
      totalBytes += chunk.length;
      // Of a large chunk only the end can still be shown.
      state.pending = (state.pending + state.decoder.write(chunk.subarray(-maxChars * 2))).slice(
        -maxChars,
      );
      const dueMs = state.sentMs + intervalMs - performance.now();
      if (dueMs <= 0) send(stream);
      else state.timer ??= setTimeout(send, dueMs, stream);
    },
    end(): void {
      send('stdout');
      send('stderr');
    },
  };
}

function streamState(): {
  readonly decoder: StringDecoder;
  pending: string;
  sentMs: number;
  timer: NodeJS.Timeout | undefined;
} {
  return { decoder: new StringDecoder('utf8'), pending: '', sentMs: -Infinity, timer: undefined };
}
