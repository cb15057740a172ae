import { claimsOf } from '../claims/unit.ts';
import { type Waiting, waitingFor } from '../workload/missing-pod.ts';
import { freeIds } from './claims.ts';
import { numberOf } from './counter.ts';
import { isTaken, nextIdentities, type PodIdentity } from './pods.ts';
import type { CloneSetView } from './view.ts';

/** A missing pod: who it will be and the names of the claims that it takes over, or what it waits for. */
export type NextPod = { identity: PodIdentity; takesOver: string[]; waits?: undefined } | Waiting;

/**
 * Who the next `count` pods are (OpenKruise cloneset, rule 6.4 step 4): first the successors of pods that went and left
 * claims, by id, then new ones. A successor has the name of the pod before it and waits until that name is free; a pod
 * that has ended and would keep it for ever makes room.
 */
export function nextPods(view: CloneSetView, count: number): NextPod[] {
  const successors = freeIds(view)
    .filter((id) => !isTaken(view, id))
    .slice(0, count)
    .map((id) => waitingFor(view, id) ?? successor(view, id));
  const others = nextIdentities(view, count - successors.length).map((identity) => ({
    identity,
    takesOver: [],
  }));
  return [...successors, ...others];
}

function successor(view: CloneSetView, id: string): NextPod {
  const claims = claimsOf(view, id);
  const n = Math.max(...claims.map(numberOf));
  const takesOver = claims.map(({ metadata }) => metadata.name).sort();
  return { identity: { n: n >= 0 ? n : undefined, id }, takesOver };
}
