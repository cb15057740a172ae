import type { Advance } from './advance.ts';
import { baselineOf } from './baseline.ts';
import type { Accepted } from './memory.ts';
import type { PodRow } from './pod-row.ts';
import type { RolloutView } from './rollout-view.ts';
import { stepVerb } from './step.ts';

/**
 * The result for a rollout of which no pod may become unavailable now, as objects of other kinds have no slot left. Where nothing of
 * an update step is on its way its clocks stand: time proves nothing about the change then. While something is, they run, as that may
 * be what uses up the slots.
 *
 * Example: a budget lets one pod be unavailable, and a drain has taken that one: the clocks stand until it is back. The first pod that
 * is updated gets never ready, and uses up the budget: the step fails as it does without one.
 *
 * @param limit why, as a clause
 */
export function whileLimited(view: RolloutView, result: Advance, limit: string): Advance {
  const { accepted, progressClock } = result;
  const step = accepted?.spec.steps[accepted.progress.step];
  if (accepted === undefined || step === undefined || progressClock?.counting !== 'step') return result;
  if (stepVerb(step) !== 'update' || isOnItsWay(view, accepted)) return result;
  return {
    ...result,
    waitingOn: `${result.waitingOn} (${limit})`,
    doneAt: undefined,
    failsAt: undefined,
    progressClock: { ...progressClock, counting: undefined },
  };
}

/** Whether a pod of the step is missing, being updated, or updated and not available, of which the change may be the cause. */
function isOnItsWay(view: RolloutView, { spec, progress }: Accepted): boolean {
  const { wasBroken } = baselineOf(progress);
  const isOut = view.rules(spec).isLeftOut(view, progress);
  const isBegun = ({ hash, beingUpdated, hook }: PodRow): boolean =>
    hash === spec.to.hash || beingUpdated === true || hook !== undefined;
  return (
    isMissing(view, isOut) ||
    view.pods.some(
      (pod) =>
        !pod.available && pod.foreignCause !== true && isBegun(pod) && !wasBroken(pod) && !isOut(pod.unit),
    )
  );
}

/**
 * Whether a pod is missing, but for those of nodes that a step does not wait for.
 *
 * @param isOut a test of names of such nodes
 */
function isMissing({ pods, replicas, units }: RolloutView, isOut: (name: string) => boolean): boolean {
  if (units.of !== 'nodes') return pods.length < replicas;
  const there = new Set(pods.map(({ unit }) => unit));
  return [...units.nodes.keys()].some((name) => !there.has(name) && !isOut(name));
}
