import type { Clock } from '../../schemas/wire/clock.ts';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import type { ProgressClock } from '../../semantics/plan/advance-input.ts';
import { type AnotherProcess, createAnotherProcess } from '../act/another-process.ts';
import { type FreshnessCheck, createFreshnessCheck } from '../act/cache-freshness.ts';
import { createWriteTracker, type WriteTracker } from '../act/write-tracker.ts';
import type { Caches } from '../observe/caches.ts';
import type { TargetKey } from '../observe/target-key.ts';
import { type CopyBackoffs, createCopyBackoffs } from '../plan/copy-backoffs.ts';
import { createCreationBackoffs, type CreationBackoffs } from '../plan/creation-backoffs.ts';
import { createRefusals, type Refusals } from '../plan/refusals.ts';
import { createHeldEvents, type HeldEvents } from '../report/held-events.ts';
import { createEventLimiter, type EventLimiter } from '../report/event-limiter.ts';
import { createTakenNames, type TakenNames } from './taken-names.ts';

/** The in-memory state of one target. Whatever must survive a restart is recorded in the cluster. */
export interface TargetState {
  readonly writes: WriteTracker;
  readonly freshness: FreshnessCheck;
  readonly anotherProcess: AnotherProcess;
  readonly refusals: Refusals;
  readonly creationBackoff: CreationBackoffs;
  readonly copyBackoffs: CopyBackoffs;
  readonly eventLimiter: EventLimiter;
  readonly heldEvents: HeldEvents;
  readonly takenNames: TakenNames;
  /** Namespaces where another owner's object has the name of a copy, and when that was last seen, milliseconds since 1970. */
  readonly occupied: Map<string, number>;
  /**
   * The generation of which its copies without a label were last listed, and when they are listed again, by the monotonic clock;
   * undefined: each of them was given the label.
   */
  labelled: { generation: number | undefined; againAt: number | undefined } | undefined;
  /** The running clocks of its plan. */
  progressClock: ProgressClock | undefined;
  /** When its status was last written, by the monotonic clock. */
  statusAt: number | undefined;
  /** Since when the oldest of its pods has waited with a gate of its kind, milliseconds since 1970; undefined: none waits. */
  gatedSince: number | undefined;
  /** Since when pods of it have waited for a slot of an object that influences them, milliseconds since 1970; undefined: none waits. */
  waitsSince: number | undefined;
  /** The live template at the last observation, and since when it has been live. */
  live: { hash: string; at: number } | undefined;
  /** Its own partition and selector at the last observation, as text, and since when it has had them. */
  bound: { text: string; at: number } | undefined;
  /** Since when each plan object, by its uid, has been observed with its spec. */
  plansSince: ReadonlyMap<string, { generation: number; at: number }>;
  /** Its rollout state when the targets that wait for it were last enqueued. */
  settledAs: string | undefined;
  /** Refusals that an earlier process reported in its status were restored. */
  isRestored: boolean;
  /** The server refused its last status: no pod is changed before it accepts one. */
  isStatusRefused: boolean;
  /** The last writes of a target without plans have ended in an error. */
  hasFailed: boolean;
  /** The running reconcile has made a decision. */
  isDecided: boolean;
  /**
   * How many reconciles in a row have only recorded something, of this generation, and when the last one did, milliseconds since
   * 1970. One that the server refused does not count.
   */
  recorded: { generation: number | undefined; inARow: number; at: number };
}

/** The state of each target, freed when the target is deleted. */
export interface States {
  /** The state of a target, created if there is none. */
  of(key: TargetKey): TargetState;
  find(key: TargetKey): TargetState | undefined;
  delete(key: TargetKey): void;
  readonly size: number;
}

export function createStates(options: {
  cluster: Cluster;
  caches: Caches;
  clock: Clock;
  /** The name of this process among its records. Default: none. */
  identity?: string | undefined;
}): States {
  const { cluster, caches, clock, identity } = options;
  const states = new Map<TargetKey, TargetState>();

  function created(): TargetState {
    const writes = createWriteTracker();
    return {
      writes,
      freshness: createFreshnessCheck({ caches, clock, writes }),
      anotherProcess: createAnotherProcess({ caches, clock, identity }),
      refusals: createRefusals(clock),
      creationBackoff: createCreationBackoffs(caches, clock),
      copyBackoffs: createCopyBackoffs(clock),
      eventLimiter: createEventLimiter(clock),
      heldEvents: createHeldEvents(cluster, clock),
      takenNames: createTakenNames(clock),
      occupied: new Map(),
      labelled: undefined,
      progressClock: undefined,
      statusAt: undefined,
      gatedSince: undefined,
      waitsSince: undefined,
      live: undefined,
      bound: undefined,
      plansSince: new Map(),
      settledAs: undefined,
      isRestored: false,
      isStatusRefused: false,
      hasFailed: false,
      isDecided: false,
      recorded: { generation: undefined, inARow: 0, at: 0 },
    };
  }

  return {
    of(key) {
      const state = states.get(key) ?? created();
      states.set(key, state);
      return state;
    },
    find: (key) => states.get(key),
    delete: (key) => void states.delete(key),
    get size() {
      return states.size;
    },
  };
}
