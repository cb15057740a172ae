import type { Action, PatchAction } from '../decision.ts';
import type { Orphans } from '../kinds/kind.ts';
import { controllerReference } from '../owner.ts';
import { isSnapshot } from '../plan/memory.ts';
import { factsOf } from '../pod/facts.ts';
import { withResourceVersion } from '../pod/in-place.ts';
import { isAvailable } from '../pod/readiness.ts';
import type { Pod } from '../pod/types.ts';
import { adoptRevision } from '../revision/adopted.ts';
import { revise, type Units } from '../revision/revise.ts';
import { revisionOf } from '../revision/revision.ts';
import { templateOf } from '../revision/revisions.ts';
import { templateHash } from '../template/canonical.ts';
import type { Workload } from './view.ts';

/**
 * The writes of revisions (`revise`), and the adoption of orphans before and after them. Each group of writes is done before
 * the next one is decided, so a crash in between loses nothing:
 *
 * 1. The revisions that the orphans are on get the target as controller, and one of the live template if there is none yet.
 *    Then it is known what the pods run.
 * 2. The stable revision is recorded. Orphans count as units of the target, so that their revision becomes stable, and no
 *    commit is taken for a first contact.
 * 3. The pods get the target as controller. Nothing else of them is changed, and no container is restarted.
 *
 * Source: `ControllerRefManager` of Kubernetes, and OpenKruise workloads, rule 6.1.
 */
export function reviseAndAdopt(
  view: Workload,
  units: Units,
  orphans: Orphans = { pods: [], revisions: [] },
  now: number,
): Action[] {
  const { target, spec, liveHash } = view;
  const { pods } = orphans;
  const labels = new Set(pods.map((pod) => factsOf(pod).revision));
  const isLiveMissing = revisionOf(view, liveHash) === undefined;
  const revisions = orphans.revisions.filter(
    (object) =>
      !isSnapshot(object) &&
      Object.keys(templateOf(object)).length > 0 &&
      (labels.has(object.metadata.name) || (isLiveMissing && templateHash(templateOf(object)) === liveHash)),
  );
  if (revisions.length > 0) return revisions.map((object) => adoptRevision(object, target, spec.template));

  const counted = pods.map((pod) => ({
    hash: view.hashOf(pod),
    // What has ended, or is being deleted, is not available, and so does not count.
    available: isAvailable(pod, spec.minReadySeconds, now),
  }));
  const revised = revise(view, {
    exist: units.exist || pods.length > 0,
    counted: () => [...units.counted(), ...counted],
  });
  if (revised.length > 0)
    return revised.map((action) => (action.do === 'create' ? { ...action, adoptsEqual: true } : action));
  return pods.map((pod) => adoptPod(pod, view));
}

/** Makes the target the controller of a pod that has none. */
function adoptPod(pod: Pod, { target }: Workload): PatchAction {
  return {
    do: 'patch',
    kind: 'Pod',
    verb: 'adopt',
    name: pod.metadata.name,
    body: withResourceVersion(pod, {
      metadata: { ownerReferences: [{ ...controllerReference(target) }] },
    }),
    reason: 'it has no controller, and the selector matches it',
    adopts: true,
  };
}
