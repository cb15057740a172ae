import type { Action, EventDraft, Explanation } from '../decision.ts';
import { isTakenBack } from '../plan/bound-state.ts';
import type { Envelope } from '../plan/envelope.ts';
import type { Pod } from '../pod/types.ts';
import { type Revision, revisionOf } from '../revision/revision.ts';
import { selectedByAll } from '../plan/selector-bound.ts';
import { chosenOf, type RoundContext } from './chosen.ts';
import { hotRound } from './hot-round.ts';
import { isWritableTo, podsLeftOut, takingPart } from './left-out.ts';
import { nameOf, type Unit } from './unit.ts';
import { updatePod } from './update-pod.ts';
import { lacksUpgradable, upgradablePatch } from './upgradable.ts';
import { contentOf, isUpgradable, type SidecarSetView } from './view.ts';

/** What a round of updates does. */
export interface Round {
  actions: Action[];
  explanations: Explanation[];
  events: EventDraft[];
  /** Pods wait for limits of others, of which not every change is observed: when to decide again, milliseconds since 1970. */
  requeueAt?: number;
}

/** Milliseconds after which pods that wait for limits of others are decided on again. */
const LIMITED_MS = 10_000;

/**
 * One round of updates in place (OpenKruise sidecarset, rule 6.8), within the envelope. Pods that cannot go to the goal in
 * place stay as they are, and say so in a condition; nothing deletes them. Hot upgrades in progress end first.
 */
export function updateRound({ view, limits, envelope, now }: RoundContext): Round {
  const { actions, explanations } = hotRound(view, envelope, now);
  const goal = revisionOf(view, envelope.goal);
  if (goal === undefined || !(envelope.moving || goal.hash === view.liveHash))
    return { actions, explanations, events: [] };
  const { waiting, stuck, updated } = candidates(view, goal, eligible(view, envelope));
  const { taken, limited } = envelope.moving
    ? chosenOf({ view, limits, envelope, now }, goal, waiting)
    : { taken: [], limited: [] };
  for (const { unit, reason } of limited)
    explanations.push({ about: nameOf(unit.pod), reason: `waits: ${reason}` });
  for (const unit of stuck) {
    explanations.push({ about: nameOf(unit.pod), reason: stuckReason(goal) });
    actions.push(...marks(unit.pod, view.spec.name, false, stuckReason(goal), now));
  }
  // Not with the update itself: the kubelet writes the same status then.
  for (const { pod, isChanged } of updated)
    if (lacksUpgradable(pod, view.spec.name, isChanged))
      actions.push(...marks(pod, view.spec.name, true, `has ${goal.name}`, now));
  const { resourceVersion } = view.target.metadata;
  for (const unit of taken) {
    const reason = `→ ${goal.name}; ${envelope.reason}`;
    const change = updatePod(unit, contentOf(view, goal), resourceVersion, reason, now);
    if ('refused' in change)
      explanations.push({ about: nameOf(unit.pod), reason: `stays: ${change.refused}` });
    else actions.push(change);
  }
  const [pods, have] = stuck.length === 1 ? ['pod', 'has'] : ['pods', 'have'];
  const events: EventDraft[] =
    stuck.length === 0 || !(envelope.moving || envelope.newPods !== undefined)
      ? []
      : [
          {
            type: 'Normal',
            reason: 'NotUpgradablePods',
            message: `${stuck.length} ${pods} cannot go to ${goal.name} in place, and ${have} the containers of an earlier revision until recreated`,
          },
        ];
  return { actions, explanations, events, ...(limited.length > 0 && { requeueAt: now + LIMITED_MS }) };
}

type Eligible = (unit: Unit, hash: string | undefined) => boolean;

/** Which pods selectors let go. What goes back is what plans have moved, or may have: the present selector of the set keeps none. */
export function eligible(
  view: SidecarSetView,
  { selector, back, ownStrategy }: Pick<Envelope, 'selector' | 'back' | 'ownStrategy'>,
): Eligible {
  const { found } = podsLeftOut(view);
  if (back?.taken !== undefined) {
    const isTaken = isTakenBack(back.taken);
    return (unit, hash) => !found.has(unit) && isTaken({ hash, labels: unit.pod.metadata.labels });
  }
  // Without a plan OpenKruise updates a pod on an unknown revision, too, by its hash without images.
  const takesPart =
    ownStrategy === true ? (unit: Unit) => found.get(unit) !== 'NotWritable' : takingPart(view).isCounted;
  const isSelected = selectedByAll([view.spec.updateSelector, selector]);
  return (unit) => takesPart(unit) && isSelected(unit.pod.metadata.labels);
}

/**
 * The pods that wait for their update, those that cannot be updated in place (rule 6.8.1), and those that have the goal. Busy
 * ones are left for later.
 */
export function candidates(
  view: SidecarSetView,
  goal: Revision,
  isEligible: Eligible,
): { waiting: Unit[]; stuck: Unit[]; updated: Unit[] } {
  const waiting: Unit[] = [];
  const stuck: Unit[] = [];
  const updated: Unit[] = [];
  for (const unit of view.units) {
    const hash = view.hashOf(unit);
    if (hash === goal.hash) {
      updated.push(unit);
      continue;
    }
    // Where a hot upgrade leads elsewhere it is taken back first.
    if (unit.hot.isChanging || !isEligible(unit, hash)) continue;
    if (!isUpgradable(unit, revisionOf(view, hash), goal)) stuck.push(unit);
    // A pod that refuses its update must not take the place of others.
    else if (!unit.isBusy && (goal.hash === view.liveHash || isWritableTo(view, unit, goal)))
      waiting.push(unit);
  }
  return { waiting, stuck, updated };
}

/** Records whether the set can update the pod in place; none: the pod has that record. */
function marks(pod: Pod, set: string, isInPlace: boolean, reason: string, now: number): Action[] {
  const body = upgradablePatch(pod, set, isInPlace, now);
  if (body === undefined) return [];
  const { name, namespace } = pod.metadata;
  return [
    {
      do: 'patch',
      kind: 'Pod',
      verb: isInPlace ? 'mark upgradable' : 'mark not upgradable',
      name,
      ...(namespace !== undefined && { namespace }),
      subresource: 'status',
      body,
      reason,
    },
  ];
}

function stuckReason({ name }: Revision): string {
  return `stays: ${name} differs in more than images, so it takes a new pod; restart its owner`;
}
