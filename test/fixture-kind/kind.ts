import type { Resource } from '../../schemas/wire/cluster.ts';
import type { Kind, ObservedObjects, RolloutSnapshot } from '../../semantics/kinds/kind.ts';
import type { PodRow } from '../../semantics/plan/rollout-view.ts';
import { placeOf } from '../../semantics/pod/place.ts';
import { isAvailable } from '../../semantics/pod/readiness.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { modeOfChange } from '../../semantics/revision/change.ts';
import { markComplete } from '../../semantics/revision/complete.ts';
import { revise } from '../../semantics/revision/revise.ts';
import { revisionOf, stableRevision } from '../../semantics/revision/revision.ts';
import type { Workload } from '../../semantics/workload/view.ts';
import { decide } from './decide.ts';
import { rackGit } from './git.ts';
import { type RackSpec, specOf } from './spec.ts';
import { rackView } from './view.ts';

/** A kind that exists for tests only: a pod in each of so many numbered slots, made anew when the template changes. */
export const rackKind: Kind = kindOf({ kind: 'Rack', plural: 'racks', namespaced: true });

/** The same in no namespace: its pods are in the one that it names. */
export const aisleKind: Kind = kindOf({ kind: 'Aisle', plural: 'aisles', namespaced: false });

function kindOf(part: Pick<Resource, 'kind' | 'plural' | 'namespaced'>): Kind {
  const group = 'test.plan.kruise.io';
  return {
    id: { group, kind: part.kind },
    resource: { group, version: 'v1', ...part },
    versions: ['v1'],
    needs: () => [{ of: 'OwnedPods' }],
    uses: [{ of: 'OwnedPods' }],
    validate: (target) =>
      part.namespaced || typeof specOf(target).namespace === 'string'
        ? []
        : [{ path: ['spec', 'namespace'], rule: 'must name the namespace of its pods' }],
    unsupported: () => [],
    work: { shape: 'Rollout', observe },
    git: rackGit,
    words: { unit: 'slot', units: 'slots' },
  };
}

function observe(objects: ObservedObjects): RolloutSnapshot {
  const { target, now } = objects;
  const rack = rackView(objects);
  const { spec, revisions, liveHash } = rack;
  const stable = stableRevision(rack);
  const rows = rack.active.map((pod): PodRow => rowOf(rack, pod, now));
  return {
    rollout: {
      kind: target.kind,
      name: target.metadata.name,
      namespace: target.metadata.namespace ?? '',
      deleting: target.metadata.deletionTimestamp !== undefined,
      paused: spec.paused,
      onDelete: false,
      replicas: spec.slots,
      liveHash,
      partition: 0,
      stable: stable?.hash ?? liveHash,
      held: stable?.held,
      complete: new Set(revisions.filter((r) => r.complete !== undefined).map((r) => r.hash)),
      pods: rows,
      modeTo: (from, to) => {
        const [a, b] = [revisionOf(rack, from), revisionOf(rack, to)];
        return a && b ? modeOfChange(a, b, 'ReCreate') : undefined;
      },
      nameOf: (hash) => revisionOf(rack, hash)?.name ?? hash,
      liveSince: Date.parse(revisionOf(rack, liveHash)?.object.metadata.creationTimestamp ?? '') || 0,
      progressDeadlineSeconds: undefined,
      minReadySeconds: 0,
      claimsGo: false,
      unsupported: [],
      invalid: [],
    },
    isForeign: stable === undefined && rack.hasPods,
    revise: () => revise(rack, { exist: rack.hasPods, counted: () => rows }),
    complete: (hash, held) => markComplete(rack, hash, held),
    decide: (envelope, held) => decide(rack, envelope, held, now),
  };
}

function rowOf(rack: Workload<RackSpec>, pod: Pod, now: number): PodRow {
  return {
    uid: pod.metadata.uid ?? '',
    name: pod.metadata.name,
    hash: rack.hashOf(pod),
    available: isAvailable(pod, 0, now),
    restarts: 0,
    createdAt: Date.parse(pod.metadata.creationTimestamp ?? '') || 0,
    updatedAt: 0,
    ...placeOf(pod),
  };
}
