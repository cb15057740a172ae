import type { UpdateStep } from '../../schemas/generated/types/rolloutplan.ts';
import { mostDisruptive } from '../template/mode.ts';
import { planOnward } from './envelope-input.ts';
import type { EnvelopeInput, RolloutView, UnitRules } from './rollout-view.ts';
import type { Envelope } from './envelope.ts';
import { type Blocked, stopsUpdates } from './blocked.ts';
import {
  boundAt,
  boundNow,
  type BoundState,
  isLoosened,
  leftOnTheWayBack,
  type LeftUnits,
  wayBack,
} from './bound-state.ts';
import type { Accepted } from './memory.ts';
import { openedTo } from './new-pods.ts';
import { isSameSelector } from '../values/selector.ts';
import { frozenAt, podsAt } from './pods-at.ts';
import { stepVerb } from './step.ts';
import { SYNC_MS } from './sync-order.ts';
import { columnOf } from './table.ts';
import { growthOf } from './units.ts';
import { widestWindow, windowOf } from './window.ts';

/**
 * The envelope of a phase (docs/explanation/rollout.md). `settlesAt`: when an envelope that only waits for a plan object to
 * arrive allows an unplanned rollout, milliseconds since 1970.
 */
export function envelopeOf(input: EnvelopeInput): { envelope: Envelope; settlesAt?: number } {
  const { envelope, ...rest } = ofRevisions(input);
  const ofUnits = input.view.rules(input.accepted?.spec).envelope(input, envelope);
  return { envelope: opened(input, { ...envelope, ...ofUnits }), ...rest };
}

/** The envelope of a plan that lets further pods of others in with its last step. One to the stable revision does so at its end. */
function opened({ view, accepted, blocked }: EnvelopeInput, envelope: Envelope): Envelope {
  const { hash, bound } = accepted?.spec.to ?? {};
  const isOnward = envelope.keepsNewPods === true && envelope.newPods === 100 && envelope.goal === hash;
  if (accepted === undefined || !isOnward || hash === view.stable || bound?.selection === undefined)
    return envelope;
  return isForAll(openedTo(view, accepted, blocked)) ? { ...envelope, selection: bound.selection } : envelope;
}

/** Whether a step leads to every unit. */
function isForAll(update: UpdateStep | undefined): boolean {
  return update?.to === '100%' && update.nodes === undefined && update.subsets === undefined;
}

/** The envelope as for pods on revisions. */
function ofRevisions(input: EnvelopeInput): { envelope: Envelope; settlesAt?: number } {
  const { view, accepted, blocked, policy, plans, pending, now } = input;
  const bound = boundNow(accepted, view);
  if (blocked?.fact === 'targetUnsupported')
    return { envelope: { ...keepStable(view, bound), touch: false } };
  if (blocked?.fact === 'breakGlass')
    return { envelope: { ...unplanned(view), expires: true, reason: blocked.message } };
  const column = columnOf(accepted?.progress.phase);
  const goal = accepted?.progress.goal;
  if (accepted !== undefined && (column === 'Reverting' || (column === 'Aborted' && goal !== undefined))) {
    // Aborted during a revert, or before the plan started: pods stay as they are, and no new one is created on `to`.
    const isFrozen = blocked !== undefined || column === 'Aborted';
    return { envelope: revert(input, accepted, goal ?? view.stable, !isFrozen) };
  }
  const onward = planOnward(input);
  if (onward !== undefined) return { envelope: forward(view, onward, blocked) };
  if (policy === 'Auto' && ![blocked, ...pending.values()].some(blocksAuto)) {
    // A verdict applies in Auto, too: a change that failed under a plan is not rolled out without one.
    const hasVerdict = input.verdict !== undefined;
    // The plan object of a changed template or bound may arrive in the same sync.
    const settlesAt = plans.length > 0 ? changedAt(view, bound) + SYNC_MS : now;
    if (!hasVerdict && settlesAt <= now)
      return { envelope: { ...unplanned(view), ...selectorInAuto(view, bound) } };
    if (!hasVerdict) return { envelope: keepStable(view, bound), settlesAt };
  }
  const isPlanned = column === 'Succeeded' && accepted !== undefined && coversGrowth(accepted, view);
  return { envelope: { ...keepStable(view, bound), ...(isPlanned && { growsClaims: true }) } };
}

/** When git has changed what a plan was made for, milliseconds since 1970: the template, or the bound alone; 0: neither. */
function changedAt(view: RolloutView, bound: BoundState): number {
  if (view.stable !== view.liveHash) return view.liveSince;
  return isLoosened(bound, view) ? (view.boundSince ?? 0) : 0;
}

/** In Auto, too, new units that the selector does not select stay as after the plan, while the manifest is that of the plan. */
function selectorInAuto(view: RolloutView, { stable, left }: BoundState): Pick<Envelope, 'selector'> {
  if (left.by !== 'selector' || stable !== view.liveHash) return {};
  return isSameSelector(view.selector, left.selector) ? { selector: left.selector } : {};
}

/** Whether the claims of the manifest grow to the sizes that the plan was made for. */
function coversGrowth({ spec: { to } }: Accepted, view: RolloutView): boolean {
  const growth = growthOf(view);
  return growth !== undefined && to.claims === growth.hash && to.hash === view.liveHash;
}

/**
 * Whether a block holds the target in Auto, too. A plan object that is present and refused does: a user wants the rollout to
 * follow it. One that leads to another revision than the manifest, or that does not supersede the active plan, does not.
 */
function blocksAuto(block: Blocked | undefined): boolean {
  return block !== undefined && block.fact !== 'manifestElsewhere' && block.fact !== 'newPlanNeither';
}

/**
 * Only lost and missing pods are created: on `stable`, or where an earlier bound retains them.
 *
 * Example: B is stable and git has C, with ten pods of which `partition: 4` has left four on A. Six may be on B. One that is lost on A is
 * created on A, and one on B on B.
 */
function keepStable(view: RolloutView, { stable, left, selection }: BoundState): Envelope {
  return {
    goal: stable,
    stable,
    ...retainedOf(view),
    ...allowedBeyond(view, left),
    ...(selection !== undefined && { selection }),
    // The partition is about the live revision. It does not apply where another revision is stable, and it retains no
    // pods on unexpected revisions.
    obeyPartition: view.stable === view.liveHash && !hasUnexpectedPods(view),
    touch: true,
    // Pods on unexpected revisions are updated to the revision that is both stable and in git; that skips no gate. Nor do
    // those that a selector selects later.
    moving:
      view.stable === view.liveHash &&
      (left.by === 'selector' || hasUnexpectedPods(view) || hasMoreThanRetained(view)),
    ...(left.by === 'partition' && { keepsNewPods: true }),
    mode: 'Recreate',
    reason: 'no step allows more than the stable revision',
  };
}

/** What is left bounds the others: by their labels, or by their number. */
function allowedBeyond({ replicas }: RolloutView, left: LeftUnits): Pick<Envelope, 'allowed' | 'selector'> {
  switch (left.by) {
    case 'nothing':
      return { allowed: 'unbounded' };
    case 'partition':
      return { allowed: Math.max(replicas - left.n, 0) };
    case 'selector':
      return { allowed: 'unbounded', selector: left.selector };
  }
}

/**
 * Whether pods are on an unexpected revision: neither on `stable` nor retained by a bound. What a plan lists does not matter
 * here (for that: unlisted-revisions.ts), as no plan is executed.
 */
function hasUnexpectedPods({ pods, stable, retained }: RolloutView): boolean {
  return pods.some((pod) => pod.hash !== stable && pod.hash !== retained?.hash);
}

/** Whether nodes that were not Ready at the end of a plan are back with pods of the retained revision, beyond what its bound retains. */
function hasMoreThanRetained({ units, pods, retained }: RolloutView): boolean {
  if (units.of !== 'nodes' || retained === undefined) return false;
  return pods.filter(({ hash }) => hash === retained.hash).length > retained.n;
}

/** Auto without a plan: the target's own strategy applies, as with OpenKruise. */
function unplanned(view: RolloutView): Envelope {
  return {
    goal: view.liveHash,
    stable: view.stable,
    ...retainedOf(view),
    allowed: 'unbounded',
    obeyPartition: true,
    touch: true,
    moving: true,
    newPods: 100,
    ownStrategy: true,
    growsClaims: true,
    mode: 'Recreate',
    reason: 'policy Auto without a plan: the target’s own strategy applies',
  };
}

/**
 * A step of a plan.
 *
 * Example: ten pods, and the step `50%` allows five on the new revision. Three are there when something blocks the plan: three are
 * allowed as long as it does.
 */
function forward(view: RolloutView, accepted: Accepted, blocked: Blocked | undefined): Envelope {
  const { spec, progress } = accepted;
  const step = spec.steps[progress.step];
  const updating = step !== undefined && stepVerb(step) === 'update' && progress.phase === 'Running';
  const rules = view.rules(spec);
  const most = rules.allowed(view, accepted, progress.step);
  const hasEnded = columnOf(progress.phase) !== 'active';
  const isProceeding = !stopsUpdates(blocked);
  const allowed = isProceeding && !hasEnded ? most : Math.min(most, frozenAt(view, accepted));
  // A gate updates no pods, except to replace updated ones that were lost meanwhile.
  const moving = isProceeding && (updating || isBelowStepSize(view, accepted, rules));
  return {
    goal: spec.to.hash,
    stable: view.stable,
    ...retainedOf(view),
    allowed,
    // That of subsets is in `within`.
    ...(spec.to.bound.partition === undefined ? {} : { bound: spec.to.bound.partition }),
    ...(spec.to.bound.selector === undefined ? {} : { selector: spec.to.bound.selector }),
    obeyPartition: true,
    touch: true,
    moving,
    keepsNewPods: true,
    ...(hasEnded && { hasEnded }),
    ...newPodsOf(view, accepted, blocked, allowed),
    ...(moving && coversGrowth(accepted, view) && { growsClaims: true }),
    window: windowOf(view, accepted),
    mode: mostDisruptive([...spec.from, ...(progress.inherited ?? [])].map((entry) => entry.mode)),
    reason: `step ${step?.id ?? ''} allows ${allowed} of ${progress.frozenN}`,
  };
}

/**
 * Where running pods change, new ones get the revision once a step leads to every unit. Where none does, new ones are all that a
 * step can count: they get the revision until as many as it allows have it.
 *
 * Example: with `OnDelete`, ten pods and the step `30%`, the first three that a user deletes come back with the revision, and the fourth
 * without it. With `100%` each does.
 */
function newPodsOf(
  view: RolloutView,
  accepted: Accepted,
  blocked: Blocked | undefined,
  allowed: number,
): Pick<Envelope, 'newPods'> {
  const update = openedTo(view, accepted, blocked);
  if (update === undefined) return {};
  const isAwaited = view.onDelete && podsAt(view, accepted.spec.to.hash).length < allowed;
  return isAwaited || isForAll(update) ? { newPods: 100 } : {};
}

/** In a gate: fewer pods are on `to` than the update step before it wants there. */
function isBelowStepSize(view: RolloutView, accepted: Accepted, rules: UnitRules): boolean {
  const { progress, spec } = accepted;
  if (columnOf(progress.phase) !== 'active') return false;
  return podsAt(view, spec.to.hash).length < rules.wanted(view, accepted, progress.step);
}

/** A revert: without gates, in the widest window of the plan, and without partition. */
function revert({ view, plans }: EnvelopeInput, accepted: Accepted, goal: string, moving: boolean): Envelope {
  const { left } = boundAt(accepted, view, goal);
  return {
    goal,
    stable: goal,
    ...retainedBack(view, accepted, goal, left),
    ...allowedBeyond(view, left),
    obeyPartition: false,
    touch: true,
    moving,
    newPods: 100,
    back: wayBack(view, accepted, goal),
    window: widestWindow(view, accepted, goal, plans),
    mode: 'Recreate',
    reason: `${moving ? 'goes back' : 'stays'}: ${accepted.progress.message ?? ''}`,
  };
}

/** What a way back leaves where it is. By number, those on record; by labels, those that it does not take. */
function retainedBack(
  view: RolloutView,
  accepted: Accepted,
  goal: string,
  left: LeftUnits,
): Pick<Envelope, 'retained'> {
  switch (left.by) {
    case 'nothing':
      return {};
    case 'partition':
      return { retained: { hash: left.hash, n: left.n } };
    case 'selector': {
      const retained = leftOnTheWayBack(view, accepted, goal);
      return retained === undefined ? {} : { retained };
    }
  }
}

function retainedOf(view: RolloutView): Pick<Envelope, 'retained'> {
  return view.retained === undefined ? {} : { retained: view.retained };
}
