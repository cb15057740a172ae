import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import type { Accepted, Listed } from './memory.ts';
import type { RolloutView } from './rollout-view.ts';
import { verdictOn } from './verdict.ts';

/**
 * Why pods keep a plan from starting or going on: some are on a revision that is neither its `to` nor listed.
 *
 * @param listed what the plan may start from: its own list, and what it inherits
 * @returns a sentence; undefined where there is no such pod
 */
export function podsAtUnexpectedRevision(
  view: RolloutView,
  spec: RolloutPlanSpec,
  listed: readonly Listed[],
): string | undefined {
  // Nothing is done to them: they stay where they are until somebody deletes them.
  if (view.onDelete) return undefined;
  const known = new Set([spec.to.hash, ...listed.map((entry) => entry.hash)]);
  const unexpected = view.pods.filter(({ hash }) => hash === undefined || !known.has(hash));
  const [pod] = unexpected;
  if (pod === undefined) return undefined;
  if (unexpected.some(({ hash }) => hash === view.stable)) return behind(view, spec, 'the pods are on');
  const where = pod.hash === undefined ? 'a revision without an object' : view.nameOf(pod.hash);
  const who =
    unexpected.length === 1
      ? `pod ${pod.name} is`
      : `${unexpected.length} pods are not on a revision that the plan starts from: ${pod.name} is`;
  const which = unexpected.length === 1 ? ', which the plan does not start from' : '';
  return `${who} on ${where}${which}; revert it, or plan from what runs`;
}

/** Why `stable` keeps a plan from being accepted; undefined where it is listed or is its `to`. */
export function unexpectedStableRevision(
  view: RolloutView,
  spec: RolloutPlanSpec,
  listed: readonly Listed[],
): string | undefined {
  const known = view.stable === spec.to.hash || listed.some((entry) => entry.hash === view.stable);
  return known ? undefined : behind(view, spec, 'the target was last complete on');
}

/** The plan was made against a base that is not what the cluster has come to. */
function behind(view: RolloutView, { from, to }: RolloutPlanSpec, where: string): string {
  const [start, stable] = [from[0]?.hash ?? to.hash, view.stable].map((hash) => view.nameOf(hash));
  return `the plan starts from ${start}; ${where} ${stable}; plan again against the current base; if git never had ${stable}, commit that first`;
}

/**
 * The revision that becomes stable before a plan is accepted whose list lacks the present one: the one with most available
 * pods, where no pod is on the present one, and no verdict stands against the other.
 */
export function nextStable(view: RolloutView, memory: readonly Accepted[]): string | undefined {
  const available = new Map<string, number>();
  for (const pod of view.pods) {
    if (pod.hash === view.stable) return undefined;
    if (pod.hash !== undefined && pod.available) available.set(pod.hash, (available.get(pod.hash) ?? 0) + 1);
  }
  const [most] = [...available].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  if (most === undefined || verdictOn(memory, view, most[0]) !== undefined) return undefined;
  return most[0];
}
