import type { Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { originOfChild, rootNeeds } from '../../semantics/children/shares.ts';
import type { PlannedKind, ObservedObjects, RolloutSnapshot } from '../../semantics/kinds/kind.ts';
import type { Need } from '../../semantics/kinds/need.ts';
import { removalOfPods } from '../../semantics/kinds/removal.ts';
import { targetLimits } from '../../semantics/limits/target-limits.ts';
import type { KindLimits } from '../../semantics/limits/window.ts';
import { markComplete } from '../../semantics/revision/complete.ts';
import { revise } from '../../semantics/revision/revise.ts';
import { replicaFacts } from '../../semantics/status/replicas.ts';
import { stableRevision } from '../../semantics/revision/revision.ts';
import { rolloutOf } from '../../semantics/workload/rollout.ts';
import { cardResource, lockResource } from './cards.ts';
import { decide } from './decide.ts';
import { rackGit } from './git.ts';
import { specOf } from './spec.ts';
import { rackView } from './view.ts';

const nouns = { unit: 'slot', units: 'slots' };

const rackStatusFacts = replicaFacts({
  nouns,
  required: [],
  refusals: { in: 'Held alone' },
  wanted: (target) => ({ replicas: specOf(target).slots, partition: specOf(target).partition }),
  strategy: (target) => ({ is: specOf(target).paused ? 'paused' : 'active' }),
});

/** One slot at a time, whatever a plan says. */
const rackLimits: KindLimits = {
  windowFields: () => ({ maxUnavailable: 1 }),
  inUnits: () => ({ maxUnavailable: { count: 1 } }),
  order: [],
  minReadySeconds: () => undefined,
};

/** A kind that exists for tests only: a pod in each of so many numbered slots, made anew when the template changes. */
export const rackKind: PlannedKind = kindOf({ kind: 'Rack', plural: 'racks', namespaced: true });

/** The same in no namespace: its pods are in the one that it names. */
export const aisleKind: PlannedKind = kindOf({ kind: 'Aisle', plural: 'aisles', namespaced: false });

function kindOf(part: Pick<Resource, 'kind' | 'plural' | 'namespaced'>): PlannedKind {
  const group = 'test.plan.kruise.io';
  return {
    id: { group, kind: part.kind },
    resource: { group, version: 'v1', ...part },
    versions: ['v1'],
    needs,
    uses: [
      { of: 'OwnedPods' },
      { of: 'Creator' },
      { of: 'Children', resource: cardResource },
      { of: 'Config', resource: lockResource },
    ],
    podTemplates: [],
    lowering: { of: 'nothing', why: 'a fixture has no plain form' },
    validate: (target) =>
      part.namespaced || typeof specOf(target).namespace === 'string'
        ? []
        : [{ path: ['spec', 'namespace'], rule: 'must name the namespace of its pods' }],
    unsupported: () => [],
    expires: false,
    admission: undefined,
    influence: undefined,
    budget: () => undefined,
    shape: 'Rollout',
    observe,
    git: rackGit,
    limits: rackLimits,
    facts: { nouns, removal: removalOfPods, noUpdates: undefined, status: rackStatusFacts },
  };
}

function needs(target: KubeObject): Need[] {
  const { cards, lock, namespace = '' } = specOf(target);
  return [
    { of: 'OwnedPods' },
    ...rootNeeds(target),
    ...(cards === undefined ? [] : [{ of: 'Children', resource: cardResource } as const]),
    ...(lock === undefined ? [] : [{ of: 'Config', resource: lockResource, namespace, name: lock } as const]),
  ];
}

function observe(objects: ObservedObjects): RolloutSnapshot {
  const { now } = objects;
  const rack = rackView(objects);
  const { active, hasPods, spec } = rack;
  const own = {
    paused: spec.paused,
    onDelete: false,
    replicas: spec.slots,
    limits: targetLimits(rackLimits, objects.target, spec.slots),
    partition: spec.partition,
    progressDeadlineSeconds: undefined,
    preDownload: undefined,
    growth: undefined,
    claimsDeletedWithPods: false,
    unsupported: [],
    invalid: [],
    origin: originOfChild(objects.target, rack.liveHash, objects.creator),
  };
  const rollout = rolloutOf(rack, { pods: active, own }, now);
  return {
    rollout,
    isForeign: stableRevision(rack) === undefined && hasPods,
    revise: () => revise(rack, { exist: hasPods, counted: () => rollout.pods }),
    complete: (hash, retained) => markComplete(rack, hash, retained),
    decide: (envelope, retained) => decide(rack, envelope, retained, objects),
  };
}
