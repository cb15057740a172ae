import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';

import { isWhole } from '../values/json-shape.ts';
import { type History, revisionOf } from './revision.ts';
import { revisionData, revisionHash, revisionName } from './revisions.ts';

/** More than so many in a row are no accident of 32 bits. */
const MOST = 8;
/** A status that says more was not written here: each of them costs a hash of the template. */
const MOST_KNOWN = 1_000;

/** How often the name of a revision turned out to be taken, as the target's status remembers it. */
export function knownCollisions({ target }: History): number | undefined {
  const { collisionCount: count } = (target['status'] ?? {}) as { collisionCount?: unknown };
  return isWhole(count) && count <= MOST_KNOWN ? count : undefined;
}

/**
 * `status.collisionCount` (OpenKruise inplace-update, rule 6.6 step 4): what is known, or as many as went into the name of
 * the live template's revision, if that is more. Undefined: there was none.
 */
export function collisionCount(history: History): number | undefined {
  const known = knownCollisions(history);
  const live = revisionOf(history, history.liveHash);
  const counted = live === undefined ? 0 : countedIn(live.object, history, known ?? 0);
  return counted > (known ?? 0) ? counted : known;
}

/** A revision is immutable in what its name is made of. */
const counts = new WeakMap<KubeObject, number>();

function countedIn(revision: KubeObject, { target, spec }: History, known: number): number {
  const found =
    counts.get(revision) ?? search(revision.metadata.name, target.metadata.name, spec.template, known);
  counts.set(revision, found);
  return found;
}

/** 0 also where the name was made otherwise: by OpenKruise, whose templates have other bytes. */
function search(name: string, target: string, template: JsonObject, known: number): number {
  const data = revisionData(template);
  for (let count = 0; count <= known + MOST; count++) {
    if (revisionName(target, revisionHash(data, count)) === name) return count;
  }
  return 0;
}
