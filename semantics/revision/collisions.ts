import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';

import { isWhole } from '../values/json-shape.ts';
import { type History, revisionOf } from './revision.ts';
import { revisionData, revisionHash, revisionName } from './revisions.ts';

/** How many further collisions are tried. More in a row are no accident with 32 bits. */
const MAX_NEW = 8;
/** The highest count that is read from a status. A higher one is forged, and each costs a hash of the template. */
const MAX_RECORDED = 1_000;

/** How many names of revisions were found to be taken, as recorded in the target's status; undefined: none. */
export function knownCollisions({ target }: History): number | undefined {
  const { collisionCount: count } = (target['status'] ?? {}) as { collisionCount?: unknown };
  return isWhole(count) && count <= MAX_RECORDED ? count : undefined;
}

/**
 * `status.collisionCount` (OpenKruise inplace-update, rule 6.6 step 4): the recorded count, or that in the name of the live
 * template's revision if it is higher. Undefined: there was no collision.
 */
export function collisionCount(history: History): number | undefined {
  const known = knownCollisions(history);
  const live = revisionOf(history, history.liveHash);
  const counted = live === undefined ? 0 : countedIn(live.object, history, known ?? 0);
  return counted > (known ?? 0) ? counted : known;
}

/** Cached by revision: its name and template never change. */
const counts = new WeakMap<KubeObject, number>();

function countedIn(revision: KubeObject, { target, spec, form }: History, known: number): number {
  const data = form?.data ?? revisionData(spec.template);
  const found = counts.get(revision) ?? search(revision.metadata.name, target.metadata.name, data, known);
  counts.set(revision, found);
  return found;
}

/** The collision count in the name of a revision; 0 also for a name of OpenKruise's, which hashes other bytes. */
function search(name: string, target: string, data: JsonObject, known: number): number {
  for (let count = 0; count <= known + MAX_NEW; count++) {
    if (revisionName(target, revisionHash(data, count)) === name) return count;
  }
  return 0;
}
