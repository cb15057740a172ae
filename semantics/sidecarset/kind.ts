import type { KubeObject } from '../../schemas/wire/object.ts';
import { problemText } from '../fields/problems.ts';
import type { PlannedKind, ObservedObjects, RolloutSnapshot } from '../kinds/kind.ts';
import type { Need, SelectedMark } from '../kinds/need.ts';
import type { UnitState } from '../limits/disruption.ts';
import { targetLimits } from '../limits/target-limits.ts';
import { remembered } from '../values/remembered.ts';
import { deployments, deploymentsOf, projectDeployment } from './deployments.ts';
import { podLimits } from './pod-limits.ts';
import { rulesOfSelected } from './new-only.ts';
import type { PodRow } from '../plan/pod-row.ts';
import type { RolloutView } from '../plan/rollout-view.ts';
import { isInPlaceUpdateComplete } from '../pod/in-place.ts';
import { SIDECAR_STATE_ANNOTATION } from '../pod/sidecar-changes.ts';
import { locationOf } from '../pod/location.ts';
import { INJECTED_ENV } from '../pod/own-parts.ts';
import type { Pod } from '../pod/types.ts';
import { leftAt, markComplete } from '../revision/complete.ts';
import { revise } from '../revision/revise.ts';
import { type Revision, revisionOf, stableRevision } from '../revision/revision.ts';
import type { Mode } from '../template/mode.ts';
import { objectOf, textOf } from '../values/read.ts';
import { setDefined } from '../values/set-defined.ts';
import { timeOf } from '../values/timestamp.ts';
import { withAdoptedPin } from './adopted-pin.ts';
import { differInImagesAlone, revisionHashes } from './content.ts';
import { decideSidecarSet } from './decide.ts';
import { sidecarSetFacts } from './facts.ts';
import { sidecarSetGit } from './git.ts';
import { stampOf } from './hash.ts';
import { sidecarSetInjector } from './injector.ts';
import { blockedBy, limitedBy } from './held-up.ts';
import { invalidSidecarSet } from './invalid.ts';
import { takingPart, tooManyLeftOut, unwritableTo } from './left-out.ts';
import { sidecarSetLimits } from './limits.ts';
import { unrecordedCondition } from './new-pods-condition.ts';
import { normalizeSidecarSet } from './normalize.ts';
import { missingPin } from './pinned.ts';
import { recordedSelector } from './publish.ts';
import { recordedSelection, selectionOfSet } from './recorded-selection.ts';
import {
  HASH_ANNOTATION,
  INJECTED_LIST_ANNOTATION,
  OTHER_VERSION_PREFIX,
  SIDECARSET_VERSIONS,
  sidecarSets,
  UPGRADABLE_CONDITION,
  VERSION_PREFIX,
  WORKING_ANNOTATION,
} from './resource.ts';
import { completeWith, firstSelection, withSelection } from './selection-writes.ts';
import { nameOf, type Unit } from './unit.ts';

import { type SidecarSetView, sidecarSetView } from './view.ts';

/** What the sets change in the pods of others. */
const MARK: SelectedMark = {
  of: 'containers',
  annotation: INJECTED_LIST_ANNOTATION,
  variable: INJECTED_ENV,
  records: [HASH_ANNOTATION, INJECTED_LIST_ANNOTATION, WORKING_ANNOTATION, SIDECAR_STATE_ANNOTATION],
  prefixes: [VERSION_PREFIX, OTHER_VERSION_PREFIX],
  conditions: [UPGRADABLE_CONDITION],
};

/** The kind SidecarSet, for the registry: the pods of any owner that a set was injected into. */
export const sidecarSetKind: PlannedKind = {
  id: { group: sidecarSets.group, kind: sidecarSets.kind },
  resource: sidecarSets,
  versions: SIDECARSET_VERSIONS,
  needs,
  uses: [
    { of: 'SelectedPods', mark: MARK },
    { of: 'Disruption' },
    { of: 'Config', resource: deployments, hint: projectDeployment },
  ],
  expires: false,
  admission: {
    option: undefined,
    create: { of: 'injection', injector: sidecarSetInjector },
    review: { of: 'none' },
    policy: undefined,
    stamp: ({ spec }) => stampOf(objectOf(spec)),
  },
  influence: undefined,
  podTemplates: [],
  lowering: {
    of: 'nothing',
    why: 'kruise build --sidecars writes its containers into templates, and updates of running pods are lost',
  },
  validate: invalidSidecarSet,
  unsupported: () => [],
  budget: () => undefined,
  shape: 'Rollout',
  observe,
  git: sidecarSetGit,
  limits: sidecarSetLimits,
  facts: sidecarSetFacts,
};

/** A set without selector matches no pod; it is invalid. */
function needs(target: KubeObject, _revisions: readonly KubeObject[], selected: readonly Pod[]): Need[] {
  const { selector, namespaceSelector } = normalizeSidecarSet(target);
  const isEmpty =
    Object.keys(selector?.matchLabels ?? {}).length + (selector?.matchExpressions ?? []).length === 0;
  const namespaces = isEmpty ? [] : undefined;
  return [
    { of: 'SelectedPods', selector: selector ?? {}, namespaces, namespaceSelector },
    { of: 'Disruption' },
    // Where they may not be listed, their pods have the limit of any controller.
    ...deploymentsOf(selected).map((each): Need => ({
      of: 'Config',
      resource: deployments,
      ...each,
      isHint: true,
    })),
  ];
}

function observe(objects: ObservedObjects): RolloutSnapshot {
  const { now } = objects;
  const view = sidecarSetView(objects);
  let computed: { limits: UnitState<Pod> | undefined } | undefined;
  const limits = (): UnitState<Pod> | undefined => (computed ??= { limits: podLimits(objects) }).limits;
  const part = takingPart(view);
  const rows = part.counted.map((unit) => rowOf(view, unit, now));
  const besides = part.besides.map((unit) => rowOf(view, unit, now));
  const rollout = rolloutView(view, rows, besides, limits);
  // Pods that have the present content already may be of an admission that was faster than the first record. Annotations of
  // pods alone prove nothing: whoever creates a pod writes them.
  const areOlder = hasBefore(view) && view.units.some((unit) => view.hashOf(unit) !== view.liveHash);
  return {
    rollout,
    isForeign: stableRevision(view) === undefined && areOlder,
    // The content of an invalid target must not become a revision.
    revise() {
      if (rollout.invalid.length > 0) return [];
      const actions = withSelection(
        view,
        withAdoptedPin(view, revise(view, { exist: areOlder, counted: () => rows })),
      );
      return actions.length > 0 ? actions : firstSelection(view);
    },
    complete: (hash, retained, _attempt, selection) =>
      completeWith(view, hash, selection, markComplete(view, hash, retained)),
    decide: (envelope, held, keep) => decideSidecarSet({ view, limits, envelope, held, keep, now }),
  };
}

/**
 * Whether the set was there before this runtime recorded anything: it has revisions, or a controller has written one to its status.
 * Annotations come with a manifest that was exported, and a status of a generation with a set that was never valid.
 */
function hasBefore({ target, revisions }: SidecarSetView): boolean {
  return revisions.length > 0 || textOf(objectOf(target['status'])['latestRevision']) !== '';
}

function rolloutView(
  view: SidecarSetView,
  rows: readonly PodRow[],
  besides: readonly PodRow[],
  limits: () => UnitState<Pod> | undefined,
): RolloutView {
  const { target, spec, liveHash, revisions } = view;
  const pods = rows.filter(({ hash }) => !isOutdated(view, hash, liveHash));
  return {
    kind: target.kind,
    name: target.metadata.name,
    namespace: '',
    deleting: target.metadata.deletionTimestamp !== undefined,
    paused: spec.isPaused,
    onDelete: !spec.isRolling,
    replicas: pods.length,
    liveHash,
    limits: targetLimits(sidecarSetLimits, target, rows.length),
    partition: spec.partition ?? 0,
    selector: spec.isRolling ? spec.updateSelector : undefined,
    stable: stableRevision(view)?.hash ?? liveHash,
    retained: stableRevision(view)?.retained,
    complete: new Set(revisions.filter((each) => each.complete !== undefined).map(({ hash }) => hash)),
    pods,
    modeTo: (from, to) => {
      const [a, b] = [revisionOf(view, from), revisionOf(view, to)];
      return a && b ? modeBetween(a, b) : undefined;
    },
    nameOf: (hash) => revisionOf(view, hash)?.name ?? hash,
    liveSince: timeOf(revisionOf(view, liveHash)?.object.metadata.creationTimestamp),
    progressDeadlineSeconds: undefined,
    minReadySeconds: 0,
    unsupported: [],
    invalid: [
      ...invalidOf(target),
      ...missingPin(
        spec,
        revisions.map(({ object }) => object),
      ),
    ],
    origin: { by: 'user' },
    rules: rulesOfSelected,
    units: {
      of: 'selected',
      newPodsWithin: recordedSelector(view),
      unrecorded: (policy) => unrecordedCondition(target, policy),
      live: selectionOfSet(view.spec),
      recorded: recordedSelection(view),
      leftAt: (hash) => leftAt(view, hash),
      outdated: {
        count: view.units.length - pods.length - waitingIn(view),
        wayTo: (to) =>
          [...rows.filter(({ hash }) => isOutdated(view, hash, liveHash)), ...besides].filter(
            ({ hash }) => !isOutdated(view, hash, to),
          ),
      },
      missed: view.missed.length,
      unwritableTo: (hash) => unwritableTo(view, hash),
      tooManyLeftOut: tooManyLeftOut(view),
      limitedBy: (to, selector) => limitedBy(view, { to, selector }, limits),
      blockedBy: (to, selector) => blockedBy(view, { to, selector }, limits),
    },
  };
}

/** How many pods have the present revision, and nothing has begun in them yet: they are not behind. */
function waitingIn(view: SidecarSetView): number {
  const { besides } = takingPart(view);
  return besides.filter((unit) => !view.unrecorded.has(unit) && view.hashOf(unit) === view.liveHash).length;
}

/** Whether pods of a revision have no way to another. Those without a way to the live one stay, and no plan counts them. */
function isOutdated(view: SidecarSetView, hash: string | undefined, goal: string): boolean {
  if (hash === goal) return false;
  const [from, to] = [hash, goal].map((each) => revisionOf(view, each));
  return from !== undefined && to !== undefined && modeBetween(from, to) === 'NewPodsOnly';
}

function modeBetween(from: Revision, to: Revision): Mode {
  const [a, b] = [from, to].map(({ object }) => revisionHashes(object));
  if (a?.hash === b?.hash) return 'MetadataOnly';
  return a?.imageless === b?.imageless || differInImagesAlone(from.template, to.template)
    ? 'InPlace'
    : 'NewPodsOnly';
}

/** The row of a unit as of the reconcile before. */
const ROW = Symbol('row');

/** A pod is judged by the containers of the set alone. Of ten thousand pods, few have changed since the reconcile before. */
function rowOf(view: SidecarSetView, unit: Unit, now: number): PodRow {
  const { pod, record, isServing, restarts } = unit;
  const { metadata } = pod;
  const hash = view.hashOf(unit);
  // While another updater changes the pod, it is not judged.
  const beingUpdated = !isServing && !isInPlaceUpdateComplete(pod, now);
  const known = (unit as Unit & { [ROW]?: PodRow })[ROW];
  if (known?.hash === hash && known?.beingUpdated === beingUpdated) return known;
  return setDefined(unit, ROW, {
    uid: metadata.uid ?? '',
    unit: metadata.uid ?? '',
    name: nameOf(pod),
    labels: metadata.labels,
    hash,
    available: isServing,
    restarts,
    // The old half of a hot pair is available all the time, and a restart of the new one says that it cannot take over.
    ...(unit.hot.hasFailed && { restartedWhenAvailable: true }),
    createdAt: timeOf(metadata.creationTimestamp),
    updatedAt: unit.isChanged ? record.at : 0,
    beingUpdated,
    ...locationOf(pod, new Set(unit.names)),
  });
}

/** Cached by object: an observed target is immutable, and is reconciled after every change of a pod. */
const invalidOf = remembered((target: KubeObject): string[] => invalidSidecarSet(target).map(problemText));
