/**
 * Time as an argument. Whoever starts the process picks the clock (the wall's, a faster one, or one that a
 * test turns by hand); nobody else reads the host's.
 */
export interface Clock {
  /** Milliseconds since 1970 UTC. */
  now(): number;
  /**
   * Milliseconds since some moment in the past. Nobody sets it back or forward, so it measures how long something has
   * lasted: deadlines of leases and watches.
   */
  monotonic(): number;
  /** Calls `run` once, `delayMs` from now (0 = as soon as possible, never synchronously). Returns its cancellation. */
  after(delayMs: number, run: () => void): () => void;
}
