import type { PlanObject, RolloutView } from './rollout-view.ts';

/** A manifest and a plan that do not belong together may only be on their way; for longer, somebody has to look. */
export const STALE_MS = 2 * 60_000;

/**
 * When a plan object that was never accepted counts as Stale: the manifest is neither where it leads nor where it starts
 * (plan states, "live hash is neither"). Undefined: it does not.
 */
export function staleAt(plan: PlanObject, view: RolloutView): number | undefined {
  const { to, from } = plan.spec;
  if (plan.refused !== undefined || to.hash === view.liveHash) return undefined;
  if (from.some((entry) => entry.hash === view.liveHash)) return undefined;
  return plan.wasStale ? 0 : Math.max(view.liveSince, plan.since) + STALE_MS;
}
