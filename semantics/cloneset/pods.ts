import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { hasPod, idOf, podNameOf } from '../claims/unit.ts';
import type { Pod } from '../pod/types.ts';
import type { Revision } from '../revision/revision.ts';
import { counterAfter } from '../values/counter.ts';
import { nameSuffix } from '../values/name-suffix.ts';
import { podOf, withAlwaysPull, withInPlaceGate } from '../workload/new-pod.ts';
import { INSTANCE_ID_LABEL } from './claim-naming.ts';
import { numberAnnotation, numberOf, numberOfPod, podsCreated, settledAt } from './counter.ts';
import type { CloneSetView } from './view.ts';

/** The n-th instance id of a workload: five characters of a hash of its uid and n. */
export function instanceId(uid: string, n: number): string {
  return nameSuffix(`${uid}/${n}`);
}

/** The id in the name of a new pod, and its number `n`; undefined: the id is that of claims which OpenKruise created. */
export interface PodIdentity {
  n: number | undefined;
  id: string;
}

/** The next `count` free identities: names that are in use are skipped. */
export function nextIdentities(view: CloneSetView, count: number): PodIdentity[] {
  const uid = view.target.metadata.uid ?? '';
  const identities: PodIdentity[] = [];
  const used = new Set(view.podNames);
  const usedIds = new Set(view.claims.map((claim) => idOf(view, claim)));
  for (let n = podsCreated(view); identities.length < count; n++) {
    const id = instanceId(uid, n);
    const name = podNameOf(view.target, id);
    if (used.has(name) || usedIds.has(id) || isTaken(view, id)) continue;
    used.add(name);
    identities.push({ n, id });
  }
  return identities;
}

/** Whether another object was found to have the name that a pod or claim with this id needs. */
export function isTaken({ takenNames }: CloneSetView, id: string): boolean {
  for (const name of takenNames) if (name.endsWith(`-${id}`)) return true;
  return false;
}

/**
 * The counter that covers every pod and claim in the view; undefined: the recorded one does. It must be recorded before more
 * pods are created, or the name of a lost pod would be used again.
 *
 * A new claim that is not reused is not counted before its pod, which may exist and not be observed yet. Counting the claim
 * alone would allow the creation of a second pod.
 *
 * @param wanted pods are missing: a claim without a pod waits for its pod
 * @param now milliseconds since 1970
 */
export function overdueCounter(view: CloneSetView, wanted: boolean, now: number): number | undefined {
  const recorded = podsCreated(view);
  let next = recorded;
  const count = (number: number): void => {
    next = Math.max(next, counterAfter(number));
  };
  for (const pod of view.active) count(numberOfPod(pod));
  for (const claim of view.claims)
    if (view.spec.reuseClaims || hasPod(view, claim) || (!wanted && settledAt(claim) <= now))
      count(numberOf(claim));
  return next > recorded ? next : undefined;
}

/**
 * A new pod of a revision (OpenKruise cloneset, section 5). It has the instance id as a label, and the in-place readiness
 * gate with every update type. Normal containers without a pull policy get `imagePullPolicy: Always`, so that an in-place
 * update pulls a tag that now refers to another image.
 */
export function newPod(
  view: CloneSetView,
  revision: Revision,
  { n, id }: PodIdentity,
  now: number,
): KubeObject {
  const labels = { [INSTANCE_ID_LABEL]: id };
  const pod = podOf(view, revision, { id, labels, annotations: numberAnnotation(n) }, now);
  return { ...pod, spec: withInPlaceGate(withAlwaysPull(pod['spec'] as JsonObject)) };
}

/** Order of pods by their names. */
export function byName(a: Pod, b: Pod): number {
  return a.metadata.name < b.metadata.name ? -1 : 1;
}
