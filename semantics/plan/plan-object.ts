import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';

/** A plan object as found in the cluster, with the result of its verification. */
export interface PlanObject {
  name: string;
  uid: string;
  spec: RolloutPlanSpec;
  /** Since when the object has been observed with this spec, milliseconds since 1970. */
  since: number;
  /** Its status reports this spec as Stale. */
  wasStale: boolean;
  /** Why it is not executed; undefined: it is well formed, its digest is correct, and this runtime executes it. */
  refused: { reason: 'Unverified' | 'UnsupportedSemantics'; message: string } | undefined;
}

/** Plans of one digest are one plan. */
export function distinct(plans: readonly PlanObject[]): PlanObject[] {
  return plans.filter((plan, i) => plans.findIndex((p) => p.spec.digest === plan.spec.digest) === i);
}
