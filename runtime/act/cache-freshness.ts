import type { Clock } from '../../schemas/wire/clock.ts';
import type { Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { cachesStale, recordDiscarded } from '../../semantics/plan/held.ts';
import type { Caches } from '../observe/caches.ts';
import { staleResources } from './observed-versions.ts';
import type { WriteTracker, Versioned } from './write-tracker.ts';

/** A cache that has not shown our own write after this long is not waited for in silence: the target is asked again. */
export const STALE_REQUEUE_MS = 1_000;
/** After this long it is listed live. */
export const LIVE_LIST_MS = 5_000;
/** After this long no live list was complete, and nobody knows when one will be: the target says so. */
const REPORT_MS = 60_000;

interface Message {
  reason: string;
  message: string;
}

/** Whether the caches show all that a target may be decided on. */
export interface CacheFreshness {
  /** Nothing may be decided yet. */
  waits: boolean;
  /** Why the target is held, where it has waited too long. */
  held: Message | undefined;
  /** What was not waited for any longer since the last time, because the server will never show it. */
  discarded: Message | undefined;
}

export interface FreshnessCheck {
  /** Whether the caches show every write of ours, and every object that what is remembered was written after. */
  check(target: KubeObject, basis: readonly Resource[]): CacheFreshness;
}

/** A version that the cache of its resource does not show. */
interface Missing extends Versioned {
  /** Since when it has been known, by the steady clock. */
  since: number;
  /** It is of another history than the server has. */
  isForeign: boolean;
}

const DONE: CacheFreshness = { waits: false, held: undefined, discarded: undefined };

/**
 * Waits for what the caches do not show yet of one target. A version that is known when a list is begun is at most the version of that
 * list: the list asks for the newest state. One that is above it never was in the present history of the server, which was
 * restored from a backup, or the record was edited: it says nothing, and waiting for it would never end.
 */
export function createFreshnessCheck(options: {
  caches: Pick<Caches, 'versionOf' | 'listBegunAt' | 'relist' | 'revisionsOf'>;
  clock: Clock;
  own: WriteTracker;
}): FreshnessCheck {
  const { caches, clock, own } = options;
  let before: ReadonlyMap<string, Missing> | undefined;
  let waiting: { since: number; listedAt: number } | undefined;

  /** What is missing now, each with what is known of it from before. */
  function missing(target: KubeObject, basis: readonly Resource[]): Missing[] {
    const ahead = [
      ...own.stale(caches.versionOf),
      ...staleResources(caches.revisionsOf(target), basis, caches.versionOf),
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
        own.forget(each);
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
      const behind = new Set(open);
      if (now - known.listedAt >= LIVE_LIST_MS) {
        known.listedAt = now;
        for (const resource of behind) caches.relist(resource);
      }
      const isLong = now - known.since >= REPORT_MS;
      const plurals = [...behind].map(({ plural }) => plural).sort();
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
