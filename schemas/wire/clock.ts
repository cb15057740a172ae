/**
 * Time as a dependency. The process entry point selects the clock (real, accelerated, or virtual in tests); no
 * other code reads the host's time.
 */
export interface Clock {
  /** Milliseconds since 1970 UTC. */
  now(): number;
  /** A monotonic clock in milliseconds since an arbitrary time, for durations: deadlines of leases and watches. */
  monotonic(): number;
  /** Calls `run` once after `delayMs` (0 = as soon as possible, never synchronously). Returns its cancellation. */
  after(delayMs: number, run: () => void): () => void;
}
