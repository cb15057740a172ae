import type { KubeObject } from '../../schemas/wire/object.ts';
import { originOfChild, rootNeeds } from '../children/shares.ts';
import { claimTemplateNames } from '../claims/templates.ts';
import { problemText } from '../fields/problems.ts';
import type { PlannedKind, ObservedObjects, RolloutSnapshot } from '../kinds/kind.ts';
import { targetLimits } from '../limits/target-limits.ts';
import type { Need } from '../kinds/need.ts';
import type { RolloutView } from '../plan/rollout-view.ts';
import { markComplete } from '../revision/complete.ts';
import { stableRevision } from '../revision/revision.ts';
import { remembered } from '../values/remembered.ts';
import { reviseAndAdopt } from '../workload/adopt.ts';
import { preDownloadOf } from '../workload/pre-download.ts';
import { rolloutOf } from '../workload/rollout.ts';
import { statefulSetLowering } from './lowering.ts';
import { statefulSetLimits, updateBudget } from './budgets.ts';
import { growthOf } from './claim-growth.ts';
import { decideStatefulSet } from './decide.ts';
import { statefulSetFacts } from './facts.ts';
import { statefulSetGit } from './git.ts';
import { invalidStatefulSet } from './invalid.ts';
import { statefulSetResource } from './resource.ts';
import { specOf, type StatefulSetView, statefulSetView } from './view.ts';

/** The kind StatefulSet of OpenKruise, for the registry. */
export const statefulSetKind: PlannedKind = {
  id: { group: statefulSetResource.group, kind: statefulSetResource.kind },
  resource: statefulSetResource,
  versions: ['v1beta1', 'v1alpha1'],
  needs,
  uses: [
    { of: 'OwnedPods', areResized: true },
    { of: 'Creator' },
    { of: 'Orphans', areNumbered: true },
    { of: 'Claims', label: undefined, isUnowned: true },
  ],
  expires: false,
  admission: undefined,
  influence: undefined,
  podTemplates: [['spec', 'template']],
  lowering: statefulSetLowering,
  validate: invalidStatefulSet,
  unsupported: () => [],
  shape: 'Rollout',
  observe,
  budget(target, window) {
    const spec = specOf(target);
    const { replicas, minReadySeconds } = spec;
    return { replicas, minReadySeconds, maxUnavailable: updateBudget(spec, { window }) };
  },
  git: statefulSetGit,
  limits: statefulSetLimits,
  facts: statefulSetFacts,
};

function needs(target: KubeObject, revisions: readonly KubeObject[]): Need[] {
  const set = target.metadata.name;
  const numbered = claimTemplateNames(target, revisions).map((template) => `${template}-${set}-`);
  return [
    { of: 'OwnedPods' },
    ...rootNeeds(target),
    { of: 'Orphans', selector: specOf(target).selector, numbered: `${set}-` },
    ...(numbered.length === 0 ? [] : [{ of: 'Claims', numbered } as const]),
  ];
}

function observe(objects: ObservedObjects): RolloutSnapshot {
  const { now } = objects;
  const view = statefulSetView(objects);
  const rollout = rolloutView(view, objects);
  return {
    rollout,
    isForeign: stableRevision(view) === undefined && view.hasPods,
    // The template of an invalid target must not become a revision.
    revise: () =>
      rollout.invalid.length > 0
        ? []
        : reviseAndAdopt(view, { exist: view.hasPods, counted: () => rollout.pods }, objects.orphans, now),
    complete: (hash, retained) => markComplete(view, hash, retained),
    decide: (envelope, held, keep, refusals, creationBackoff) =>
      decideStatefulSet({ view, envelope, held, retainedRevisions: keep, refusals, creationBackoff, now }),
  };
}

function rolloutView(
  view: StatefulSetView,
  { creator, now }: Pick<ObservedObjects, 'creator' | 'now'>,
): RolloutView {
  const { spec, target } = view;
  const own = {
    paused: spec.paused,
    onDelete: spec.onDelete,
    replicas: spec.replicas,
    limits: targetLimits(statefulSetLimits, target, spec.replicas),
    partition: spec.partition,
    progressDeadlineSeconds: undefined,
    growth: growthOf(view),
    claimsDeletedWithPods: false,
    unsupported: [],
    invalid: invalidOf(target),
    origin: originOfChild(target, view.liveHash, creator),
    preDownload: preDownloadOf(view, { ...spec, fields: {}, takesPercentage: true }),
  };
  const unitOf = ({ metadata }: KubeObject): string => metadata.name;
  return rolloutOf(view, { pods: view.active, own, unitOf }, now);
}

/** Cached by object: an observed target is immutable, and is reconciled after every change of a pod. */
const invalidOf = remembered((target: KubeObject): string[] => invalidStatefulSet(target).map(problemText));
