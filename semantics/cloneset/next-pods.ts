import { claimsOf } from '../claims/unit.ts';
import { type WaitingPod, waitingFor } from '../workload/missing-pod.ts';
import { freeIds } from './claims.ts';
import { numberOf } from './counter.ts';
import { isTaken, nextIdentities, type PodIdentity } from './pods.ts';
import type { CloneSetView } from './view.ts';

/** A missing pod: its identity and the names of the claims that it reuses, or what it waits for. */
export type NextPod = { identity: PodIdentity; takesOver: string[]; waits?: undefined } | WaitingPod;

/**
 * The next `count` pods to create (OpenKruise cloneset, rule 6.4 step 4): first the replacements of lost pods that left
 * claims, by id, then new ones. A replacement has the name of the lost pod, and waits until that name is free. A pod that has
 * ended and still has the name is deleted.
 *
 * @param mostNew so many new ones suffice
 */
export function nextPods(view: CloneSetView, count: number, mostNew: number): NextPod[] {
  const successors = freeIds(view)
    .filter((id) => !isTaken(view, id))
    .slice(0, count)
    .map((id) => waitingFor(view, id) ?? successor(view, id));
  const newPods = nextIdentities(view, Math.min(count - successors.length, mostNew)).map((identity) => ({
    identity,
    takesOver: [],
  }));
  return [...successors, ...newPods];
}

function successor(view: CloneSetView, id: string): NextPod {
  const claims = claimsOf(view, id);
  const n = Math.max(...claims.map(numberOf));
  const takesOver = claims.map(({ metadata }) => metadata.name).sort();
  return { identity: { n: n >= 0 ? n : undefined, id }, takesOver };
}
