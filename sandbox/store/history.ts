import type { KubeObject } from '../../schemas/wire/object.ts';

/** One change of the store, as it was made. */
export interface Commit {
  revision: number;
  /** Milliseconds since 1970 UTC. */
  at: number;
  user: string;
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** The resource's id: `pods`, `clonesets.apps.kruise.io`. */
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

/** Keeps `capacity` commits, and drops in pieces, so that appending costs the same however long it runs. */
export function createHistory(capacity: number): History {
  let commits: Commit[] = [];
  let start = 0;
  let floor = 0;

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
    start = index;
    if (start > capacity || start === commits.length) {
      commits = commits.slice(start);
      start = 0;
    }
  }

  return {
    append(commit) {
      commits.push(commit);
      if (commits.length - start <= capacity) return;
      floor = commits[start]?.revision ?? floor;
      dropBefore(start + 1);
    },
    after: (revision) => (revision < floor ? undefined : commits.slice(firstAfter(revision))),
    compact(revision) {
      if (revision <= floor) return;
      floor = revision;
      dropBefore(firstAfter(revision));
    },
    oldest: () => floor,
  };
}
