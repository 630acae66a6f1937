import { attemptNow } from './hooks/guard.ts';
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

/** A clock of the embedder's, replaced by the machine's wherever it throws. */
export const reliable = (clock: Clock): Clock => ({
  now() {
    const now = attemptNow<number>(() => clock.now());
    return now.ok && typeof now.value === 'number' ? now.value : systemClock.now();
  },
  after(ms, callback) {
    const timer = attemptNow<() => void>(() => clock.after(ms, callback));
    if (timer.ok && typeof timer.value === 'function') return () => void attemptNow(timer.value);
    return systemClock.after(ms, callback);
  },
});
