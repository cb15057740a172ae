import type { Clock } from '../../schemas/wire/clock.ts';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { leaseObject, type LeaseRecord, microTime, readLease } from './lease.ts';

export interface LeadershipOptions {
  cluster: Cluster;
  clock: Clock;
  /** Unique to this process. */
  identity: string;
  namespace: string;
  name: string;
  /** The lease duration. Default 15 s. */
  leaseMs?: number;
  /** The renew deadline: a leader stops writing this long after its last renewal. Default 10 s; less than `leaseMs` by clock skew. */
  renewMs?: number;
  /** The longest pause between two attempts. Default 2 s. */
  retryMs?: number;
  /** A random number in [0, 1). */
  random: () => number;
  onLeading(): void;
  /** No write may be sent any more; `reason` is a sentence. */
  onLost(reason: string): void;
  /** Another process holds the Lease, so that this one waits. Called for each holder once, as long as it stays the same. */
  onWaiting?(holder: string): void;
  /** An attempt got an answer. */
  onAnswer?(): void;
  /** An attempt failed; it is retried. */
  onError?(error: unknown): void;
}

/** Leader election among several processes. */
export interface Leadership {
  /** Whether this process may write at this moment, by its own monotonic clock. */
  readonly leading: boolean;
  start(): void;
  /**
   * Stops and releases the Lease, so that the next leader need not wait. Call it when no write is in flight any more;
   * otherwise with `release` false, and the Lease is left to expire. Resolves within `retryMs` in any case; a Lease that
   * could not be released expires, too.
   */
  stop(release?: boolean): Promise<void>;
}

/** The Lease as last observed, and since when it has not changed, by the monotonic clock. */
type Observed = { version: string; record: LeaseRecord; since: number } | { gone: true; since: number };

/** The duration in a released Lease. */
const RELEASED_MS = 1_000;
/** The shortest pause, as a part of `retryMs`. */
const LEAST_PAUSE = 0.75;

/**
 * Leader election by a Lease, with client-go's rules: compare-and-set by resourceVersion; a holder is dead if its Lease has
 * not changed for its duration by *our* monotonic clock (times in the Lease are never compared); a leader stops writing
 * `renewMs` after it *sent* its last successful renewal, which is before another process can have observed it. No two
 * processes lead at once as long as the rates of their monotonic clocks differ by less than `renewMs / leaseMs`.
 */
export function createLeadership(options: LeadershipOptions): Leadership {
  const { cluster, clock, identity, namespace, name, random } = options;
  const { leaseMs = 15_000, renewMs = 10_000, retryMs = 2_000 } = options;
  const at = { namespace, name };
  let observed: Observed | undefined;
  /** Until when this process leads; undefined: it does not. */
  let until: number | undefined;
  let lastError = '';
  /** Whom this process was last found to wait for. */
  let waitsFor: string | undefined;
  let stopped = true;
  let cancelNext = (): void => {};
  let cancelDeadline = (): void => {};
  let trial = Promise.resolve();

  const isLeading = (): boolean => until !== undefined && clock.monotonic() < until;

  function lose(reason: string): void {
    if (until === undefined) return;
    until = undefined;
    cancelDeadline();
    options.onLost(reason);
  }

  /** Timers may come late, after a pause of the process: the clock decides. */
  function checkDeadline(): void {
    cancelDeadline();
    if (until === undefined) return;
    const left = until - clock.monotonic();
    if (left > 0) cancelDeadline = clock.after(left, checkDeadline);
    else
      lose(
        `the lease ${namespace}/${name} could not be renewed for ${renewMs / 1000} s${lastError && `: ${lastError}`}`,
      );
  }

  function note(object: KubeObject): LeaseRecord {
    const record = readLease(object);
    const version = object.metadata.resourceVersion ?? '';
    if (observed === undefined || 'gone' in observed || observed.version !== version)
      observed = { version, record, since: clock.monotonic() };
    return record;
  }

  /** The remaining time until the holder, or a possible holder, counts as dead. */
  function waitFor(holder: Observed): number {
    const record = 'gone' in holder ? undefined : holder.record;
    if (record !== undefined && (record.holder === undefined || record.holder === identity)) return 0;
    return holder.since + Math.max(leaseMs, record?.durationMs ?? 0) - clock.monotonic();
  }

  /** One attempt to acquire or renew the Lease. True: it was written with this process as its holder. */
  async function take(isCurrent: () => boolean): Promise<boolean> {
    const found = await find();
    // A late answer to an abandoned attempt updates the observation only.
    const record = found && note(found);
    if (!isCurrent()) return false;
    if (found === undefined) {
      // The former holder of a deleted Lease may not have noticed yet: only the leader itself, or a process that never
      // observed the Lease, creates it at once.
      if (isLeading()) observed = undefined;
      else if (observed !== undefined && !('gone' in observed))
        observed = { gone: true, since: clock.monotonic() };
      if (observed !== undefined && waitFor(observed) > 0) return false;
    }
    if (record !== undefined && record.holder !== undefined && record.holder !== identity) {
      lose(`${record.holder} has taken the lease ${namespace}/${name}`);
      if (observed !== undefined && waitFor(observed) > 0) {
        if (waitsFor !== record.holder) options.onWaiting?.(record.holder);
        waitsFor = record.holder;
        return false;
      }
    }
    waitsFor = undefined;
    const now = microTime(clock.now());
    const isOurs = record?.holder === identity;
    const wanted = leaseObject(
      at,
      {
        holder: identity,
        durationMs: leaseMs,
        transitions: record === undefined ? 0 : record.transitions + (isOurs ? 0 : 1),
        acquireTime: (isOurs ? record.acquireTime : undefined) ?? now,
        renewTime: now,
      },
      found,
    );
    const written =
      found === undefined
        ? await cluster.create(resources.Lease, wanted)
        : await cluster.replace(resources.Lease, wanted);
    if (isCurrent()) note(written);
    return true;
  }

  async function find(): Promise<KubeObject | undefined> {
    try {
      return await cluster.get(resources.Lease, at);
    } catch (error) {
      if (error instanceof ApiError && error.status.code === 404 && error.status.reason === 'NotFound')
        return undefined;
      throw error;
    }
  }

  /** An attempt without an answer is abandoned and a late answer ignored: the next attempt may succeed. */
  async function tryOnce(): Promise<void> {
    const sent = clock.monotonic();
    let current = true;
    let cancelPatience = (): void => {};
    const patience = new Promise<never>((_, reject) => {
      cancelPatience = clock.after(renewMs / 2, () =>
        reject(new Error(`the server did not answer within ${renewMs / 2000} s`)),
      );
    });
    try {
      const taken = await Promise.race([take(() => current && !stopped), patience]);
      lastError = '';
      options.onAnswer?.();
      if (taken && !stopped) lead(sent + renewMs);
    } catch (error) {
      // Another process was first: the next attempt reads who.
      if (!(error instanceof ApiError && error.status.code === 409)) {
        lastError = error instanceof Error ? error.message : String(error);
        options.onError?.(error);
      }
    } finally {
      current = false;
      cancelPatience();
    }
  }

  function lead(deadline: number): void {
    const was = isLeading();
    if (!was) checkDeadline();
    if (clock.monotonic() >= deadline) return;
    until = deadline;
    checkDeadline();
    if (!was) options.onLeading();
  }

  async function tryAndGoOn(): Promise<void> {
    await tryOnce();
    if (!stopped) next(retryMs * (LEAST_PAUSE + (1 - LEAST_PAUSE) * random()));
  }

  function next(delayMs: number): void {
    cancelNext();
    cancelNext = clock.after(delayMs, () => {
      checkDeadline();
      trial = tryAndGoOn();
    });
  }

  /** Releases the Lease, unless it was changed meanwhile. */
  async function release(): Promise<void> {
    const found = await find();
    if (found === undefined || readLease(found).holder !== identity) return;
    const now = microTime(clock.now());
    const { transitions } = readLease(found);
    await cluster.replace(
      resources.Lease,
      leaseObject(
        at,
        { holder: '', durationMs: RELEASED_MS, transitions, acquireTime: now, renewTime: now },
        found,
      ),
    );
  }

  return {
    get leading() {
      return isLeading();
    },
    start() {
      if (!stopped) return;
      stopped = false;
      next(0);
    },
    async stop(releases = true) {
      if (stopped) return;
      stopped = true;
      cancelNext();
      cancelDeadline();
      until = undefined;
      await new Promise<void>((resolve) => {
        const cancelPatience = clock.after(retryMs, resolve);
        // An attempt in flight may still acquire it.
        void trial
          .then(() => (releases ? release() : undefined))
          .catch((error: unknown) => options.onError?.(error))
          .finally(() => {
            cancelPatience();
            resolve();
          });
      });
    },
  };
}
