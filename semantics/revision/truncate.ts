import type { Action } from '../decision.ts';
import type { History, Revision } from './revision.ts';
import { truncatable } from './revisions.ts';

export interface Truncation {
  /** Of revisions out of use, so many are kept. */
  limit: number;
  /** Content hashes of revisions that a plan may lead to. */
  keep: ReadonlySet<string>;
  /** Content hashes of revisions that units are on. */
  inUse(): ReadonlySet<string | undefined>;
  /**
   * What the revisions that would go have on record and those that stay have not: it is written elsewhere first.
   * Undefined: nothing.
   */
  carry?: (staying: readonly Revision[]) => Action | undefined;
}

/** Deletes the oldest revisions beyond the history limit; none that is live, that a unit is on, or that a plan may lead to. */
export function truncate(history: History, { limit, keep, inUse, carry }: Truncation): Action[] {
  const { revisions, liveHash } = history;
  if (revisions.length <= limit) return [];
  const used = inUse();
  const isLive = ({ hash }: Revision): boolean => keep.has(hash) || used.has(hash) || hash === liveHash;
  const live = new Set(revisions.filter(isLive).map((r) => r.name));
  const going = truncatable(
    revisions.map((r) => r.object),
    live,
    limit,
  );
  if (going.length === 0) return [];
  const first = carry?.(revisions.filter((r) => !going.includes(r.object)));
  if (first !== undefined) return [first];
  return going.map((object) => ({
    do: 'delete',
    kind: 'ControllerRevision',
    verb: 'forget',
    name: object.metadata.name,
    uid: object.metadata.uid ?? '',
    resourceVersion: object.metadata.resourceVersion ?? '',
    reason: `more than ${limit} revisions out of use`,
  }));
}
