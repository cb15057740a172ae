import type { Action, Because, PatchAction } from '../decision.ts';
import { factsOf } from '../pod/facts.ts';
import { isGiven } from '../pod/from-templates.ts';
import {
  conditionsPatch,
  drainPatch,
  guarded,
  isDrained,
  isInPlaceUpdateComplete,
  needsReadyGate,
  openGate,
  startPatch,
} from '../pod/in-place.ts';
import { isInGrace } from '../pod/in-place-state.ts';
import { kruiseReadyCondition } from '../pod/kruise-ready.ts';
import { type Preference, updateOrder } from '../pod/order.ts';
import { byPriority } from '../pod/priority.ts';
import { putOff } from '../pod/put-off.ts';
import { condition, hasInPlaceGate, timestamp } from '../pod/readiness.ts';
import { scattered } from '../pod/scatter.ts';
import {
  IN_PLACE_READY,
  KRUISE_POD_READY,
  LIFECYCLE_LABEL,
  LIFECYCLE_TIME_ANNOTATION,
  type Pod,
  SHORT_HASH_LABEL,
  SPECIFIED_DELETE_LABEL,
} from '../pod/types.ts';
import type { Envelope } from '../plan/envelope.ts';
import { inPlaceChange } from '../revision/change.ts';
import { type Revision, revisionOf } from '../revision/revision.ts';
import type { Diff } from './diff.ts';
import { effectivePartition } from '../limits/partition.ts';
import type { CloneSetView } from './view.ts';

export interface UpdateInput {
  view: CloneSetView;
  envelope: Envelope;
  diff: Diff;
  available: (pod: Pod) => boolean;
  marked: (pod: Pod) => boolean;
  /** Not available, and no reason to hold others back: broken before, on the way back. */
  excused: (pod: Pod) => boolean;
  now: number;
}

/**
 * Takes old pods to the goal revision under the limits of the diff (OpenKruise cloneset, rule 6.5). An in-place update
 * is two writes in two passes, drain then patch; a pod that was drained stands first in line, so that
 * nothing is left out of traffic while others start.
 */
export function update(input: UpdateInput): { actions: Action[]; because: Because[] } {
  const { view, envelope, diff } = input;
  const goal = revisionOf(view, wayOf(envelope, diff).to);
  if (diff.update === 0 || goal === undefined) return { actions: [], because: [] };
  const actions: Action[] = [];
  const because: Because[] = [];
  const limit = bound(view, envelope);
  for (const pod of chosen(input)) {
    if (input.marked(pod)) continue;
    const change = updateOne(input, pod, goal, limit);
    if (change.do !== 'nothing') actions.push(change);
    else {
      const { reason, cannot } = change;
      because.push({ about: pod.metadata.name, reason, ...(cannot === undefined ? {} : { cannot }) });
    }
  }
  return { actions, because };
}

/** Where pods are taken to and which are: forward all that are elsewhere, back those at the update revision (rule 6.5 step 3). */
function wayOf(
  { goal, stable }: Envelope,
  diff: Diff,
): { to: string; isWaiting: (hash: string | undefined) => boolean } {
  return diff.update < 0
    ? { to: stable, isWaiting: (hash) => hash === goal }
    : { to: goal, isWaiting: (hash) => hash !== goal };
}

/**
 * The candidates that pass the limit: a walk that stops, never skips, so that order decides (rule 6.5 steps 3 to 5). A pod
 * in a grace period that OpenKruise began says more than it runs; it is taken on when that is over.
 */
function chosen({ view, envelope, diff, available, marked, excused }: UpdateInput): Pod[] {
  const { to, isWaiting } = wayOf(envelope, diff);
  const back = envelope.back !== undefined;
  const waiting: Pod[] = [];
  let unavailable = 0;
  let unavailableAtGoal = 0;
  for (const pod of view.active) {
    const hash = view.hashOf(pod);
    if (isWaiting(hash) && !(factsOf(pod).mayBePutOff && isInGrace(pod))) waiting.push(pod);
    if (available(pod)) continue;
    if (hash === to) unavailableAtGoal++;
    if (!excused(pod)) unavailable++;
  }
  // A new revision must not spread while its own pods are broken; the one that is gone back to has worked.
  const wanted = Math.abs(diff.update);
  const most = back ? wanted : Math.min(wanted, diff.updateMaxUnavailable - unavailableAtGoal);
  if (most <= 0) return [];
  // Started ones first, so that nothing is left out of traffic; then, under a plan, those on neither side, which are
  // further from where they should be than one on the stable revision.
  const precedence = (pod: Pod): number => {
    if (isDrained(pod) || marked(pod) || pod.metadata.labels?.[LIFECYCLE_LABEL] === 'PreparingUpdate')
      return 0;
    return envelope.ownStrategy === true || view.hashOf(pod) === envelope.stable ? 2 : 1;
  };
  const taken: Pod[] = [];
  for (const pod of updateOrder(waiting, precedence, { preferred: preferred(view), count: most })) {
    if (available(pod)) {
      if (unavailable >= diff.updateMaxUnavailable) break;
      unavailable++;
    }
    taken.push(pod);
  }
  return taken;
}

/** The order that the target asks for: priorities first, then the spread over them (OpenKruise inplace-update, rule 6.7). */
function preferred({ spec: { priorities, scatter }, active }: CloneSetView): Preference | undefined {
  if (priorities === undefined && scatter.length === 0) return undefined;
  return (pods) => {
    const prior = priorities === undefined ? pods : byPriority(pods, priorities);
    return scatter.length === 0 ? prior : scattered(prior, active, scatter);
  };
}

/** How far the envelope goes with everything that bounds it counted in. */
function bound(view: CloneSetView, envelope: Envelope): string {
  const { replicas } = view.spec;
  const most = replicas - effectivePartition(view.spec, envelope);
  return `${envelope.because}; at most ${most} of ${replicas} pods may be on it now`;
}

type Obstacle = Pick<Because, 'reason' | 'cannot'>;
type Change = Action | ({ do: 'nothing' } & Obstacle);

/** What takes a pod to the goal in place; undefined: it has to be made anew. */
function inPlaceWay(view: CloneSetView, pod: Pod, goal: Revision): ReturnType<typeof inPlaceChange> {
  const from = revisionOf(view, view.hashOf(pod));
  return view.spec.policy === 'ReCreate' || from === undefined ? undefined : inPlaceChange(from, goal);
}

/** Why a pod may not be taken to the goal, though it would have to be; undefined: nothing stands against it. */
function obstacle({ view, envelope }: UpdateInput, pod: Pod, goal: Revision): Obstacle | undefined {
  if (inPlaceWay(view, pod, goal) !== undefined) return undefined;
  if (envelope.mode !== 'Recreate')
    return { reason: `stays: it would have to be recreated, and the plan allows ${envelope.mode}` };
  if (view.spec.policy !== 'InPlaceOnly') return undefined;
  return {
    reason: 'stays: the change cannot be made in place and podUpdatePolicy is InPlaceOnly',
    cannot: `pod ${pod.metadata.name} cannot be updated in place to ${goal.name}, and podUpdatePolicy is InPlaceOnly`,
  };
}

function updateOne(input: UpdateInput, pod: Pod, goal: Revision, limit: string): Change {
  const { view, now } = input;
  const name = pod.metadata.name;
  const against = obstacle(input, pod, goal);
  if (against !== undefined) return { do: 'nothing', ...against };
  const from = revisionOf(view, view.hashOf(pod));
  const inPlace = inPlaceWay(view, pod, goal);
  if (inPlace === undefined) {
    return {
      do: 'patch',
      kind: 'Pod',
      verb: 'mark for recreation',
      name,
      body: guarded(pod, { metadata: { labels: { [SPECIFIED_DELETE_LABEL]: markFor(view, pod) } } }),
      because: `${from?.name ?? 'an unknown revision'} → ${goal.name} cannot be made in place`,
      event: {
        type: 'Normal',
        reason: 'SuccessfulUpdatePodReCreate',
        message: `successfully update pod ${name} in ReCreate`,
      },
    };
  }
  const start = (): PatchAction => ({
    do: 'patch',
    kind: 'Pod',
    verb: 'update in place',
    name,
    body: startPatch(pod, goal, inPlace, now),
    because: `${from?.name ?? ''} → ${goal.name}; ${limit}`,
    event: {
      type: 'Normal',
      reason: 'SuccessfulUpdatePodInPlace',
      message: `successfully update pod ${name} in-place(revision ${goal.name})`,
    },
  });
  if (Object.keys(inPlace.images).length === 0) return start();
  if (hasInPlaceGate(pod) && !isDrained(pod)) {
    // The change itself is for another look: whoever acts on what is no longer so has done no harm until then.
    return {
      do: 'patch',
      kind: 'Pod',
      verb: 'drain',
      name,
      subresource: 'status',
      body: drainPatch(pod, now),
      because: `takes traffic away before ${Object.keys(inPlace.images).sort().join(', ')} restarts`,
    };
  }
  if ((graceEndsAt(view, pod) ?? 0) > now) {
    return { do: 'nothing', reason: 'stays out of traffic until its grace period is over' };
  }
  return start();
}

/** The value of the mark does not count, only whether it is believed: it must not be one that a template has given. */
function markFor({ given }: CloneSetView, { metadata }: Pod): string {
  const usual = 'true';
  return isGiven(given, 'labels', SPECIFIED_DELETE_LABEL, usual) ? (metadata.uid ?? usual) : usual;
}

/** When the containers of a pod that was drained may change, milliseconds since 1970; undefined: it is not drained. */
export function graceEndsAt(view: CloneSetView, pod: Pod): number | undefined {
  if (!isDrained(pod)) return undefined;
  const since = Date.parse(condition(pod, IN_PLACE_READY)?.lastTransitionTime ?? '') || 0;
  return since + view.spec.gracePeriodSeconds * 1000;
}

/**
 * Lets a pod go whose labels no longer match the selector: the owner reference is taken off, and a replacement is made
 * because it no longer counts (OpenKruise cloneset, rule 6.1 step 5; CS-44).
 */
export function release(view: CloneSetView, pod: Pod): Action {
  return {
    do: 'patch',
    kind: 'Pod',
    verb: 'release',
    name: pod.metadata.name,
    body: guarded(pod, {
      metadata: { ownerReferences: [{ $patch: 'delete', uid: view.target.metadata.uid ?? '' }] },
    }),
    because: 'its labels no longer match the selector',
  };
}

/**
 * States that lead to Normal where no hook holds a pod back, those included that OpenKruise left behind half-way: of those
 * that it was about to delete, the ones that stay.
 */
function isPassing(state: string | undefined, stays: boolean): boolean {
  if (state === 'PreparingDelete') return stays;
  return ['PreparingNormal', 'PreparingUpdate', 'Updating', 'Updated'].includes(state ?? '');
}

/**
 * Keeps every pod's own books (rule 6.5 step 1), paused or not: carries on what OpenKruise has begun, opens the gates when
 * an in-place update is complete, turns a scheduled pod Normal, fills in the short hash.
 *
 * @param unsettled the pods that there is something to do about, or may be later
 * @param busy pods that another action of this pass touches
 */
export function refresh(input: UpdateInput, unsettled: readonly Pod[], busy: ReadonlySet<string>): Action[] {
  const { view, envelope, diff, marked, now } = input;
  const actions: Action[] = [];
  const way = wayOf(envelope, diff);
  const goal = diff.update === 0 ? undefined : revisionOf(view, way.to);
  // A drained pod is first in line, so while any is to be updated it is, and only waits. Its turn is void where the goal
  // has become one that it may not be taken to.
  const waitsForUpdate = (pod: Pod): boolean =>
    goal !== undefined &&
    isDrained(pod) &&
    way.isWaiting(view.hashOf(pod)) &&
    obstacle(input, pod, goal) === undefined;
  for (const pod of unsettled) {
    if (busy.has(pod.metadata.name)) continue;
    const labels = pod.metadata.labels ?? {};
    const base = { do: 'patch', kind: 'Pod', name: pod.metadata.name } as const;
    const passes =
      isPassing(labels[LIFECYCLE_LABEL], !marked(pod)) &&
      Boolean(pod.spec.nodeName) &&
      isInPlaceUpdateComplete(pod, now);
    const later = putOff(pod, now);
    const ready = needsReadyGate(pod, now) && !waitsForUpdate(pod) ? openGate(now) : undefined;
    const gates = [ready, kruiseReadyCondition(pod, now)].filter((gate) => gate !== undefined);
    if (later?.do === 'patch') {
      actions.push({ ...base, verb: later.verb, body: later.body, because: later.because });
    } else if (gates.length > 0 && pod.spec.nodeName) {
      const because = isDrained(pod) ? 'its update in place is complete' : 'nothing keeps it from traffic';
      actions.push({
        ...base,
        verb: 'open readiness gate',
        subresource: 'status',
        body: conditionsPatch(pod, gates),
        because: ready === undefined ? `nothing keeps ${KRUISE_POD_READY} shut` : because,
        ...(passes ? { next: toNormal(pod, now) } : {}),
      });
    } else if (passes) {
      actions.push(toNormal(pod, now));
    } else if (labels[SHORT_HASH_LABEL] === undefined) {
      const revision = revisionOf(view, view.hashOf(pod));
      if (revision === undefined) continue;
      const metadata = { labels: { [SHORT_HASH_LABEL]: revision.shortHash } };
      actions.push({
        ...base,
        verb: 'label',
        body: guarded(pod, { metadata }),
        because: `lacks ${SHORT_HASH_LABEL}`,
      });
    }
  }
  return actions;
}

function toNormal(pod: Pod, now: number): PatchAction {
  const metadata = {
    labels: { [LIFECYCLE_LABEL]: 'Normal' },
    annotations: { [LIFECYCLE_TIME_ANNOTATION]: timestamp(now) },
  };
  return {
    do: 'patch',
    kind: 'Pod',
    name: pod.metadata.name,
    verb: 'set lifecycle Normal',
    body: guarded(pod, { metadata }),
    because: 'nothing holds it back',
  };
}
