/** How far a search is. */
export interface SearchProgress {
  readonly type: 'search_progress';
  /** Files found so far. */
  readonly numFiles: number;
  readonly [key: string]: unknown;
}

/** Shortest time between two reports, in milliseconds. */
const intervalMs = 200;

/** Reports a growing count now and then. */
export function searchProgress(report: (data: SearchProgress) => void) {
  let numFiles = 0;
  let sentMs = performance.now();
  return () => {
    numFiles += 1;
    if (performance.now() - sentMs < intervalMs) return;
    sentMs = performance.now();
    report({ type: 'search_progress', numFiles });
  };
}
