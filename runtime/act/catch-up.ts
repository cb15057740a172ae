import type { Clock } from '../../schemas/wire/clock.ts';
import type { Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { cachesStale } from '../../semantics/plan/held.ts';
import type { Caches } from '../observe/caches.ts';
import type { TargetKey } from '../observe/target-key.ts';
import { isAhead, unseen } from './seen.ts';
import type { OwnWrites } from './versions.ts';

/** A cache that has not shown our own write after this long is not waited for in silence: the target is asked again. */
export const BEHIND_MS = 1_000;
/** After this long it is listed live. */
export const LIVE_LIST_MS = 5_000;
/** After this long, and several live lists, what is waited for may never come: the target says so. */
const REPORT_MS = 60_000;

/** Whether the caches show all that a target may be decided on. */
export interface CatchUp {
  /**
   * Undefined: the caches show every write of ours, and every object that what is remembered was written after. Otherwise
   * why the target is held, where it has waited for that too long.
   */
  waits(
    key: TargetKey,
    target: KubeObject,
    basis: readonly Resource[],
  ): { held: { reason: string; message: string } | undefined } | undefined;
  delete(key: TargetKey): void;
}

export function createCatchUp(options: { caches: Caches; clock: Clock; own: OwnWrites<TargetKey> }): CatchUp {
  const { caches, clock, own } = options;
  const behindSince = new Map<TargetKey, { since: number; listedAt: number }>();
  return {
    waits(key, target, basis) {
      const behind = own.behind(key, caches.versionOf);
      const revisions = caches.revisionsOf(target);
      behind.push(...unseen(revisions, basis, caches.versionOf));
      if (behind.length === 0) {
        behindSince.delete(key);
        return undefined;
      }
      const now = clock.now();
      const known = behindSince.get(key) ?? { since: now, listedAt: now };
      behindSince.set(key, known);
      if (now - known.listedAt >= LIVE_LIST_MS) {
        known.listedAt = now;
        for (const resource of behind) caches.relist(resource);
      }
      if (now - known.since < REPORT_MS) return { held: undefined };
      const ahead = revisions.filter((revision) => isAhead(revision, basis, caches.versionOf));
      return { held: cachesStale(target, ahead.map(({ metadata }) => metadata.name).sort()) };
    },
    delete: (key) => void behindSince.delete(key),
  };
}
