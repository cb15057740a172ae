import type { RolloutPlan, RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import type { Budget } from '../load/budget.ts';
import { readPlan, targetId } from './read-plans.ts';

/** What a plan knows of the plans before it: where they led to, and their digests. Newest first. */
export interface PlanHistory {
  hashes: readonly string[];
  digests: readonly string[];
}

export const NO_HISTORY: PlanHistory = { hashes: [], digests: [] };

/** More versions than this add nothing: a plan lists ten digests. */
export const MOST_VERSIONS = 20;

/**
 * What earlier versions of a target's plan file say. Versions that are no valid plan of this target are passed over: what is
 * wrong with them cannot be mended any more.
 *
 * @param texts newest first
 */
export function earlierPlans(id: string, texts: readonly string[], budget: Budget): PlanHistory {
  const plans = texts.slice(0, MOST_VERSIONS).flatMap((text) => {
    const { plan } = readPlan({ file: 'plan.yaml', text }, budget);
    return plan !== undefined && targetId(plan) === id ? [plan] : [];
  });
  return { hashes: plans.map(({ spec }) => spec.to.hash), digests: plans.map(({ spec }) => spec.digest) };
}

/**
 * Whether a committed plan is the planned one, but for what the history of the base adds: it may name more revisions to depart
 * from and more superseded plans, because it was made in a clone with more history.
 */
export function addsHistoryAlone(
  { spec: committed }: RolloutPlan,
  { spec: planned }: RolloutPlan,
  atBase: RolloutPlan | undefined,
): boolean {
  const departs = new Set(committed.from.map(({ hash }) => hash));
  const digests = new Set(committed.supersedes);
  return (
    planned.from.every(({ hash }) => departs.has(hash)) &&
    (planned.supersedes ?? []).every((digest) => digests.has(digest)) &&
    withoutHistory(committed, atBase) === withoutHistory(planned, atBase)
  );
}

/** What of a plan follows from the two states alone, as text. */
function withoutHistory(spec: RolloutPlanSpec, atBase: RolloutPlan | undefined): string {
  const from = spec.from.filter(({ depart }) => depart !== true);
  return JSON.stringify({ ...spec, from, supersedes: atBase && spec.supersedes?.[0], digest: undefined });
}

/**
 * Whether a committed plan was made against a newer base: the plan at this base is among the older ones that it supersedes.
 * Planned against this base, the rollout would start from a state that is past.
 */
export function knowsNewerBase(
  { spec }: RolloutPlan,
  atBase: RolloutPlan | undefined,
  { digests }: PlanHistory = NO_HISTORY,
): boolean {
  const [newest, ...older] = spec.supersedes ?? [];
  if (newest === undefined || newest === atBase?.spec.digest || digests.includes(newest)) return false;
  return atBase === undefined || older.includes(atBase.spec.digest);
}
