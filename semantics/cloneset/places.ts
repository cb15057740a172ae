import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Pod } from '../pod/types.ts';
import { claimsOf, goingClaim, podNameOf } from '../claims/unit.ts';
import { freeIds } from './claims.ts';
import { numberOf } from './counter.ts';
import { isTaken, nextIdentities, type PodIdentity } from './pods.ts';
import type { CloneSetView } from './view.ts';

/** A missing pod: who it will be, or what it waits for. */
export type Place =
  | { identity: PodIdentity; takesOver: string[]; waits?: undefined }
  | {
      waits: string;
      /** What is being deleted, and should be gone soon after the time that it has been given. */
      going: KubeObject | undefined;
      /** A pod that has ended and stands where it will be. */
      ended: Pod | undefined;
    };

/**
 * Who the next `count` pods are (OpenKruise cloneset, rule 6.4 step 4): first the successors of pods that went and left
 * claims, by id, then new ones. A successor has the name of the pod before it and waits until that name is free; a pod
 * that has ended and would keep it for ever makes room.
 */
export function placesFor(view: CloneSetView, count: number): Place[] {
  const successors = freeIds(view)
    .filter((id) => !isTaken(view, id))
    .slice(0, count)
    .map((id) => successor(view, id));
  const others = nextIdentities(view, count - successors.length).map((identity) => ({
    identity,
    takesOver: [],
  }));
  return [...successors, ...others];
}

function successor(view: CloneSetView, id: string): Place {
  const name = podNameOf(view.target, id);
  const claims = claimsOf(view, id);
  const names = claims.map(({ metadata }) => metadata.name).sort();
  if (view.podNames.has(name)) {
    return {
      waits: `a pod waits for ${name} to go: it takes its name and ${names.join(', ')}`,
      going: view.going.find((pod) => pod.metadata.name === name),
      ended: view.ended.find((pod) => pod.metadata.name === name),
    };
  }
  const going = goingClaim(view, id);
  if (going !== undefined)
    return {
      waits: `a pod waits for claim ${going.metadata.name} to go: it needs one of that name`,
      going,
      ended: undefined,
    };
  const n = Math.max(...claims.map(numberOf));
  return { identity: { n: n >= 0 ? n : undefined, id }, takesOver: names };
}
