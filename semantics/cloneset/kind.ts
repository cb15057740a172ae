import type { KubeObject } from '../../schemas/wire/object.ts';
import { isDrained, unexplainedRestarts, updatedInPlaceAt } from '../pod/in-place.ts';
import { HOSTNAME } from '../pod/nodes.ts';
import { placeOf } from '../pod/place.ts';
import { stuckBy } from '../pod/put-off.ts';
import { isAvailable } from '../pod/readiness.ts';
import type { Pod } from '../pod/types.ts';
import type { PodRow, RolloutView } from '../plan/rollout-view.ts';
import type { InvalidField } from '../kinds/fields.ts';
import type { Kind, ObservedObjects, RolloutSnapshot } from '../kinds/kind.ts';
import type { Need } from '../kinds/need.ts';
import { modeOfChange } from '../revision/change.ts';
import { markComplete } from '../revision/complete.ts';
import { revise } from '../revision/revise.ts';
import { revisionOf, stableRevision } from '../revision/revision.ts';
import { hasClaims } from '../claims/templates.ts';
import { byInstanceId } from './claim-naming.ts';
import { decideCloneSet } from './decide.ts';
import { cloneSetGit } from './git.ts';
import { invalidCloneSetFields, invalidTargetMetadata } from './invalid.ts';
import { cloneSetResource } from './resource.ts';
import { unsupportedCloneSetFields } from './unsupported.ts';
import { type CloneSetView, cloneSetView, specOf } from './view.ts';

/** CloneSet as the registry knows it. */
export const cloneSetKind: Kind = {
  id: { group: cloneSetResource.group, kind: cloneSetResource.kind },
  resource: cloneSetResource,
  versions: ['v1beta1', 'v1alpha1'],
  needs,
  uses: [{ of: 'OwnedPods' }, { of: 'Claims' }, { of: 'Nodes', why: 'Spread' }],
  validate,
  unsupported: unsupportedCloneSetFields,
  work: { shape: 'Rollout', observe },
  git: cloneSetGit,
  words: { unit: 'pod', units: 'pods' },
};

function needs(target: KubeObject, revisions: readonly KubeObject[]): Need[] {
  const found: Need[] = [{ of: 'OwnedPods' }];
  if (hasClaims(target, revisions, byInstanceId)) found.push({ of: 'Claims' });
  // Over nodes pods are spread without their labels: the names of nodes are enough.
  if (specOf(target).spreadOver.some((key) => key !== HOSTNAME)) found.push({ of: 'Nodes', why: 'Spread' });
  return found;
}

function validate(target: KubeObject): InvalidField[] {
  return [...invalidTargetMetadata(target), ...invalidCloneSetFields(specOf(target))];
}

function observe(objects: ObservedObjects): RolloutSnapshot {
  const { target, now } = objects;
  const view = cloneSetView(objects);
  // Whoever will have to know of nodes sends for them long before.
  if (view.spec.spreadOver.length > 0) void view.nodes.state;
  const rollout = rolloutView(view, target, now);
  return {
    rollout,
    isForeign: stableRevision(view) === undefined && view.hasPods,
    // The template of an object that may not be so is no revision to go back to.
    revise: () =>
      rollout.invalid.length > 0 ? [] : revise(view, { exist: view.hasPods, counted: () => rollout.pods }),
    complete: (hash, held) => markComplete(view, hash, held),
    decide: (envelope, held, keep, refused, losses) =>
      decideCloneSet({ view, envelope, held, keep, refused, losses, now }),
  };
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
    onDelete: spec.type === 'OnDelete',
    replicas: spec.replicas,
    liveHash: view.liveHash,
    partition: spec.partition,
    stable: stable?.hash ?? view.liveHash,
    held: stable?.held,
    complete: new Set(view.revisions.filter((r) => r.complete !== undefined).map((r) => r.hash)),
    pods: view.active.map((pod) => podRow(view, pod, now)),
    modeTo: (from, to) => {
      const [a, b] = [revisionOf(view, from), revisionOf(view, to)];
      return a && b ? modeOfChange(a, b, spec.policy) : undefined;
    },
    nameOf: (hash) => revisionOf(view, hash)?.name ?? hash,
    liveSince: Date.parse(revisionOf(view, view.liveHash)?.object.metadata.creationTimestamp ?? '') || 0,
    progressDeadlineSeconds: spec.progressDeadlineSeconds,
    minReadySeconds: spec.minReadySeconds,
    claimsGo: spec.volumeClaimTemplates.length > 0 && !spec.reuseClaims,
    unsupported: unsupportedCloneSetFields(target).map((field) => field.path.join('.')),
    invalid: invalidOf(target),
  };
}

/** What is wrong with a target; it is immutable once seen, and there is a look at it whenever one of its pods changes. */
const faults = new WeakMap<KubeObject, string[]>();

function invalidOf(target: KubeObject): string[] {
  const found = faults.get(target) ?? validate(target).map(({ path, rule }) => `${path.join('.')} ${rule}`);
  faults.set(target, found);
  return found;
}

/** A pod is immutable once seen, and of most of ten thousand the row is that of the look before. */
const known = new WeakMap<Pod, PodRow>();

function podRow(view: CloneSetView, pod: Pod, now: number): PodRow {
  const hash = view.hashOf(pod);
  const available = isAvailable(pod, view.spec.minReadySeconds, now);
  const before = known.get(pod);
  if (before !== undefined && before.hash === hash && before.available === available) return before;
  const own = before ?? ownRow(pod);
  // Field by field: copying an object of unknown shape costs more than all else here.
  const row: PodRow = {
    uid: own.uid,
    name: own.name,
    hash,
    available,
    restarts: own.restarts,
    createdAt: own.createdAt,
    updatedAt: own.updatedAt,
    beingUpdated: own.beingUpdated,
    node: own.node,
    unschedulable: own.unschedulable,
    trouble: own.trouble,
    stuck: own.stuck,
    conditions: own.conditions,
  };
  known.set(pod, row);
  return row;
}

function ownRow(pod: Pod): Omit<PodRow, 'hash' | 'available'> {
  const stuck = stuckBy(pod);
  return {
    uid: pod.metadata.uid ?? '',
    name: pod.metadata.name,
    restarts: unexplainedRestarts(pod),
    createdAt: Date.parse(pod.metadata.creationTimestamp ?? '') || 0,
    updatedAt: updatedInPlaceAt(pod) ?? 0,
    beingUpdated: isDrained(pod),
    ...placeOf(pod),
    ...(stuck === undefined ? {} : { stuck, trouble: stuck }),
  };
}
