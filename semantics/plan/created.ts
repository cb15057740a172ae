import type { RolloutPlanSpec, Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { PLAN_FORMAT, PLAN_SEMANTICS, planDigest } from './digest.ts';
import type { AdvanceInput } from './advance-input.ts';
import type { PlanObject } from './plan-object.ts';
import type { RolloutView } from './rollout-view.ts';

/** The plan of a target that was created with these steps: it has no plan object, and only one target ever has this digest. */
export function planOfCreated(target: KubeObject, hash: string, steps: readonly Step[]): RolloutPlanSpec {
  const { apiVersion, kind, metadata } = target;
  const spec = {
    format: PLAN_FORMAT,
    semantics: PLAN_SEMANTICS,
    target: { apiVersion, kind, name: metadata.name },
    to: { hash, bound: {} },
    from: [],
    steps: [...steps],
  };
  return { ...spec, digest: planDigest(spec) };
}

/**
 * Plans and policy of a target that another one has created: it was allowed by the plan of that one, so it needs none, and has
 * the plan that it was created with. Plan objects apply as usual.
 */
export function sideOfCreated(
  { origin, kind, name }: RolloutView,
  { plans, policy }: Pick<AdvanceInput, 'plans' | 'policy'>,
): Pick<AdvanceInput, 'plans' | 'policy'> {
  if (origin.by !== 'target') return { plans, policy };
  const { plan: spec } = origin;
  if (spec === undefined) return { plans, policy: 'Auto' };
  const plan: PlanObject = {
    name: `${kind} ${name}`,
    uid: spec.digest,
    spec,
    since: 0,
    wasStale: false,
    refused: undefined,
  };
  return { plans: [plan, ...plans], policy: 'Required' };
}
