import type { Clock } from '../../schemas/wire/clock.ts';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { createLeadership, type Leadership, type LeadershipOptions } from '../../runtime/lead/leadership.ts';
import { createTimerQueue } from 'kruise-sandbox/clock';

/** True time, advanced manually: fast enough for tens of thousands of small worlds. */
export interface TrueTime {
  now(): number;
  after(delayMs: number, run: () => void): () => void;
  /** Runs the timers that are due within `ms`; `observe` is called after each one. */
  advance(ms: number, observe?: () => void): Promise<void>;
}

/** Deeper than any chain of promises between a timer and the next call. */
const REACTIONS = 12;
const reaction = Promise.resolve();

export function createTrueTime(): TrueTime {
  const queue = createTimerQueue();
  let now = 0;
  return {
    now: () => now,
    after: (delayMs, run) => queue.add(now + Math.max(0, delayMs), run),
    async advance(ms, observe) {
      const end = now + ms;
      for (let iteration = 0; iteration < REACTIONS; iteration += 1) await reaction;
      for (;;) {
        const due = queue.nextTime();
        if (due === undefined || due > end) break;
        now = due;
        queue.take()?.();
        for (let iteration = 0; iteration < REACTIONS; iteration += 1) await reaction;
        observe?.();
      }
      now = end;
    },
  };
}

/** The machine of one process, whose clocks may be wrong and which may pause. */
export interface Machine {
  clock: Clock;
  /** Moves the wall clock by this much. */
  jump(ms: number): void;
  /** Runs nothing and receives no response for this time; due timers run afterwards. */
  pause(ms: number): void;
  /** Resolves when the machine runs. */
  running(): Promise<void>;
  /** Ends the process: nothing runs any more. */
  kill(): void;
}

/** @param rate the rate of its clocks */
export function createMachine(time: Pick<TrueTime, 'now' | 'after'>, rate = 1, wallAt = 0): Machine {
  let offset = wallAt;
  let pausedUntil = 0;
  let dead = false;
  const whenRunning = (run: () => void): void => {
    if (dead) return;
    if (pausedUntil > time.now()) time.after(pausedUntil - time.now(), () => whenRunning(run));
    else run();
  };
  return {
    clock: {
      now: () => Math.floor(offset + time.now() * rate),
      monotonic: () => time.now() * rate,
      after(delayMs, run) {
        let canceled = false;
        const cancel = time.after(delayMs / rate, () =>
          whenRunning(() => {
            if (!canceled) run();
          }),
        );
        return () => {
          canceled = true;
          cancel();
        };
      },
    },
    jump: (ms) => void (offset += ms),
    pause: (ms) => void (pausedUntil = Math.max(pausedUntil, time.now() + ms)),
    running: () => new Promise((resolve) => whenRunning(resolve)),
    kill: () => void (dead = true),
  };
}

/** The fate of a request: its delays, and whether the request or its response is lost. */
export interface NetworkDelay {
  thereMs: number;
  backMs: number;
  fails?: 'before' | 'after' | 'never answered';
}

/** A server that stores one Lease, with compare-and-set like a real one. */
export interface LeaseServer {
  lease: KubeObject | undefined;
  /** All writes of the Lease. */
  writes: { at: number; by: string }[];
  /** The users that have read a Lease. */
  shownTo: Set<string>;
  clusterFor(machine: Machine, user: string, passage: () => NetworkDelay): Cluster;
  /** Edits or deletes the Lease. */
  set(lease: KubeObject | undefined): void;
}

const direct: NetworkDelay = { thereMs: 1, backMs: 1 };

export function createLeaseServer(time: TrueTime): LeaseServer {
  let version = 0;
  const refuse = (code: number, reason: string): never => {
    throw new ApiError({ code, reason, message: `leases "kruise": ${reason}` });
  };
  function stamp(lease: KubeObject): KubeObject {
    version += 1;
    const { uid = `uid-${version}` } = lease.metadata;
    return { ...lease, metadata: { ...lease.metadata, uid, resourceVersion: String(version) } };
  }
  const server: LeaseServer = {
    lease: undefined,
    writes: [],
    shownTo: new Set(),
    set: (lease) => void (server.lease = lease === undefined ? undefined : stamp(lease)),
    clusterFor(machine, user, passage) {
      async function carry<Answer>(act: () => Answer): Promise<Answer> {
        const { thereMs, backMs, fails } = passage();
        await wait(thereMs);
        if (fails === 'before') {
          await machine.running();
          throw new Error('connection reset');
        }
        let settle: () => Answer;
        try {
          const answer = act();
          settle = () => answer;
        } catch (error) {
          settle = () => {
            throw error;
          };
        }
        if (fails === 'never answered') return new Promise<never>(() => {});
        await wait(backMs);
        await machine.running();
        if (fails === 'after') throw new Error('connection reset');
        const answer = settle();
        server.shownTo.add(user);
        return answer;
      }
      const wait = (ms: number): Promise<void> =>
        new Promise((resolve) => {
          time.after(ms, resolve);
        });
      const stored = (): KubeObject => server.lease ?? refuse(404, 'NotFound');
      const put = (lease: KubeObject): KubeObject => {
        server.writes.push({ at: time.now(), by: user });
        server.lease = stamp(lease);
        return server.lease;
      };
      const unused = (): never => {
        throw new Error('a lease is got, created and replaced, nothing else');
      };
      return {
        get: () => carry(stored),
        create: (_resource, body) =>
          carry(() => (server.lease === undefined ? put(body) : refuse(409, 'AlreadyExists'))),
        replace: (_resource, body) =>
          carry(() => {
            const before = stored();
            const same =
              before.metadata.resourceVersion === body.metadata.resourceVersion &&
              before.metadata.uid === body.metadata.uid;
            return same ? put(body) : refuse(409, 'Conflict');
          }),
        list: unused,
        watch: unused,
        patch: unused,
        delete: unused,
      };
    },
  };
  return server;
}

/** One process in the election. */
export interface Candidate {
  machine: Machine;
  leadership: Leadership;
  /** The callbacks that it received, with the true time in seconds. */
  reported: string[];
  errors: string[];
}

export function createCandidate(
  time: TrueTime,
  server: LeaseServer,
  identity: string,
  {
    rate = 1,
    wallAt = 0,
    passage = () => direct,
    random = () => 1,
  }: { rate?: number; wallAt?: number; passage?: () => NetworkDelay; random?: () => number } = {},
): Candidate {
  const machine = createMachine(time, rate, wallAt);
  const reports: string[] = [];
  const errors: string[] = [];
  const report = (text: string): void => void reports.push(`${(time.now() / 1000).toFixed(1)} ${text}`);
  const options: LeadershipOptions = {
    cluster: server.clusterFor(machine, identity, passage),
    clock: machine.clock,
    identity,
    namespace: 'kruise-system',
    name: 'kruise',
    random,
    onLeading: () => report('leads'),
    onLost: (reason) => report(reason),
    onError: (error) => void errors.push(String(error)),
  };
  const leadership = createLeadership(options);
  leadership.start();
  return { machine, leadership, reported: reports, errors };
}
