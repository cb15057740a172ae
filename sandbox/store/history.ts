import type { KubeObject } from '../../schemas/wire/object.ts';
import { ownWeight } from './weight.ts';

/** One change of the store, as it was made. */
export interface Commit {
  revision: number;
  /** Milliseconds since 1970 UTC. */
  at: number;
  user: string;
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** The resource's id: `pods`, `rolloutplans.plan.kruise.io`. */
  resource: string;
  /** After the change; of a deletion, the last state with the deletion's resourceVersion. */
  object: KubeObject;
  /** Before the change; undefined for ADDED. */
  previous: KubeObject | undefined;
}

/** The latest commits of one resource: what a watch can still be started from. */
export interface History {
  append(commit: Commit): void;
  /** Commits after `revision`, oldest first, or undefined when some of them are forgotten. */
  after(revision: number): readonly Commit[] | undefined;
  /** Forgets everything up to and including `revision`. */
  compact(revision: number): void;
  /** The oldest revision a watch can start from. */
  oldest(): number;
}

/** What a history may hold; older commits are forgotten. */
export interface HistoryLimits {
  commits: number;
  /** About how many bytes of former states there may be: large objects that change often would fill the memory. */
  bytes: number;
}

/** It begins after `oldest`. Appending costs the same however long it runs: the list is cut in pieces. */
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

  function kept(from: number): Commit[] {
    return commits.slice(from).filter((commit) => commit !== undefined);
  }

  return {
    append(commit) {
      commits.push(commit);
      // The present state is the store's: a commit holds on to the one before.
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
    after: (revision) => (revision < floor ? undefined : kept(firstAfter(revision))),
    compact(revision) {
      if (revision <= floor) return;
      floor = revision;
      dropBefore(firstAfter(revision));
    },
    oldest: () => floor,
  };
}
