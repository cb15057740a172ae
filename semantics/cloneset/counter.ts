import type { KubeObject } from '../../schemas/wire/object.ts';
import { readCounter } from '../values/counter.ts';
import { type CloneSetView, POD_NUMBER_ANNOTATION, PODS_CREATED_ANNOTATION, type Revision } from './view.ts';

/** How many pod names were derived, as last recorded on any revision. */
export function podsCreated({ revisions }: Pick<CloneSetView, 'revisions'>): number {
  return Math.max(0, ...revisions.map(countOn));
}

function countOn({ object }: Revision): number {
  return readCounter(object.metadata.annotations?.[PODS_CREATED_ANNOTATION]) ?? 0;
}

/**
 * The pods in the view are as late as the record that a pod of this number was counted: no name below the counter is given
 * anew, so a pod of that number that is not in the view is gone. Known by a pod that was seen at a later version than the
 * record; of one server, greater means later.
 *
 * @param n −1: it was never counted
 */
export function isCountSeen(view: CloneSetView, n: number): boolean {
  if (n < 0) return false;
  const since = view.revisions.filter((each) => countOn(each) > n).map(({ object }) => versionOf(object));
  const pods = [view.active, view.released, view.ended, view.going].flat();
  const recorded = Math.min(...since);
  return pods.some((pod) => versionOf(pod) >= recorded);
}

/** NaN, which no comparison holds for, where it is no number. */
function versionOf({ metadata }: KubeObject): number {
  return Number(metadata.resourceVersion || NaN);
}

/** Which of the names a pod or a claim has; -1: none of them, as what OpenKruise made. */
export function numberOf({ metadata }: KubeObject): number {
  return readCounter(metadata.annotations?.[POD_NUMBER_ANNOTATION]) ?? -1;
}
