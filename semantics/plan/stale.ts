import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import { growthElsewhere } from './growth-facts.ts';
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

/**
 * Milliseconds that a plan waits for its manifest, or its target, before it is reported as stalled: one sync brings both, and an
 * engine tries again within a few minutes.
 */
export const OVERDUE_MS = 10 * 60_000;

/**
 * From when on a plan object that was never accepted, and whose manifest has not come, is reported as stalled, milliseconds since
 * 1970. It stays Pending, and begins when the manifest comes. Undefined: it does not wait for that.
 *
 * Example: the plan from `web:1` to `web:2` is synced at 12:00, and the manifest stays at `web:1`. A sync that waits for health fails
 * at 12:10, and not at its own timeout.
 */
export function overdueAt(plan: PlanObject, view: RolloutView): number | undefined {
  const isWaiting = plan.refused === undefined && !isForManifest(view, plan.spec);
  return isWaiting && staleAt(plan, view) === undefined ? plan.since + OVERDUE_MS : undefined;
}

/** Whether the manifest is where a plan leads to. */
export function isForManifest(view: RolloutView, spec: RolloutPlanSpec): boolean {
  return spec.to.hash === view.liveHash && growthElsewhere(view, spec, false) === undefined;
}
