import type { KubeObject } from '../../schemas/wire/object.ts';
import { withMissingClaims } from '../claims/templates.ts';
import { claimsOf, terminatingClaim, podNameOf } from '../claims/unit.ts';
import type { Explanation, CreateAction, EventDraft } from '../decision.ts';
import { afterBarrier } from '../launch/barrier.ts';
import type { CreationBackoff } from '../plan/creation-backoff.ts';
import type { RefusedPod } from '../plan/rollout-context.ts';
import { revisionLabel } from '../pod/revision-label.ts';
import type { Pod } from '../pod/types.ts';
import { type Revision, revisionOf } from '../revision/revision.ts';
import type { Workload } from './view.ts';

/** A missing pod, with everything needed to create it. */
export interface MissingPod {
  /** The id in the names of the pod and its claims. */
  id: string;
  /** The pod on this revision. */
  podOf(revision: Revision): KubeObject;
  /** Annotations of its new claims, in addition to those of their templates. */
  claimAnnotations: Readonly<Record<string, string>>;
  /** Why it is created on this revision. */
  reason(revision: Revision): string;
  event(name: string): EventDraft;
}

/** Creates a pod, after those of its claims that are missing; or explains why that is not possible. */
export function createPod(view: Workload, hash: string, missing: MissingPod): CreateAction | Explanation {
  const about = view.target.metadata.name;
  const revision = revisionOf(view, hash);
  if (revision === undefined) return { about, reason: `no pod at ${hash}: its revision object is gone` };
  const pod = missing.podOf(revision);
  // A pod that the selector does not match would be released at once, and created again without end.
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
  return withMissingClaims(view, revision, afterBarrier(create, view.target), {
    id: missing.id,
    annotations: missing.claimAnnotations,
  });
}

/** What a missing pod waits for that needs the name and claims of another one. */
export interface WaitingPod {
  /** As a sentence. */
  waits: string;
  /** The object that is being deleted, and should be gone soon after its grace period. */
  terminating: KubeObject | undefined;
  /** A pod that has ended and still has the name. */
  ended: Pod | undefined;
}

/** What the next pod with this id waits for: the name or the claims of the one before it. Undefined: nothing. */
export function waitingFor(view: Workload, id: string): WaitingPod | undefined {
  const name = podNameOf(view.target, id);
  if (view.podNames.has(name)) {
    const claims = claimsOf(view, id).map(({ metadata }) => metadata.name);
    const takes = claims.length === 0 ? 'its name' : `its name and ${claims.sort().join(', ')}`;
    return {
      waits: `a pod waits for the deletion of ${name}: it takes ${takes}`,
      terminating: view.terminating.find((pod) => pod.metadata.name === name),
      ended: view.ended.find((pod) => pod.metadata.name === name),
    };
  }
  const terminating = terminatingClaim(view, id);
  return terminating === undefined
    ? undefined
    : {
        waits: `a pod waits for the deletion of claim ${terminating.metadata.name}: it needs one of that name`,
        terminating,
        ended: undefined,
      };
}

/** Milliseconds that a deletion may take beyond its grace period before the target reports the delay. */
const DELAYED_MS = 60_000;

/** The explanation for a missing pod that waits, and when to reconcile again to report a delay, milliseconds since 1970. */
export function waitExplanation(
  { target }: Pick<Workload, 'target'>,
  { waits, terminating }: WaitingPod,
  now: number,
): { explanation: Explanation; requeueAt: number | undefined } {
  const delayedAt = Date.parse(terminating?.metadata.deletionTimestamp ?? '') + DELAYED_MS;
  const delay = `${waits}. Find out what blocks the deletion, such as a finalizer or a missing node`;
  const about = target.metadata.name;
  return {
    explanation: { about, reason: waits, ...(delayedAt <= now ? { delay: delay } : {}) },
    requeueAt: delayedAt > now ? delayedAt : undefined,
  };
}

/** Whether the server refuses to create pods, or their claims, at a revision. */
export function isRefusedAt(
  view: Workload,
  hash: string,
  refusals: readonly RefusedPod[] | undefined = [],
): boolean {
  const revision = revisionOf(view, hash);
  return revision !== undefined && refusals.some((each) => each.revision === revisionLabel(revision));
}

/** The revisions of the pods to create now, without those whose creation is deferred. */
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
