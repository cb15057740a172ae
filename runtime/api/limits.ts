/** Milliseconds throughout. */
export interface HttpLimits {
  /** Until a connection stands, TLS and all. */
  connectMs: number;
  callMs: number;
  listMs: number;
  /** Of a Lease: whoever renews one has ten seconds in all. */
  leaseMs: number;
  /** How long a server that is overloaded is waited for, in all. */
  patienceMs: number;
  /** The server is asked to end a watch after so long and up to a quarter more. */
  watchMs: number;
  /** So much longer may the end of a watch be on its way. */
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
 * The longest answer about one object, and the longest event of a watch, bytes. A server stores no object of a tenth of this;
 * written with every sign escaped it may be six times as long.
 */
export const LONGEST_OBJECT = 32 * 1024 * 1024;
