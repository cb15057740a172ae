import { createHash } from 'node:crypto';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { hasPod, idOf, podNameOf } from '../claims/unit.ts';
import type { Revision } from '../revision/revision.ts';
import { counterAfter } from '../values/counter.ts';
import { podOf, withAlwaysPull, withInPlaceGate } from '../workload/new-pod.ts';
import { INSTANCE_ID_LABEL } from './claim-naming.ts';
import { settledAt } from './settled-claim.ts';
import { numberAnnotation, numberOf, numberOfPod, podsCreated } from './counter.ts';
import type { CloneSetView } from './view.ts';

/** OpenKruise's alphabet for instance ids: no vowels, no digit that reads as a letter. */
const ID_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** The n-th instance id of a workload: five letters out of a hash of its uid and n, the same after any crash. */
export function instanceId(uid: string, n: number): string {
  const bytes = createHash('sha256').update(`${uid}/${n}`).digest();
  let id = '';
  for (let i = 0; i < 5; i++) id += ID_ALPHABET[bytes.readUInt16BE(i * 2) % ID_ALPHABET.length] ?? '';
  return id;
}

/**
 * What a new pod is called: its place in the row of names this workload has ever given, and the id that follows from it.
 * An id that came with claims which OpenKruise made has no place there.
 */
export interface PodIdentity {
  n: number | undefined;
  id: string;
}

/** The next `count` free identities: a name that is in use (our own earlier create, or somebody else's) is passed over. */
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

/** The name that a pod or a claim of this id would have turned out to be somebody else's. */
export function isTaken({ takenNames }: CloneSetView, id: string): boolean {
  for (const name of takenNames) if (name.endsWith(`-${id}`)) return true;
  return false;
}

/**
 * The counter that covers every pod and claim in the view, when the recorded one does not: it must be written before more pods
 * are made, or the name of a lost pod would be used again.
 *
 * A young claim that nobody else may have is not counted before its pod, which may exist and not be observed yet: counted alone,
 * it would let another pod be made beside that one.
 *
 * @param wanted pods are missing: a claim without a pod waits for its own
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
 * A pod of `revision`: it has the instance id as a label, the in-place readiness gate whatever the update type (OpenKruise
 * cloneset, section 5), and `imagePullPolicy: Always` where a normal container says nothing, so that a moved tag is really
 * pulled in place.
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
