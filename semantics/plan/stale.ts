import type { PlanObject } from './plan-object.ts';
import type { RolloutView } from './rollout-view.ts';

/** Milliseconds that a manifest and a plan may not match, as while a sync is in progress, before the plan is Stale. */
export const STALE_MS = 2 * 60_000;

/**
 * When a plan object that was never accepted becomes Stale, milliseconds since 1970: the manifest is neither at the plan's
 * `to` nor in its `from` (plan states, "live hash is neither"). Undefined: never.
 */
export function staleAt(plan: PlanObject, view: RolloutView): number | undefined {
  const { to, from } = plan.spec;
  if (plan.refused !== undefined || to.hash === view.liveHash) return undefined;
  if (from.some((entry) => entry.hash === view.liveHash)) return undefined;
  return plan.wasStale ? 0 : Math.max(view.liveSince, plan.since) + STALE_MS;
}
