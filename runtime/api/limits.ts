/** All limits are milliseconds. */
export interface HttpLimits {
  /** Connecting, including TLS. */
  connectMs: number;
  callMs: number;
  listMs: number;
  /** A call of a Lease: the leader has ten seconds in all to renew it. */
  leaseMs: number;
  /** The total time for retries of a call while the server is overloaded. */
  patienceMs: number;
  /** The requested timeout of a watch, plus up to a quarter of jitter. */
  watchMs: number;
  /** How much later the end of a watch may arrive. */
  watchGraceMs: number;
}

export const defaultLimits: HttpLimits = {
  connectMs: 10_000,
  callMs: 30_000,
  listMs: 60_000,
  leaseMs: 5_000,
  patienceMs: 60_000,
  watchMs: 40_000,
  watchGraceMs: 8_000,
};

/**
 * The longest response about one object, and the longest event of a watch, bytes. No stored object has a tenth of this
 * size; with every character escaped its JSON may be six times as long.
 */
export const LONGEST_OBJECT = 32 * 1024 * 1024;
