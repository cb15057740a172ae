import type { Action, PatchAction } from '../decision.ts';
import type { Orphans } from '../kinds/kind.ts';
import { controllerReference } from '../owner.ts';
import { isSnapshot } from '../plan/memory.ts';
import { factsOf } from '../pod/facts.ts';
import { withResourceVersion } from '../pod/in-place.ts';
import { isAvailable } from '../pod/readiness.ts';
import { type Pod, REVISION_LABEL } from '../pod/types.ts';
import { adoptRevision } from '../revision/adopted.ts';
import { revise, type Units } from '../revision/revise.ts';
import { revisionOf } from '../revision/revision.ts';
import { revisionNamed, templateOf } from '../revision/revisions.ts';
import { templateHash } from '../template/canonical.ts';
import type { Workload } from './view.ts';

/** The revision that an orphan is on by what it runs, where no ControllerRevision has the name in its label. */
export interface ProvenRevision {
  hash: string;
  /** The revision label that pods of the target have on it. */
  label: string;
}

/**
 * The writes of revisions (`revise`), and the adoption of orphans before and after them. Each group of writes is done before
 * the next one is decided, so a crash in between loses nothing:
 *
 * 1. The revisions that the orphans are on get the target as controller, and one of the live template if there is none yet.
 *    Then it is known what the pods run.
 * 2. The stable revision is recorded. Orphans count as units of the target, so that their revision becomes stable, and no
 *    commit is taken for a first contact.
 * 3. The pods get the target as controller. Nothing else of them is changed, but for a revision label that names nothing, and no
 *    container is restarted.
 *
 * @param provenOn for an orphan whose revision does not exist; default: it is unknown what such a pod runs
 *
 * Source: `ControllerRefManager` of Kubernetes, and OpenKruise workloads, rule 6.1.
 */
export function reviseAndAdopt(
  view: Workload,
  units: Units,
  orphans: Orphans = { pods: [], revisions: [] },
  now: number,
  provenOn: (pod: Pod) => ProvenRevision | undefined = () => undefined,
): Action[] {
  const { target, spec, liveHash } = view;
  const { pods } = orphans;
  const named = new Set(pods.map((pod) => revisionNamed(factsOf(pod).revision, target.metadata.name)));
  const isLiveMissing = revisionOf(view, liveHash) === undefined;
  const revisions = orphans.revisions.filter(
    (object) =>
      !isSnapshot(object) &&
      Object.keys(templateOf(object)).length > 0 &&
      (named.has(object.metadata.name) || (isLiveMissing && templateHash(templateOf(object)) === liveHash)),
  );
  if (revisions.length > 0) return revisions.map((object) => adoptRevision(object, target, spec.template));

  const rows = pods.map((pod) => {
    const hash = view.hashOf(pod);
    const proven = hash === undefined ? provenOn(pod) : undefined;
    return { pod, hash: hash ?? proven?.hash, label: proven?.label };
  });
  const counted = rows.map(({ pod, hash }) => ({
    hash,
    // What has ended, or is being deleted, is not available, and so does not count.
    available: isAvailable(pod, spec.minReadySeconds, now),
  }));
  const revised = revise(view, {
    exist: units.exist || pods.length > 0,
    counted: () => [...units.counted(), ...counted],
  });
  if (revised.length > 0)
    return revised.map((action) => (action.do === 'create' ? { ...action, adoptsEqual: true } : action));
  return rows.map((row) => adoptPod(row, view));
}

/** A pod that is adopted. */
interface Orphan {
  pod: Pod;
  /** Of the revision that it is on; undefined: that is unknown. */
  hash: string | undefined;
  /** The revision label that it gets; undefined: it has the right one, or none is known. */
  label: string | undefined;
}

/** Makes the target the controller of a pod that has none. */
function adoptPod({ pod, hash, label }: Orphan, view: Workload): PatchAction {
  return {
    do: 'patch',
    kind: 'Pod',
    verb: 'adopt',
    name: pod.metadata.name,
    body: withResourceVersion(pod, {
      metadata: {
        ownerReferences: [{ ...controllerReference(view.target) }],
        ...(label !== undefined && { labels: { [REVISION_LABEL]: label } }),
      },
    }),
    reason: `it has no controller, and the selector matches it${stateText(view, hash, label)}`,
    adopts: true,
  };
}

/** What is particular about an adopted pod, after the reason for its adoption; '' for one of the live template. */
function stateText(view: Workload, hash: string | undefined, label: string | undefined): string {
  if (hash === undefined) return '; no ControllerRevision shows what it runs, so it counts as outdated';
  const name = revisionOf(view, hash)?.name ?? hash;
  const proof = label === undefined ? '' : `; its own revision is gone, and it is as one of ${name}`;
  return hash === view.liveHash
    ? proof
    : `${proof}; it is on ${name}, which has another template than the manifest`;
}
