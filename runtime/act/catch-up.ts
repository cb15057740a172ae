import type { Clock } from '../../schemas/wire/clock.ts';
import type { Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Caches } from '../observe/caches.ts';
import type { TargetKey } from '../observe/target-key.ts';
import { unseen } from './seen.ts';
import type { OwnWrites } from './versions.ts';

/** A cache that has not shown our own write after this long is not waited for in silence: the target is asked again. */
export const BEHIND_MS = 1_000;
/** After this long it is listed live. */
export const LIVE_LIST_MS = 5_000;

/** Keeps targets from being decided on caches that are older than what was written. */
export interface CatchUp {
  /**
   * Whether the caches show every write of ours, and every object of `basis` that what is remembered was written after; if
   * one does not for long, it is listed live.
   */
  isCurrent(key: TargetKey, target: KubeObject, basis: readonly Resource[]): boolean;
  delete(key: TargetKey): void;
}

export function createCatchUp(options: {
  own: OwnWrites<TargetKey>;
  caches: Caches;
  clock: Clock;
  ask(key: TargetKey, delayMs: number): void;
}): CatchUp {
  const { own, caches, clock } = options;
  const behindSince = new Map<TargetKey, number>();
  return {
    isCurrent(key, target, basis) {
      const behind = own.behind(key, caches.versionOf);
      behind.push(...unseen(caches.revisionsOf(target), basis, caches.versionOf));
      if (behind.length === 0) {
        behindSince.delete(key);
        return true;
      }
      const since = behindSince.get(key) ?? clock.now();
      behindSince.set(key, since);
      if (clock.now() - since >= LIVE_LIST_MS) {
        behindSince.set(key, clock.now());
        for (const resource of behind) caches.relist(resource);
      }
      options.ask(key, BEHIND_MS);
      return false;
    },
    delete: (key) => void behindSince.delete(key),
  };
}
