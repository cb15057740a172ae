import type { PatchAction } from '../decision.ts';
import { isPreparingDelete, firstState, stateMetadata } from '../lifecycle/states.ts';
import type { Envelope } from '../plan/envelope.ts';
import { factsOf } from '../pod/facts.ts';
import { isFromTemplate } from '../pod/from-templates.ts';
import { withResourceVersion } from '../pod/in-place.ts';
import { type Pod, SPECIFIED_DELETE_LABEL } from '../pod/types.ts';
import { byName } from './pods.ts';
import type { CloneSetView } from './view.ts';

/** What the deletion label says on a pod that an update recreates. OpenKruise obeys any value. */
const RECREATE = 'recreate';

/** The mark of a pod that an update recreates (OpenKruise cloneset, rule 6.5): the next reconcile deletes it, within the limits. */
export function markForRecreation(
  view: CloneSetView,
  pod: Pod,
  why: { from: string; to: string },
): PatchAction {
  const { name } = pod.metadata;
  return {
    do: 'patch',
    kind: 'Pod',
    verb: 'mark for recreation',
    name,
    body: withResourceVersion(pod, {
      metadata: { labels: { [SPECIFIED_DELETE_LABEL]: markFor(view, pod) } },
    }),
    reason: `${why.from} → ${why.to} cannot be made in place`,
    event: {
      type: 'Normal',
      reason: 'SuccessfulUpdatePodReCreate',
      message: `successfully update pod ${name} in ReCreate`,
    },
  };
}

/** Labels from templates are ignored, so the value must not be in one. */
function markFor({ fromTemplates }: CloneSetView, { metadata }: Pod): string {
  return isFromTemplate(fromTemplates, 'labels', SPECIFIED_DELETE_LABEL, RECREATE)
    ? (metadata.uid ?? RECREATE)
    : RECREATE;
}

/** Whether this runtime has marked the pod for an update to recreate it. A user, or OpenKruise, marks with another value. */
export function isToBeRecreated({ metadata: { labels, uid } }: Pod): boolean {
  const mark = labels?.[SPECIFIED_DELETE_LABEL];
  return mark !== undefined && (mark === RECREATE || mark === uid);
}

/** Whether pods may be updated at all. */
export function isMoving({ spec }: CloneSetView, envelope: Envelope): boolean {
  return envelope.moving && !spec.paused && spec.type !== 'OnDelete';
}

/**
 * Whether OpenKruise's gate for a raised partition is on, so that pods go from the update revision to the stable one. Without another
 * stable revision there is nothing to go back to.
 */
export function rollsBack({ spec }: CloneSetView, { ownStrategy, goal, stable }: Envelope): boolean {
  return ownStrategy === true && spec.partitionRollback && goal !== stable;
}

/**
 * The pods that are marked for a recreation that is not to come: the rollout has stopped or goes back. A hook may have held them
 * for any time, and perhaps never lets them go; they are wanted as they are. Those that somebody else has marked, or named in
 * `podsToDelete`, stay marked, and so do as many as there are too many pods.
 */
export function notToBeRecreated(
  view: CloneSetView,
  envelope: Envelope,
  isNamed: (pod: Pod) => boolean,
): ReadonlySet<Pod> {
  const moves = isMoving(view, envelope);
  if (moves && rollsBack(view, envelope)) return NONE;
  const found = view.active.filter(
    (pod) =>
      factsOf(pod).specified &&
      isToBeRecreated(pod) &&
      !isNamed(pod) &&
      (!moves || view.hashOf(pod) === envelope.goal),
  );
  if (found.length === 0) return NONE;
  const surplus = surplusOf(view, new Set(found), (pod) => {
    const leaves = factsOf(pod).specified || isNamed(pod) || isPreparingDelete(pod);
    // On the way back, a scale-in takes the pods of a surge first.
    return leaves || (moves && view.hashOf(pod) !== envelope.goal);
  });
  if (surplus === 0) return new Set(found);
  const preparing = found.filter(isPreparingDelete);
  const inOrder = [...preparing.sort(byName), ...found.filter((pod) => !isPreparingDelete(pod)).sort(byName)];
  return new Set(inOrder.slice(surplus));
}

/** How many pods there are too many, beyond those that go before the marked ones do. */
function surplusOf(
  { active, spec }: CloneSetView,
  marked: ReadonlySet<Pod>,
  goesFirst: (pod: Pod) => boolean,
): number {
  const surplus = active.length - spec.replicas;
  if (surplus <= 0) return 0;
  return Math.max(surplus - active.filter((pod) => !marked.has(pod) && goesFirst(pod)).length, 0);
}

const NONE: ReadonlySet<Pod> = new Set();

/** Takes the mark back, and the state with it in which the pod waits for its deletion. */
export function withdrawRecreation({ spec }: CloneSetView, pod: Pod, now: number): PatchAction {
  const state = isPreparingDelete(pod) ? stateMetadata(firstState(spec.lifecycle, pod), now) : undefined;
  const labels = { ...state?.labels, [SPECIFIED_DELETE_LABEL]: null };
  return {
    do: 'patch',
    kind: 'Pod',
    verb: 'withdraw recreation',
    name: pod.metadata.name,
    body: withResourceVersion(pod, {
      metadata: { labels, ...(state && { annotations: state.annotations }) },
    }),
    reason: 'the update that it was marked for is not to come',
    restoresTraffic: true,
  };
}
