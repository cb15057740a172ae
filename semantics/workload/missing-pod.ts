import type { KubeObject } from '../../schemas/wire/object.ts';
import { withMissingClaims } from '../claims/templates.ts';
import { claimsOf, terminatingClaim, podNameOf } from '../claims/unit.ts';
import type { Explanation, CreateAction, EventDraft } from '../decision.ts';
import type { CreationBackoff } from '../plan/creation-backoff.ts';
import { type Pod, revisionLabel } from '../pod/types.ts';
import { type Revision, revisionOf } from '../revision/revision.ts';
import type { Workload } from './view.ts';

/** A pod that is missing, and who it will be. */
export interface MissingPod {
  /** Of the pod and of its claims. */
  id: string;
  /** The pod of this revision. */
  podOf(revision: Revision): KubeObject;
  /** That each new claim of it has beside those of its template. */
  claimAnnotations: Readonly<Record<string, string>>;
  /** Why it is made at this revision. */
  reason(revision: Revision): string;
  event(name: string): EventDraft;
}

/** Makes a pod, and the claims that it lacks before it; or why that is not done. */
export function createPod(view: Workload, hash: string, missing: MissingPod): CreateAction | Explanation {
  const about = view.target.metadata.name;
  const revision = revisionOf(view, hash);
  if (revision === undefined) return { about, reason: `no pod at ${hash}: its revision object is gone` };
  const pod = missing.podOf(revision);
  // A pod that the selector does not match would be released at once, and made again without end.
  if (!view.matches(pod.metadata.labels))
    return { about, reason: `no pod at ${revision.name}: its labels do not match the selector` };
  const create: CreateAction = {
    do: 'create',
    kind: 'Pod',
    verb: 'create',
    object: pod,
    reason: missing.reason(revision),
    event: missing.event(pod.metadata.name),
  };
  return withMissingClaims(view, revision, create, {
    id: missing.id,
    annotations: missing.claimAnnotations,
  });
}

/** What a pod waits for that takes over the name of another one, and its claims. */
export interface Waiting {
  /** As a sentence. */
  waits: string;
  /** What is being deleted, and should be gone soon after the time that it has been given. */
  going: KubeObject | undefined;
  /** A pod that has ended and stands where it will be. */
  ended: Pod | undefined;
}

/** What the next pod of this id waits for: the name and the claims of the one before it. Undefined: nothing. */
export function waitingFor(view: Workload, id: string): Waiting | undefined {
  const name = podNameOf(view.target, id);
  if (view.podNames.has(name)) {
    const claims = claimsOf(view, id).map(({ metadata }) => metadata.name);
    const takes = claims.length === 0 ? 'its name' : `its name and ${claims.sort().join(', ')}`;
    return {
      waits: `a pod waits for the deletion of ${name}: it takes ${takes}`,
      going: view.going.find((pod) => pod.metadata.name === name),
      ended: view.ended.find((pod) => pod.metadata.name === name),
    };
  }
  const going = terminatingClaim(view, id);
  return going === undefined
    ? undefined
    : {
        waits: `a pod waits for the deletion of claim ${going.metadata.name}: it needs one of that name`,
        going,
        ended: undefined,
      };
}

/** What is being deleted has this long beyond the time that it was given; then the target says who waits for it. */
const LATE_MS = 60_000;

/** What is said of a pod that waits, and when there is more to say though nothing happens. */
export function whileWaiting(
  { target }: Pick<Workload, 'target'>,
  { waits, going }: Waiting,
  now: number,
): { explanation: Explanation; requeueAt: number | undefined } {
  const lateAt = Date.parse(going?.metadata.deletionTimestamp ?? '') + LATE_MS;
  const late = `${waits}; find out what blocks the deletion, such as a finalizer or a missing node`;
  const about = target.metadata.name;
  return {
    explanation: { about, reason: waits, ...(lateAt <= now ? { isDelayed: late } : {}) },
    requeueAt: lateAt > now ? lateAt : undefined,
  };
}

/** The revisions of the pods that are to be made, without those whose time has not come yet. */
export function withoutDeferred(
  view: Workload,
  wanted: readonly string[],
  creationBackoff: CreationBackoff | undefined,
): string[] {
  if (creationBackoff?.kind !== 'Pod' || creationBackoff.deferred.size === 0) return [...wanted];
  const left = new Map<string, number>();
  return wanted.filter((hash) => {
    const revision = revisionOf(view, hash);
    const rest =
      left.get(hash) ??
      creationBackoff.deferred.get(revision === undefined ? '' : revisionLabel(revision)) ??
      0;
    left.set(hash, Math.max(rest - 1, 0));
    return rest === 0;
  });
}
