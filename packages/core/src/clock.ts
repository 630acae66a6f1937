import type { Clock } from './ports.ts';

/** The machine's monotonic clock. Its timers keep no process alive. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after: (ms, callback) => {
    // Longer than a timer can be set for: wait as long as it can.
    const timer = setTimeout(callback, Math.min(ms, 2 ** 31 - 1));
    timer.unref();
    return () => clearTimeout(timer);
  },
};
