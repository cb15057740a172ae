import type { Action } from '../decision.ts';
import type { History, Revision } from './revision.ts';
import { truncatable } from './revisions.ts';

export interface Truncation {
  /** How many unused revisions are retained. */
  limit: number;
  /** Content hashes of revisions that a plan may lead to. */
  keep: ReadonlySet<string>;
  /** Content hashes of revisions that units are on. */
  inUse(): ReadonlySet<string | undefined>;
  /**
   * Copies records from the revisions to be deleted to those that stay, before the deletion. Undefined: there is nothing to
   * copy.
   */
  carry?: (staying: readonly Revision[]) => Action | undefined;
}

/** Deletes the oldest revisions beyond the history limit, but none that is live, or that a unit or a plan needs. */
export function truncate(history: History, { limit, keep, inUse, carry }: Truncation): Action[] {
  const { revisions, liveHash } = history;
  if (revisions.length <= limit) return [];
  const used = inUse();
  const isLive = ({ hash }: Revision): boolean => keep.has(hash) || used.has(hash) || hash === liveHash;
  const live = new Set(revisions.filter(isLive).map((r) => r.name));
  const removable = truncatable(
    revisions.map((r) => r.object),
    live,
    limit,
  );
  if (removable.length === 0) return [];
  const first = carry?.(revisions.filter((r) => !removable.includes(r.object)));
  if (first !== undefined) return [first];
  return removable.map((object) => ({
    do: 'delete',
    kind: 'ControllerRevision',
    verb: 'delete revision',
    name: object.metadata.name,
    uid: object.metadata.uid ?? '',
    resourceVersion: object.metadata.resourceVersion ?? '',
    reason: `more than ${limit} revisions out of use`,
  }));
}
