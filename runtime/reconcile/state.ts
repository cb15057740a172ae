import type { Clock } from '../../schemas/wire/clock.ts';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import type { ProgressClock } from '../../semantics/plan/rollout-view.ts';
import { type FreshnessCheck, createFreshnessCheck } from '../act/cache-freshness.ts';
import { createWriteTracker, type WriteTracker } from '../act/write-tracker.ts';
import type { Caches } from '../observe/caches.ts';
import type { TargetKey } from '../observe/target-key.ts';
import { createCreationBackoffs, type CreationBackoffs } from '../plan/creation-backoffs.ts';
import { createRefusals, type Refusals } from '../plan/refusals.ts';
import { createHeldEvents, type HeldEvents } from '../report/held-events.ts';
import { createEventLimiter, type EventLimiter } from '../report/event-limiter.ts';

/** All that this process remembers of one target. Whatever must outlive it is on record in the cluster. */
export interface TargetState {
  readonly writes: WriteTracker;
  readonly freshness: FreshnessCheck;
  readonly refusals: Refusals;
  readonly creationBackoff: CreationBackoffs;
  readonly eventLimiter: EventLimiter;
  readonly heldEvents: HeldEvents;
  /** Names that turned out to belong to somebody else. */
  readonly takenNames: Set<string>;
  /** The running clocks of its plan. */
  progressClock: ProgressClock | undefined;
  /** When its status was last written, by the steady clock. */
  statusAt: number | undefined;
  /** The template that was live when it was last seen, and since when. */
  live: { hash: string; at: number } | undefined;
  /** Since when each plan object, by its uid, has been seen with its spec. */
  plansSince: ReadonlyMap<string, { generation: number; at: number }>;
  /** How it stood when those that wait for it were last told. */
  settledAs: string | undefined;
  /** Its status was read for what an earlier process has told. */
  isRestored: boolean;
  /** Its present pass has come to a decision. */
  isDecided: boolean;
}

/** One record a target, freed as one when the target goes. */
export interface States {
  /** The record of a target, made where there is none. */
  of(key: TargetKey): TargetState;
  find(key: TargetKey): TargetState | undefined;
  delete(key: TargetKey): void;
  readonly size: number;
}

export function createStates(options: { cluster: Cluster; caches: Caches; clock: Clock }): States {
  const { cluster, caches, clock } = options;
  const states = new Map<TargetKey, TargetState>();

  function created(): TargetState {
    const own = createWriteTracker();
    return {
      writes: own,
      freshness: createFreshnessCheck({ caches, clock, own }),
      refusals: createRefusals(clock),
      creationBackoff: createCreationBackoffs(caches, clock),
      eventLimiter: createEventLimiter(clock),
      heldEvents: createHeldEvents(cluster, clock),
      takenNames: new Set(),
      progressClock: undefined,
      statusAt: undefined,
      live: undefined,
      plansSince: new Map(),
      settledAs: undefined,
      isRestored: false,
      isDecided: false,
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
