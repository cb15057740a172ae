import { factsOf, type PodFacts } from '../pod/facts.ts';
import { type Lifecycle, noHooks } from '../lifecycle/hooks.ts';
import { isBeingUpdated, isPreparingDelete } from '../lifecycle/states.ts';
import { hookWait, type PodWait } from '../lifecycle/wait.ts';
import { unexplainedRestarts, updatedInPlaceAt } from '../pod/in-place.ts';
import { hasForeignCause } from '../pod/foreign-cause.ts';
import { locationOf } from '../pod/location.ts';
import { stuckBy } from '../pod/deferred-change.ts';
import { isAvailable } from '../pod/readiness.ts';
import { resizeWait } from '../pod/resize.ts';
import { restartedWhenAvailable } from '../pod/restarted.ts';
import type { Pod } from '../pod/types.ts';
import { ownedRules } from '../plan/owned-units.ts';
import type { OwnedUnits } from '../plan/units.ts';
import type { PodRow } from '../plan/pod-row.ts';
import type { RolloutView } from '../plan/rollout-view.ts';
import { modeOfChange } from '../revision/change.ts';
import { revisionOf, stableRevision } from '../revision/revision.ts';
import type { UpdateRules } from '../template/update-policy.ts';
import { objectOf } from '../values/read.ts';
import { timeOf } from '../values/timestamp.ts';
import { declaredBy } from './declared.ts';
import type { Workload } from './view.ts';

/** The fields of a `RolloutView` that are computed in the same way for every kind. */
type SharedField =
  | 'kind'
  | 'name'
  | 'namespace'
  | 'deleting'
  | 'liveHash'
  | 'stable'
  | 'retained'
  | 'complete'
  | 'pods'
  | 'modeTo'
  | 'nameOf'
  | 'liveSince'
  | 'minReadySeconds'
  | 'units'
  | 'rules';

/** The fields of its units that depend on the kind. */
type OwnUnitField = 'preDownload' | 'growth' | 'claimsDeletedWithPods';

/**
 * What the rules of plans read of a workload. Pods that wait for their deletion are left out, as if they were gone.
 *
 * @param pods those that the plan counts
 * @param own the fields that depend on the kind
 * @param unitOf what identifies a pod and its replacements; default: the uid, so that each pod is a unit of its own
 */
export function rolloutOf(
  view: Workload,
  {
    pods,
    own,
    unitOf = uidOf,
  }: {
    pods: readonly Pod[];
    own: Omit<RolloutView, SharedField> & Pick<OwnedUnits, OwnUnitField>;
    unitOf?: (pod: Pod) => string;
  },
  now: number,
): RolloutView<OwnedUnits> {
  const { target, liveHash, revisions } = view;
  const stable = stableRevision(view);
  const live = revisionOf(view, liveHash);
  const { preDownload, growth, claimsDeletedWithPods, ...fields } = own;
  return {
    ...fields,
    kind: target.kind,
    name: target.metadata.name,
    namespace: target.metadata.namespace ?? '',
    deleting: target.metadata.deletionTimestamp !== undefined,
    liveHash,
    stable: stable?.hash ?? liveHash,
    retained: stable?.retained,
    complete: new Set(revisions.filter((r) => r.complete !== undefined).map((r) => r.hash)),
    pods: (pods.some(isPreparingDelete) ? pods.filter((pod) => !isPreparingDelete(pod)) : pods).map((pod) =>
      podRow(view, pod, unitOf, now),
    ),
    modeTo: modeUnder(view, view.rules),
    nameOf: (hash) => revisionOf(view, hash)?.name ?? hash,
    liveSince: timeOf(live?.object.metadata.creationTimestamp),
    minReadySeconds: view.spec.minReadySeconds,
    rules: () => ownedRules,
    units: {
      of: 'owned',
      podSpec: { containers: [], ...objectOf(view.spec.template['spec']) },
      preDownload,
      hookWaits: () => hookWaits(view),
      growth,
      claimsDeletedWithPods,
      modeWithResize:
        view.spec.resizes === true && !view.canResize
          ? modeUnder(view, { ...view.rules, resizes: true })
          : undefined,
    },
  };
}

/** How disruptive an update between two revisions is under these rules. */
function modeUnder(view: Workload, rules: UpdateRules): RolloutView['modeTo'] {
  return (from, to) => {
    const [a, b] = [revisionOf(view, from), revisionOf(view, to)];
    return a && b ? modeOfChange(a, b, rules) : undefined;
  };
}

/** The pods that wait at a hook, with what ends their wait, or for a resize; by name. */
function hookWaits({ active, spec: { lifecycle } }: Workload): PodWait[] {
  const waits = active.flatMap((pod) => {
    const text = waitOf(lifecycle, pod);
    return text === undefined ? [] : [{ pod: pod.metadata.name, text }];
  });
  return waits.sort((a, b) => (a.pod < b.pod ? -1 : 1));
}

/** What a pod waits for that is not Normal; undefined: nothing that is known. */
function waitOf(lifecycle: Lifecycle, pod: Pod): string | undefined {
  if (factsOf(pod).normal) return undefined;
  return (lifecycle === noHooks ? undefined : hookWait(lifecycle, pod)) ?? resizeWait(pod);
}

/**
 * Rows are cached: an observed pod is immutable, and most of ten thousand rows are those of the reconcile before. The row is
 * stored with the facts of the pod, which copies of the pod do not share. A plain field of the facts is much faster to write
 * than a hidden field of the pod.
 */
const ROW = Symbol('row');

function podRow(view: Workload, pod: Pod, unitOf: (pod: Pod) => string, now: number): PodRow {
  const hash = view.hashOf(pod);
  const available = isAvailable(pod, view.spec.minReadySeconds, now);
  const facts: PodFacts & { [ROW]?: PodRow } = factsOf(pod);
  // What is expected of a signal ends while the pod does not change.
  const hasLapsed = facts.recreatedUntil > 0 && facts.recreatedUntil <= now;
  const before = hasLapsed ? undefined : facts[ROW];
  const restarted =
    (before?.restarts ?? 1) > 0
      ? restartedWhenAvailable(pod, view.spec.minReadySeconds, declaredBy(revisionOf(view, hash)))
      : false;
  // The hooks of a target may change while the pod does not.
  const hook = facts.normal ? undefined : waitOf(view.spec.lifecycle, pod);
  if (
    before !== undefined &&
    before.hash === hash &&
    before.available === available &&
    before.restartedWhenAvailable === restarted &&
    before.hook === hook
  )
    return before;
  const own = before ?? ownRow(view, pod, unitOf, { declared: declaredBy(revisionOf(view, hash)), now });
  // Field by field, for speed: a spread of an object of unknown shape is slower than everything else here.
  const row: PodRow = {
    uid: own.uid,
    unit: own.unit,
    name: own.name,
    hash,
    available,
    restarts: own.restarts,
    restartedWhenAvailable: restarted,
    createdAt: own.createdAt,
    updatedAt: own.updatedAt,
    beingUpdated: own.beingUpdated,
    foreignCause: own.foreignCause,
    node: own.node,
    unschedulable: own.unschedulable,
    problem: own.problem,
    failure: own.failure,
    hook,
    stuck: own.stuck,
    conditions: own.conditions,
  };
  facts[ROW] = row;
  return row;
}

function ownRow(
  { canResize }: Workload,
  pod: Pod,
  unitOf: (pod: Pod) => string,
  { declared, now }: { declared: ReadonlySet<string> | undefined; now: number },
): Omit<PodRow, 'hash' | 'available' | 'restartedWhenAvailable' | 'hook'> {
  const stuck = stuckBy(pod, canResize);
  const foreignCause = hasForeignCause(pod, declared, now);
  return {
    uid: pod.metadata.uid ?? '',
    unit: unitOf(pod),
    name: pod.metadata.name,
    restarts: unexplainedRestarts(pod, declared),
    createdAt: timeOf(pod.metadata.creationTimestamp),
    updatedAt: updatedInPlaceAt(pod) ?? 0,
    beingUpdated: isBeingUpdated(pod) || foreignCause,
    foreignCause,
    ...locationOf(pod, declared),
    ...(stuck === undefined ? {} : { stuck, problem: stuck }),
  };
}

function uidOf({ metadata }: Pod): string {
  return metadata.uid ?? '';
}
