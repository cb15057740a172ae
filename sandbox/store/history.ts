import type { KubeObject } from '../../schemas/wire/object.ts';
import { ownWeight } from './weight.ts';

/** One commit of the store. */
export interface Commit {
  revision: number;
  /** Milliseconds since 1970 UTC. */
  at: number;
  user: string;
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** The resource's id: `pods`, `rolloutplans.plan.kruise.io`. */
  resource: string;
  /** The object after the change; for a deletion its last state with the resourceVersion of the deletion. */
  object: KubeObject;
  /** The object before the change; undefined for ADDED. */
  previous: KubeObject | undefined;
}

/** The recent commits of one resource, for watches and exact lists. */
export interface History {
  append(commit: Commit): void;
  /** Commits after `revision`, oldest first; undefined if some are compacted. */
  after(revision: number): readonly Commit[] | undefined;
  /** Compacts up to and including `revision`. */
  compact(revision: number): void;
  /** The oldest revision that a watch can start from. */
  oldest(): number;
}

/** The limits of a history; older commits are compacted. */
export interface HistoryLimits {
  commits: number;
  /**
   * The approximate size limit of previous object states, because large objects that change often would use too
   * much memory.
   */
  bytes: number;
}

/** Starts after `oldest`. The cost of appending is constant: commits are trimmed in batches. */
export function createHistory({ commits: capacity, bytes: most }: HistoryLimits, oldest = 0): History {
  let commits: (Commit | undefined)[] = [];
  let weights: number[] = [];
  let weight = 0;
  let start = 0;
  let floor = oldest;

  function firstAfter(revision: number): number {
    let low = start;
    let high = commits.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const commit = commits[middle];
      if (commit !== undefined && commit.revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function dropBefore(index: number): void {
    for (; start < index; start += 1) {
      weight -= weights[start] ?? 0;
      commits[start] = undefined;
    }
    if (start > capacity || start === commits.length) {
      commits = commits.slice(start);
      weights = weights.slice(start);
      start = 0;
    }
  }

  function retained(from: number): Commit[] {
    return commits.slice(from).filter((commit) => commit !== undefined);
  }

  return {
    append(commit) {
      commits.push(commit);
      // The current state belongs to the store; a commit only accounts for the previous one.
      const own = ownWeight(commit.previous, commit.type === 'DELETED' ? undefined : commit.object);
      weights.push(own);
      weight += own;
      let first = start;
      let left = weight;
      while (commits.length - first > capacity || (left > most && first < commits.length - 1)) {
        floor = commits[first]?.revision ?? floor;
        left -= weights[first] ?? 0;
        first += 1;
      }
      dropBefore(first);
    },
    after: (revision) => (revision < floor ? undefined : retained(firstAfter(revision))),
    compact(revision) {
      if (revision <= floor) return;
      floor = revision;
      dropBefore(firstAfter(revision));
    },
    oldest: () => floor,
  };
}
