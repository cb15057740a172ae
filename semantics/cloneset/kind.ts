import { resources } from '../../schemas/wire/resources.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { isDrained, unexplainedRestarts, updatedInPlaceAt } from '../pod/in-place.ts';
import { placeOf } from '../pod/place.ts';
import { isAvailable } from '../pod/readiness.ts';
import type { Pod } from '../pod/types.ts';
import type { RolloutView } from '../plan/rollout-view.ts';
import type { WorkloadKind } from '../workload.ts';
import { modeOfChange } from './change.ts';
import { decideCloneSet } from './decide.ts';
import { markComplete, revise } from './revisions.ts';
import { unsupportedCloneSetFields } from './unsupported.ts';
import { type CloneSetView, cloneSetView, revisionOf, stableRevision } from './view.ts';

/** CloneSet as the registry knows it. */
export const clonesetKind: WorkloadKind = {
  resource: resources.CloneSet,
  look({ target, pods, revisions, takenNames, now }) {
    const view = cloneSetView(target, pods, revisions, takenNames);
    return {
      rollout: rolloutView(view, target, now),
      revise: () => revise(view, now),
      complete: (hash, held) => markComplete(view, hash, held),
      decide: (envelope, held, keep) => decideCloneSet({ view, envelope, held, keep, now }),
    };
  },
};

function createdAt(pod: Pod): number {
  return Date.parse(pod.metadata.creationTimestamp ?? '') || 0;
}

function rolloutView(view: CloneSetView, target: KubeObject, now: number): RolloutView {
  const { spec } = view;
  const stable = stableRevision(view);
  return {
    kind: target.kind,
    name: target.metadata.name,
    namespace: target.metadata.namespace ?? '',
    deleting: target.metadata.deletionTimestamp !== undefined,
    paused: spec.paused,
    replicas: spec.replicas,
    liveHash: view.liveHash,
    partition: spec.partition,
    stable: stable?.hash ?? view.liveHash,
    held: stable?.held,
    complete: new Set(view.revisions.filter((r) => r.complete !== undefined).map((r) => r.hash)),
    pods: view.active.map((pod) => ({
      uid: pod.metadata.uid ?? '',
      name: pod.metadata.name,
      hash: view.hashOf(pod),
      available: isAvailable(pod, spec.minReadySeconds, now),
      restarts: unexplainedRestarts(pod),
      createdAt: createdAt(pod),
      updatedAt: updatedInPlaceAt(pod) ?? 0,
      beingUpdated: isDrained(pod),
      ...placeOf(pod),
    })),
    modeTo: (from, to) => {
      const [a, b] = [revisionOf(view, from), revisionOf(view, to)];
      return a && b ? modeOfChange(a, b, spec.policy) : undefined;
    },
    nameOf: (hash) => revisionOf(view, hash)?.name ?? hash,
    liveSince: Date.parse(revisionOf(view, view.liveHash)?.object.metadata.creationTimestamp ?? '') || 0,
    progressDeadlineSeconds: spec.progressDeadlineSeconds,
    minReadySeconds: spec.minReadySeconds,
    unsupported: unsupportedCloneSetFields(target).map((field) => field.path.join('.')),
  };
}
