import type { UpdateStep } from '../../schemas/generated/types/rolloutplan.ts';
import { mostDisruptive } from '../template/mode.ts';
import { type IntOrPercent, scaleIntOrPercent } from '../values/int-or-percent.ts';
import type { Blocked } from './state.ts';
import type { Envelope } from './envelope.ts';
import type { Accepted } from './memory.ts';
import type { PlanObject, RolloutView } from './rollout-view.ts';
import { allowedAt, podsAt, wantedAt } from './sizes.ts';
import { stepVerb } from './step.ts';
import type { Policy } from './policy.ts';
import { columnOf } from './table.ts';

interface EnvelopeInput {
  view: RolloutView;
  accepted: Accepted | undefined;
  blocked: Blocked | undefined;
  /** Why plan objects that are present are not in force. */
  pending: ReadonlyMap<string, Blocked>;
  policy: Policy;
  /** What a verdict says of the live revision, if one stands. */
  verdict: string | undefined;
  plans: readonly PlanObject[];
  now: number;
}

/** In Auto a plan object may follow its manifest within a sync; so long a changed template waits for it. */
const SETTLE_MS = 10_000;

/**
 * The upper bound that a phase puts on the rules (plan, section 4). `settlesAt`: when an envelope that only waits for a
 * plan object to arrive opens by itself.
 */
export function envelopeOf(input: EnvelopeInput): { envelope: Envelope; settlesAt?: number } {
  const { view, accepted, blocked, policy, plans, pending, now } = input;
  if (blocked?.fact === 'targetUnsupported') return { envelope: { ...steady(view), touch: false } };
  if (blocked?.fact === 'breakGlass') return { envelope: { ...open(view), reason: blocked.message } };
  const column = columnOf(accepted?.progress.phase);
  const goal = accepted?.progress.goal;
  if (accepted !== undefined && (column === 'Reverting' || (column === 'Aborted' && goal !== undefined))) {
    // Aborted on the way back, or before it began: frozen, with nothing new made at `to`.
    const stays = blocked !== undefined || column === 'Aborted';
    return { envelope: back(view, accepted, goal ?? view.stable, !stays) };
  }
  if (accepted !== undefined && (column === 'active' || column === 'Halted' || column === 'Aborted')) {
    return { envelope: forward(view, accepted, blocked) };
  }
  if (policy === 'Auto' && ![blocked, ...pending.values()].some(isObstacle)) {
    // A verdict stands in Auto too: what failed under a plan is not taken up again without one.
    const stands = input.verdict !== undefined;
    const settlesAt = plans.length > 0 && view.stable !== view.liveHash ? view.liveSince + SETTLE_MS : now;
    if (!stands && settlesAt <= now) return { envelope: open(view) };
    if (!stands) return { envelope: steady(view), settlesAt };
  }
  return { envelope: steady(view) };
}

/**
 * A plan object that is present and refused holds the target in Auto too: somebody meant it to be obeyed. One that leads
 * elsewhere than the manifest, or that a newer plan has left behind, does not.
 */
function isObstacle(block: Blocked | undefined): boolean {
  return block !== undefined && block.fact !== 'manifestElsewhere' && block.fact !== 'newPlanNeither';
}

/** Nothing is allowed but to keep what is: pods at `stable`, those of a standing bound where they are. */
function steady(view: RolloutView): Envelope {
  return {
    goal: view.stable,
    stable: view.stable,
    ...retainedOf(view),
    allowed: view.retained === undefined ? 'unbounded' : Math.max(view.replicas - view.retained.n, 0),
    // A partition bounds the live revision; where another is stable it says nothing of how many are held behind that one.
    // Nor does it keep strays: what it keeps back is held.
    obeyPartition: view.stable === view.liveHash && !hasUnexpectedPods(view),
    touch: true,
    // Pods that strayed come back to where the target is and git says; no gate is skipped by that.
    moving: view.stable === view.liveHash && hasUnexpectedPods(view),
    mode: 'Recreate',
    reason: 'no step allows more than the stable revision',
  };
}

/** Some pods are neither where the target is complete nor where a bound holds them. */
function hasUnexpectedPods({ pods, stable, retained }: RolloutView): boolean {
  return pods.some((pod) => pod.hash !== stable && pod.hash !== retained?.hash);
}

/** Auto without a plan: the object's own fields govern, as with OpenKruise. */
function open(view: RolloutView): Envelope {
  return {
    goal: view.liveHash,
    stable: view.stable,
    ...retainedOf(view),
    allowed: 'unbounded',
    obeyPartition: true,
    touch: true,
    moving: true,
    ownStrategy: true,
    mode: 'Recreate',
    reason: 'policy Auto without a plan: the target’s own strategy applies',
  };
}

function forward(view: RolloutView, accepted: Accepted, blocked: Blocked | undefined): Envelope {
  const { spec, progress } = accepted;
  const step = spec.steps[progress.step];
  const updating = step !== undefined && stepVerb(step) === 'update' && progress.phase === 'Running';
  const window = spec.steps.slice(0, progress.step + 1).findLast((s) => s.update)?.update?.window;
  const goesOn = blocked === undefined || blocked.goesOn === true;
  const most = allowedAt(view, accepted, progress.step);
  // A stopped rollout never updates further pods: replacements never raise the updated count
  // above what was available or already exists.
  const frozen = Math.max(progress.best, podsAt(view, spec.to.hash).length);
  const isStopped = !goesOn || columnOf(progress.phase) !== 'active';
  const allowed = isStopped ? Math.min(most, frozen) : most;
  return {
    goal: spec.to.hash,
    stable: view.stable,
    ...retainedOf(view),
    allowed,
    ...(spec.to.bound.partition === undefined ? {} : { bound: spec.to.bound.partition }),
    obeyPartition: true,
    touch: true,
    // A gate takes no pod, but those that the step before it allowed and that went meanwhile.
    moving: goesOn && (updating || lacks(view, accepted)),
    ...(window === undefined ? {} : { window }),
    mode: mostDisruptive([...spec.from, ...(progress.inherited ?? [])].map((entry) => entry.mode)),
    reason: `step ${step?.id ?? ''} allows ${allowed} of ${progress.frozenN}`,
  };
}

/** In a gate: fewer pods are on `to` than the step before it was to bring there. */
function lacks(view: RolloutView, accepted: Accepted): boolean {
  const { progress, spec } = accepted;
  if (columnOf(progress.phase) !== 'active') return false;
  return podsAt(view, spec.to.hash).length < wantedAt(view, accepted, progress.step);
}

/** Going back: without gates, in the widest window the plan had, bounded by no partition. */
function back(view: RolloutView, accepted: Accepted, goal: string, moving: boolean): Envelope {
  const present = view.pods.filter((pod) => pod.hash === view.retained?.hash).length;
  // Those that were taken forward already come back to the goal, not to where they were held.
  const held =
    view.retained === undefined || view.retained.hash === goal || present === 0
      ? undefined
      : { hash: view.retained.hash, n: Math.min(view.retained.n, present) };
  const updates = accepted.spec.steps.map((step) => step.update).filter((update) => update !== undefined);
  const maxUnavailable = widest(updates, 'maxUnavailable', view.replicas);
  const maxSurge = widest(updates, 'maxSurge', view.replicas);
  const window = {
    ...(maxUnavailable === undefined ? {} : { maxUnavailable }),
    ...(maxSurge === undefined ? {} : { maxSurge }),
  };
  return {
    goal,
    stable: goal,
    ...(held === undefined ? {} : { retained: held }),
    allowed: held === undefined ? 'unbounded' : Math.max(view.replicas - held.n, 0),
    obeyPartition: false,
    touch: true,
    moving,
    back: { broken: accepted.progress.baseline.unavailable },
    window,
    mode: 'Recreate',
    reason: `${moving ? 'goes back' : 'stays'}: ${accepted.progress.message ?? ''}`,
  };
}

/** The widest window of the plan's update steps; a step that names none leaves it to the target. */
function widest(
  updates: UpdateStep[],
  field: 'maxUnavailable' | 'maxSurge',
  replicas: number,
): IntOrPercent | undefined {
  let most: IntOrPercent | undefined;
  for (const update of updates) {
    const value = update.window?.[field];
    if (value === undefined) return undefined;
    if (
      most === undefined ||
      scaleIntOrPercent(value, replicas, 'up') > scaleIntOrPercent(most, replicas, 'up')
    )
      most = value;
  }
  return most;
}

function retainedOf(view: RolloutView): { retained?: { hash: string; n: number } } {
  return view.retained === undefined ? {} : { retained: view.retained };
}
