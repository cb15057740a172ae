import type { Clock } from '../../schemas/wire/clock.ts';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import type { Ticker } from '../../semantics/plan/rollout-view.ts';
import { type CatchUp, createCatchUp } from '../act/catch-up.ts';
import { createOwnWrites, type OwnWrites } from '../act/versions.ts';
import type { Caches } from '../observe/caches.ts';
import type { TargetKey } from '../observe/target-key.ts';
import { createLossRecords, type LossRecords } from '../plan/losses.ts';
import { createRefusals, type Refusals } from '../plan/refusals.ts';
import { createHeldNews, type HeldNews } from '../report/held-news.ts';
import { createTalk, type Talk } from '../report/talk.ts';

/** All that this process remembers of one target. Whatever must outlive it is on record in the cluster. */
export interface TargetState {
  readonly own: OwnWrites;
  readonly catchUp: CatchUp;
  readonly refusals: Refusals;
  readonly losses: LossRecords;
  readonly talk: Talk;
  readonly heldNews: HeldNews;
  /** Names that turned out to belong to somebody else. */
  readonly takenNames: Set<string>;
  /** The running clocks of its plan. */
  ticker: Ticker | undefined;
  /** When its status was last written, by the steady clock. */
  statusAt: number | undefined;
  /** The template that was live when it was last seen, and since when. */
  live: { hash: string; at: number } | undefined;
  /** Since when each plan object, by its uid, has been seen with its spec. */
  plansSince: ReadonlyMap<string, { generation: number; at: number }>;
  /** How it stood when those that wait for it were last told. */
  settledAs: string | undefined;
  /** Its status was read for what an earlier process has told. */
  isRecalled: boolean;
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
    const own = createOwnWrites();
    return {
      own,
      catchUp: createCatchUp({ caches, clock, own }),
      refusals: createRefusals(clock),
      losses: createLossRecords(caches, clock),
      talk: createTalk(clock),
      heldNews: createHeldNews(cluster, clock),
      takenNames: new Set(),
      ticker: undefined,
      statusAt: undefined,
      live: undefined,
      plansSince: new Map(),
      settledAs: undefined,
      isRecalled: false,
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
