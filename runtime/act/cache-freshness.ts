import type { Clock } from '../../schemas/wire/clock.ts';
import type { Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { cachesStale, recordDiscarded } from '../../semantics/plan/held-undecided.ts';
import type { Caches } from '../observe/caches.ts';
import { staleResources } from './observed-versions.ts';
import type { WriteTracker, Versioned } from './write-tracker.ts';

/** A target whose caches are stale is reconciled again after this time. */
export const STALE_REQUEUE_MS = 1_000;
/** A cache that is stale for this long is listed again. */
export const LIVE_LIST_MS = 5_000;
/** If no list completed within this time, the target is held with that reason. */
const REPORT_MS = 60_000;

interface Message {
  reason: string;
  message: string;
}

/** Whether the caches are fresh enough for a decision about a target. */
export interface CacheFreshness {
  /** No decision may be made yet. */
  waits: boolean;
  /** Why the target is held, if it has waited too long. */
  held: Message | undefined;
  /** The versions discarded by this check, because the server will never show them. */
  discarded: Message | undefined;
}

export interface FreshnessCheck {
  /** Whether the caches show every write of ours, and every version that the records of the target were written after. */
  check(target: KubeObject, basis: readonly Resource[]): CacheFreshness;
}

/** A version that the cache of its resource does not show. */
interface Missing extends Versioned {
  /** Since when it has been known, by the monotonic clock. */
  since: number;
  /** It is of another history than that of the server. */
  isForeign: boolean;
}

const DONE: CacheFreshness = { waits: false, held: undefined, discarded: undefined };

/**
 * Checks the caches of one target. A version that is known when a list begins is at most the version of that list, because
 * the list requests the newest state. A higher version is not part of the server's history: the server was restored from a
 * backup, or the record was edited. Such a version is discarded, because waiting for it would never end.
 */
export function createFreshnessCheck(options: {
  caches: Pick<Caches, 'versionOf' | 'listBegunAt' | 'relist' | 'revisionsOf' | 'runsOf'>;
  clock: Clock;
  writes: WriteTracker;
}): FreshnessCheck {
  const { caches, clock, writes } = options;
  let before: ReadonlyMap<string, Missing> | undefined;
  let waiting: { since: number; listedAt: number } | undefined;

  /** The versions missing now, each with its state from earlier checks. */
  function missing(target: KubeObject, basis: readonly Resource[]): Missing[] {
    const ahead = [
      ...writes.stale(caches.versionOf),
      ...staleResources([...caches.revisionsOf(target), ...caches.runsOf(target)], basis, caches.versionOf),
    ];
    if (ahead.length === 0) {
      before = undefined;
      return [];
    }
    const now = clock.monotonic();
    const all = new Map<string, Missing>();
    for (const { resource, version } of ahead) {
      const id = `${resource.plural} ${version}`;
      all.set(id, before?.get(id) ?? { resource, version, since: now, isForeign: false });
    }
    before = all;
    return [...all.values()];
  }

  return {
    check(target, basis) {
      const all = missing(target, basis);
      const found = all.filter((each) => !each.isForeign && caches.listBegunAt(each.resource) > each.since);
      for (const each of found) {
        each.isForeign = true;
        writes.forget(each);
      }
      const discarded = found.length === 0 ? undefined : recordDiscarded(newest(found));
      const open = all.filter((each) => !each.isForeign).map(({ resource }) => resource);
      if (open.length === 0) {
        waiting = undefined;
        return discarded === undefined ? DONE : { ...DONE, discarded };
      }
      const now = clock.monotonic();
      const known = waiting ?? { since: now, listedAt: now };
      waiting = known;
      const stale = new Set(open);
      if (now - known.listedAt >= LIVE_LIST_MS) {
        known.listedAt = now;
        for (const resource of stale) caches.relist(resource);
      }
      const isLong = now - known.since >= REPORT_MS;
      const plurals = [...stale].map(({ plural }) => plural).sort();
      return { waits: true, held: isLong ? cachesStale(plurals) : undefined, discarded };
    },
  };
}

/** The newest version of each resource, by its plural. */
function newest(versions: readonly Versioned[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const { resource, version } of versions)
    found.set(resource.plural, Math.max(version, found.get(resource.plural) ?? 0));
  return found;
}
