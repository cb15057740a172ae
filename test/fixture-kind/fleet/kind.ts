import type { Resource } from '../../../schemas/wire/cluster.ts';
import { beyondRecords } from '../../../semantics/children/next-records.ts';
import type { ObservedObjects, PlannedKind, RolloutSnapshot } from '../../../semantics/kinds/kind.ts';
import { removalOfPods } from '../../../semantics/kinds/removal.ts';
import { targetLimits } from '../../../semantics/limits/target-limits.ts';
import { podRowsOf } from '../../../semantics/plan/child-rows.ts';
import { childRules } from '../../../semantics/plan/child-units.ts';
import type { RolloutView } from '../../../semantics/plan/rollout-view.ts';
import { modeOfChange } from '../../../semantics/revision/change.ts';
import { markComplete } from '../../../semantics/revision/complete.ts';
import { revise } from '../../../semantics/revision/revise.ts';
import { revisionOf, stableRevision } from '../../../semantics/revision/revision.ts';
import { replicaFacts } from '../../../semantics/status/replicas.ts';
import { timeOf } from '../../../semantics/values/timestamp.ts';
import { decide } from './decide.ts';
import { fleetGit } from './git.ts';
import { fleetLimits } from './limits.ts';
import { childSorts } from './child-sorts.ts';
import { childName, slotsOf, specOf } from './spec.ts';
import { fleetView, type FleetView } from './view.ts';

const resource: Resource = {
  group: 'test.plan.kruise.io',
  version: 'v1',
  plural: 'fleets',
  kind: 'Fleet',
  namespaced: true,
};

const nouns = { unit: 'slot', units: 'slots' };

/** A kind that exists for tests only: a rack for each of its subsets, of which each gets a share of its plan. */
export const fleetKind: PlannedKind = {
  id: { group: resource.group, kind: resource.kind },
  resource,
  versions: ['v1'],
  needs: (target) => [{ of: 'Children', resource: childSorts[specOf(target).of].kind.resource }],
  uses: Object.values(childSorts).map(({ kind }) => ({ of: 'Children', resource: kind.resource })),
  podTemplates: [],
  lowering: { of: 'nothing', why: 'a fixture has no plain form' },
  validate(target) {
    const rule = beyondRecords(specOf(target).subsets.map(({ name }) => childName(target, name)));
    return rule === undefined ? [] : [{ path: ['spec', 'subsets'], rule }];
  },
  unsupported: () => [],
  expires: false,
  admission: undefined,
  influence: undefined,
  budget: () => undefined,
  shape: 'Rollout',
  subsets: true,
  observe,
  git: fleetGit,
  limits: fleetLimits,
  facts: {
    nouns,
    removal: removalOfPods,
    noUpdates: undefined,
    status: replicaFacts({
      nouns,
      required: [],
      refusals: { in: 'Held alone' },
      wanted: (target) => ({ replicas: slotsOf(specOf(target)), partition: 0 }),
      strategy: (target) => ({ is: specOf(target).paused ? 'paused' : 'active' }),
    }),
  },
};

function observe(objects: ObservedObjects): RolloutSnapshot {
  const fleet = fleetView(objects);
  const rollout = rolloutView(fleet);
  const exist = fleet.members.some(({ object }) => object !== undefined);
  return {
    rollout,
    isForeign: stableRevision(fleet) === undefined && exist,
    revise: () => revise(fleet, { exist, counted: () => rollout.pods }),
    complete: (hash, retained) => markComplete(fleet, hash, retained),
    decide: (envelope, held) => decide(fleet, envelope, held, rollout.limits),
  };
}

function rolloutView(fleet: FleetView): RolloutView {
  const { target, spec, liveHash, revisions, members } = fleet;
  const { name, namespace = '', deletionTimestamp } = target.metadata;
  const children = members.map(({ row }) => row);
  return {
    kind: target.kind,
    name,
    namespace,
    deleting: deletionTimestamp !== undefined,
    paused: spec.paused,
    onDelete: false,
    replicas: slotsOf(spec),
    liveHash,
    limits: targetLimits(fleetLimits, target, slotsOf(spec)),
    partition: 0,
    stable: stableRevision(fleet)?.hash ?? liveHash,
    retained: undefined,
    complete: new Set(revisions.filter((each) => each.complete !== undefined).map(({ hash }) => hash)),
    pods: podRowsOf(children),
    modeTo: (from, to) => {
      const [a, b] = [revisionOf(fleet, from), revisionOf(fleet, to)];
      return a && b ? modeOfChange(a, b, { policy: 'ReCreate' }) : undefined;
    },
    nameOf: (hash) => revisionOf(fleet, hash)?.name ?? hash,
    liveSince: timeOf(revisionOf(fleet, liveHash)?.object.metadata.creationTimestamp),
    progressDeadlineSeconds: undefined,
    minReadySeconds: 0,
    unsupported: [],
    invalid: fleetKind.validate(target).map(({ path, rule }) => `${path.join('.')} ${rule}`),
    origin: { by: 'user' },
    units: { of: 'children', children },
    rules: () => childRules,
  };
}
