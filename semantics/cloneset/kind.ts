import type { KubeObject } from '../../schemas/wire/object.ts';
import { originOfChild, rootNeeds, withoutShare } from '../children/shares.ts';
import { hasClaims } from '../claims/templates.ts';
import type { InvalidField } from '../fields/problems.ts';
import { problemText } from '../fields/problems.ts';
import type { PlannedKind, ObservedObjects, RolloutSnapshot } from '../kinds/kind.ts';
import { targetLimits } from '../limits/target-limits.ts';
import type { Need } from '../kinds/need.ts';
import type { RolloutView } from '../plan/rollout-view.ts';
import { HOSTNAME } from '../pod/nodes.ts';
import { markComplete } from '../revision/complete.ts';
import { revise } from '../revision/revise.ts';
import { stableRevision } from '../revision/revision.ts';
import { remembered } from '../values/remembered.ts';
import { invalidTargetMetadata, invalidWorkloadFields } from '../workload/invalid.ts';
import { preDownloadOf } from '../workload/pre-download.ts';
import { rolloutOf } from '../workload/rollout.ts';
import { byInstanceId, INSTANCE_ID_LABEL } from './claim-naming.ts';
import { decideCloneSet } from './decide.ts';
import { cloneSetFacts } from './facts.ts';
import { cloneSetGit } from './git.ts';
import { cloneSetLimits, mostUnavailable, limitsUnder } from './limits.ts';
import { cloneSetLowering } from './lowering.ts';
import { cloneSetResource } from './resource.ts';
import { type CloneSetView, cloneSetView, specOf } from './view.ts';

/** The kind CloneSet, for the registry. */
export const cloneSetKind: PlannedKind = {
  id: { group: cloneSetResource.group, kind: cloneSetResource.kind },
  resource: cloneSetResource,
  versions: ['v1beta1', 'v1alpha1'],
  needs,
  uses: [
    { of: 'OwnedPods', areResized: true },
    { of: 'Creator' },
    { of: 'Claims', label: INSTANCE_ID_LABEL },
    { of: 'Nodes', why: 'Spread' },
  ],
  expires: false,
  admission: undefined,
  influence: undefined,
  podTemplates: [['spec', 'template']],
  lowering: cloneSetLowering,
  validate,
  unsupported: () => [],
  shape: 'Rollout',
  observe,
  budget(target, window) {
    const spec = specOf(target);
    const { replicas, minReadySeconds } = spec;
    return {
      replicas,
      minReadySeconds,
      maxUnavailable: mostUnavailable(limitsUnder(spec, { window }), spec),
    };
  },
  git: cloneSetGit,
  limits: cloneSetLimits,
  facts: cloneSetFacts,
};

function needs(target: KubeObject, revisions: readonly KubeObject[]): Need[] {
  const found: Need[] = [{ of: 'OwnedPods' }, ...rootNeeds(target)];
  if (hasClaims(target, revisions, byInstanceId)) found.push({ of: 'Claims' });
  // To spread pods over nodes, the node names in the pods are enough.
  if (specOf(target).spreadOver.some((key) => key !== HOSTNAME)) found.push({ of: 'Nodes', why: 'Spread' });
  return found;
}

function validate(target: KubeObject): InvalidField[] {
  return [...invalidTargetMetadata(withoutShare(target)), ...invalidWorkloadFields(specOf(target))];
}

function observe(objects: ObservedObjects): RolloutSnapshot {
  const { now } = objects;
  const view = cloneSetView(objects);
  // The first read of `state` starts the list of nodes, long before a scale-in needs it.
  if (view.spec.spreadOver.length > 0) void view.nodes.state;
  const rollout = rolloutView(view, objects);
  return {
    rollout,
    isForeign: stableRevision(view) === undefined && view.hasPods,
    // The template of an invalid target must not become a revision.
    revise: () =>
      rollout.invalid.length > 0 ? [] : revise(view, { exist: view.hasPods, counted: () => rollout.pods }),
    complete: (hash, retained) => markComplete(view, hash, retained),
    decide: (envelope, held, keep, refusals, creationBackoff) =>
      decideCloneSet({
        view,
        envelope,
        held,
        retainedRevisions: keep,
        refusals,
        creationBackoff,
        now,
      }),
  };
}

function rolloutView(
  view: CloneSetView,
  { creator, now }: Pick<ObservedObjects, 'creator' | 'now'>,
): RolloutView {
  const { spec, target } = view;
  const own = {
    paused: spec.paused,
    onDelete: spec.type === 'OnDelete',
    replicas: spec.replicas,
    limits: targetLimits(cloneSetLimits, target, spec.replicas),
    partition: spec.partition,
    progressDeadlineSeconds: spec.progressDeadlineSeconds,
    growth: undefined,
    claimsDeletedWithPods: spec.volumeClaimTemplates.length > 0 && !spec.reuseClaims,
    unsupported: [],
    invalid: invalidOf(target),
    origin: originOfChild(target, view.liveHash, creator),
    preDownload: preDownloadOf(view, {
      ...spec,
      onDelete: spec.type === 'OnDelete',
      fields: spec.preDownload,
      takesPercentage: false,
    }),
  };
  return rolloutOf(view, { pods: view.active, own }, now);
}

/** Cached by object: an observed target is immutable, and is reconciled after every change of a pod. */
const invalidOf = remembered((target: KubeObject): string[] => validate(target).map(problemText));
