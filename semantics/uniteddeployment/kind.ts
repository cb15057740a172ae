import type { KubeObject } from '../../schemas/wire/object.ts';
import { problemText } from '../fields/problems.ts';
import type { ObservedObjects, PlannedKind, RolloutSnapshot } from '../kinds/kind.ts';
import type { Need } from '../kinds/need.ts';
import { leftInAll, type LeftInSubsets, leftText } from '../children/left-records.ts';
import { ownShare } from '../children/share-rows.ts';
import { targetLimits } from '../limits/target-limits.ts';
import { podRowsOf } from '../plan/child-rows.ts';
import { childRules } from '../plan/child-units.ts';
import type { RolloutView } from '../plan/rollout-view.ts';
import { modeOfChange } from '../revision/change.ts';
import { markComplete } from '../revision/complete.ts';
import type { Action } from '../decision.ts';
import { reviseAdopted } from './of-openkruise.ts';
import { revise } from '../revision/revise.ts';
import { revisionOf, stableRevision } from '../revision/revision.ts';
import { timeOf } from '../values/timestamp.ts';
import { childKindOf, childKinds } from './child-kinds.ts';
import { decideUnited } from './decide.ts';
import { unitedFacts } from './facts.ts';
import { unitedGit } from './git.ts';
import { invalidUnited, unsupportedUnited } from './invalid.ts';
import { limitsOf, unitedLimits } from './limits.ts';
import { unitedLowering } from './lowering.ts';
import { normalizeUnited } from './normalize.ts';
import { FIELDS, unitedResource } from './resource.ts';
import { type UnitedView, unitedView } from './view.ts';

/** How many children a message names. */
const MOST_NAMED = 3;

/** The kind UnitedDeployment, for the registry: a workload for each of its subsets, of which each gets a share of its plan. */
export const unitedDeploymentKind: PlannedKind = {
  id: { group: unitedResource.group, kind: unitedResource.kind },
  resource: unitedResource,
  versions: ['v1beta1', 'v1alpha1'],
  needs,
  uses: [
    ...childKinds.map(({ resource, component }) => ({
      ...{ of: 'Children' as const, resource },
      ...(component !== undefined && { component }),
    })),
    { of: 'SelectedPods', areRead: true },
  ],
  podTemplates: FIELDS.map((field) => ['spec', 'template', field, 'spec', 'template']),
  lowering: unitedLowering,
  expires: false,
  admission: undefined,
  influence: undefined,
  validate: invalidUnited,
  unsupported: unsupportedUnited,
  budget: () => undefined,
  shape: 'Rollout',
  subsets: true,
  observe,
  git: unitedGit,
  limits: unitedLimits,
  facts: unitedFacts,
};

/**
 * After a change of its template those of another kind stay, so all are watched. Whether pods get nodes matters only to a target
 * that lets them go elsewhere then.
 */
function needs(target: KubeObject): Need[] {
  const { selector, adaptive, field } = normalizeUnited(target);
  const { namespace = '' } = target.metadata;
  const live = childKindOf(field);
  return [
    ...childKinds.map((kind) => ({
      ...{ of: 'Children' as const, resource: kind.resource },
      ...(kind !== live && { arePast: true as const }),
    })),
    ...(adaptive === undefined ? [] : [{ of: 'SelectedPods', selector, namespaces: [namespace] } as const]),
  ];
}

function observe(objects: ObservedObjects): RolloutSnapshot {
  const view = unitedView(objects);
  const rollout = rolloutView(view);
  const exist = view.members.some(({ object }) => object !== undefined);
  return {
    rollout,
    isForeign: stableRevision(view) === undefined && (exist || view.foreign !== undefined),
    revise: () => revisionsOf(view, rollout),
    complete: (hash, retained) => {
      const left = retained === undefined ? new Map() : leftBeside(view, hash);
      return markComplete(view, hash, leftInAll(left), () => leftText(left));
    },
    decide: (envelope, held, keep) => decideUnited(view, envelope, held, { limits: rollout.limits, keep }),
  };
}

/** The template of an invalid target must not become a revision, nor one of which the records of its children are lost. */
function revisionsOf(view: UnitedView, { invalid, pods }: RolloutView): Action[] {
  if (invalid.length > 0 || view.foreign === 'lost records') return [];
  if (view.foreign === 'OpenKruise') return reviseAdopted(view, view.ofOpenKruise());
  const exist = view.members.some(({ object }) => object !== undefined);
  return revise(view, { exist, counted: () => pods });
}

function rolloutView(view: UnitedView): RolloutView {
  const { target, spec, child, liveHash, revisions, members } = view;
  const { name, namespace = '', deletionTimestamp } = target.metadata;
  const children = members.map(({ row }) => row);
  const replicas = replicasOf(view);
  return {
    kind: target.kind,
    name,
    namespace,
    deleting: deletionTimestamp !== undefined,
    paused: child.paused,
    onDelete: false,
    replicas,
    liveHash,
    limits: targetLimits(limitsOf(target), target, replicas),
    partition: spec.partitions,
    stable: stableRevision(view)?.hash ?? liveHash,
    retained: leftInAll(view.left),
    complete: new Set(revisions.filter((each) => each.complete !== undefined).map(({ hash }) => hash)),
    pods: podRowsOf(children),
    modeTo: (from, to) => {
      const [a, b] = [revisionOf(view, from), revisionOf(view, to)];
      return a && b ? modeOfChange(a, b, child) : undefined;
    },
    nameOf: (hash) => revisionOf(view, hash)?.name ?? hash,
    liveSince: timeOf(revisionOf(view, liveHash)?.object.metadata.creationTimestamp),
    progressDeadlineSeconds: child.progressDeadlineSeconds,
    minReadySeconds: child.minReadySeconds,
    unsupported: [
      ...unsupportedUnited(target).map(({ path }) => path.join('.')),
      ...foreignChildren(view),
      ...otherKinds(view),
    ],
    invalid: invalidUnited(target).map(problemText),
    origin: { by: 'user' },
    units: { of: 'children', children },
    rules: () => childRules,
  };
}

/** How many pods a rollout is of: those that there are to be. Where others have given a child another size, that counts. */
function replicasOf({ spec, members }: UnitedView): number {
  if (members.every(({ resizedUntil }) => resizedUntil === undefined)) return spec.replicas;
  return members.reduce((sum, { row }) => sum + row.size, 0);
}

/**
 * The pods of each subset that are not on a revision, where its child keeps them: at what it calls stable. A partition may keep more, once
 * there are more.
 */
function leftBeside({ members, records, spec }: UnitedView, hash: string): LeftInSubsets {
  return new Map(
    members.flatMap(({ object, row, isRemoved }) => {
      const at = object && ownShare(object, records)?.root.stable;
      const n = row.pods.reduce((sum, pods) => sum + (pods.hash === hash ? 0 : pods.count), 0);
      if (at === undefined || at === hash || n === 0 || isRemoved) return [];
      return [[row.subset, { hash: at, n: Math.max(n, spec.partitions[row.subset] ?? 0) }] as const];
    }),
  );
}

function foreignChildren({ foreign, target }: UnitedView): string[] {
  const { name } = target.metadata;
  if (foreign !== 'lost records') return [];
  return [
    `children of which its revisions have no record: restore the ControllerRevisions of ${name}, or delete its children`,
  ];
}

/** Why a template of another kind is not carried out: pods of both kinds would be more than there are to be. */
function otherKinds({ ofOtherKinds, kind: { resource } }: UnitedView): string[] {
  const [first] = ofOtherKinds;
  if (first === undefined) return [];
  const names = ofOtherKinds.map(({ metadata }) => metadata.name);
  const shown =
    names.length > MOST_NAMED ? [...names.slice(0, MOST_NAMED), `${names.length - MOST_NAMED} more`] : names;
  const { field } = childKinds.find((each) => each.resource.kind === first.kind) ?? {};
  return [
    `${resource.kind}s while the ${first.kind}s ${shown.join(', ')} are there: delete these, or set ${field ?? 'their template'} again`,
  ];
}
