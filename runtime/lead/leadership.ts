import type { Clock } from '../../schemas/wire/clock.ts';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { leaseObject, type LeaseRecord, microTime, readLease } from './lease.ts';

export interface LeadershipOptions {
  cluster: Cluster;
  clock: Clock;
  /** No other process may ever have the same. */
  identity: string;
  namespace: string;
  name: string;
  /** How long a leader that says nothing is waited for, at least. Default 15 s. */
  leaseMs?: number;
  /** How long after its last renewal a leader stops to write. Default 10 s; less than `leaseMs` by what clocks may differ. */
  renewMs?: number;
  /** The longest pause between two tries. Default 2 s. */
  retryMs?: number;
  /** A number in [0, 1), anew at each call. */
  random: () => number;
  onLeading(): void;
  /** No write may be sent any more; a sentence says why. */
  onLost(reason: string): void;
  /** The Lease could be read or written, after whatever trouble. */
  onAnswer?(): void;
  /** A try that failed; it is repeated by itself. */
  onError?(error: unknown): void;
}

/** One of several processes that lead in turns. */
export interface Leadership {
  /** Whether this process may write at this very moment, by its own steady clock. */
  readonly leading: boolean;
  start(): void;
  /**
   * Ends it and hands the Lease back, so that the next one need not wait. To be called when no write is under way any
   * more; otherwise with `release` false, and the Lease is left to expire. Resolves within `retryMs`, whatever the
   * server does; a Lease that could not be handed back expires, too.
   */
  stop(release?: boolean): Promise<void>;
}

/** What was last seen of the Lease, and since when it has not changed, by the steady clock. */
type Observed = { version: string; record: LeaseRecord; since: number } | { gone: true; since: number };

/** What a released Lease says. */
const RELEASED_MS = 1_000;
/** A pause is this part of `retryMs` at least. */
const LEAST_PAUSE = 0.75;

/**
 * Leadership by a Lease, by client-go's rules: compare-and-set by resourceVersion; a holder is dead when its Lease has
 * not changed for its duration by *our* steady clock (times in it are never compared); a leader stops to write `renewMs`
 * after it *sent* its last successful renewal, which is before anybody can have seen it. As long as two steady clocks run
 * equally fast within `renewMs / leaseMs`, no two processes lead at once.
 */
export function createLeadership(options: LeadershipOptions): Leadership {
  const { cluster, clock, identity, namespace, name, random } = options;
  const { leaseMs = 15_000, renewMs = 10_000, retryMs = 2_000 } = options;
  const at = { namespace, name };
  let observed: Observed | undefined;
  /** Until when this process leads; undefined: it does not. */
  let until: number | undefined;
  let trouble = '';
  let stopped = true;
  let cancelNext = (): void => {};
  let cancelDeadline = (): void => {};
  let trial = Promise.resolve();

  const inForce = (): boolean => until !== undefined && clock.monotonic() < until;

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
        `the lease ${namespace}/${name} could not be renewed for ${renewMs / 1000} s${trouble && `: ${trouble}`}`,
      );
  }

  function note(object: KubeObject): LeaseRecord {
    const record = readLease(object);
    const version = object.metadata.resourceVersion ?? '';
    if (observed === undefined || 'gone' in observed || observed.version !== version)
      observed = { version, record, since: clock.monotonic() };
    return record;
  }

  /** How long the one that holds it, or may hold it, is still waited for. */
  function waitFor(holder: Observed): number {
    const record = 'gone' in holder ? undefined : holder.record;
    if (record !== undefined && (record.holder === undefined || record.holder === identity)) return 0;
    return holder.since + Math.max(leaseMs, record?.durationMs ?? 0) - clock.monotonic();
  }

  /** One try to get or keep the Lease. True: it was written with us as its holder. */
  async function take(isCurrent: () => boolean): Promise<boolean> {
    const found = await find();
    // What a try that was given up still brings is good to know, and no more.
    const record = found && note(found);
    if (!isCurrent()) return false;
    if (found === undefined) {
      // Whoever held it before it was deleted may not know yet: only the leader itself, or a process that never saw the
      // Lease and cannot tell whether there was one, makes it anew at once.
      if (inForce()) observed = undefined;
      else if (observed !== undefined && !('gone' in observed))
        observed = { gone: true, since: clock.monotonic() };
      if (observed !== undefined && waitFor(observed) > 0) return false;
    }
    if (record !== undefined && record.holder !== undefined && record.holder !== identity) {
      lose(`${record.holder} has taken the lease ${namespace}/${name}`);
      if (observed !== undefined && waitFor(observed) > 0) return false;
    }
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

  /** A try whose answer does not come is given up, and what it still brings is not heard: another one may get through. */
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
      trouble = '';
      options.onAnswer?.();
      if (taken && !stopped) lead(sent + renewMs);
    } catch (error) {
      // Somebody else was first: the next look shows who.
      if (!(error instanceof ApiError && error.status.code === 409)) {
        trouble = error instanceof Error ? error.message : String(error);
        options.onError?.(error);
      }
    } finally {
      current = false;
      cancelPatience();
    }
  }

  function lead(deadline: number): void {
    const was = inForce();
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

  /** Hands the Lease back; whoever changed it meanwhile keeps it. */
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
      return inForce();
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
        // A try under way may still get it.
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
