import type { StepRule } from '../../schemas/generated/types/config.ts';
import type { RolloutPlanSpec, Step } from '../../schemas/generated/types/rolloutplan.ts';
import { fieldsOf, type LimitField, type Limits, lowerOf } from '../../semantics/limits/window.ts';
import { canonicalJson } from '../../semantics/values/canonical-json.ts';
import type { Change } from './change.ts';
import { isFor } from './committed-plan.ts';
import type { PlanHistory } from './earlier-plans.ts';
import { supersededDigests } from './from.ts';
import { type UnmatchedStep, withLimits, withNewLimits } from './limits.ts';
import { numbersOfUnits } from './numbers-of-units.ts';
import type { Target } from './target.ts';
import { windowIn } from './window-problems.ts';

/**
 * The plan at base with the limits that kruise.yaml and the manifest give now, and nothing derived anew: the runtime goes on at
 * the same step, with the same baseline, clocks and verdict (plan section 3).
 *
 * @returns `unmatched`: the steps whose limits nothing says any more
 */
export function continuationOf(
  atBase: RolloutPlanSpec,
  rule: StepRule | undefined,
  head: Target,
  history: PlanHistory,
): { content: Omit<RolloutPlanSpec, 'digest'>; unmatched: readonly UnmatchedStep[] } {
  const { digest: _digest, supersedes: _before, format, semantics, target, to, from, ...rest } = atBase;
  const supersedes = supersededDigests(atBase, history);
  const { steps, unmatched } = withNewLimits(atBase.steps, rule, head);
  return { content: { format, semantics, target, to, from, supersedes, ...rest, steps }, unmatched };
}

export const NO_PLAN = 'no plan at base is for it';

/** Why a plan cannot be continued; undefined: it can. `isNamed`: also if it states no limits, as older versions wrote it. */
export function uncontinued(
  { base, head }: Pick<Change, 'base' | 'head'>,
  atBase: RolloutPlanSpec | undefined,
  rule: StepRule | undefined,
  isNamed: boolean,
): string | undefined {
  if (head === undefined) return 'its manifest is removed';
  if (base === undefined) return 'its manifest is new, and a first rollout needs no plan';
  if (atBase === undefined) return NO_PLAN;
  if (!isFor({ spec: atBase }, head)) return 'the plan at base leads to another template or bound';
  const before = isNamed ? atBase.steps : withLimits(atBase.steps, base);
  const { steps, unmatched } = withNewLimits(atBase.steps, rule, head);
  if (canonicalJson(before) !== canonicalJson(steps)) return undefined;
  const sizes = unmatched.map(({ size }) => size).join(', ');
  return unmatched.length > 0
    ? `no batch of kruise.yaml leads to ${sizes}, and nothing else changes the limits of its plan at base`
    : 'the plan at base has the limits that kruise.yaml and its manifest give';
}

/**
 * How many units a plan at base that still runs changes at a time, as a phrase, where the change allows more: what a plan states
 * holds until it ends or is continued. Undefined: the change allows no more, or the plan is for another manifest.
 */
export function runningLimits(
  change: Change,
  atBase: RolloutPlanSpec | undefined,
  rule: StepRule | undefined,
): string | undefined {
  const { base, head } = change;
  if (base === undefined || head === undefined || atBase === undefined) return undefined;
  if (!isFor({ spec: atBase }, head)) return undefined;
  const { type, object } = head.manifest;
  const own = type.limits.windowFields(object);
  const numbers = numbersOfUnits(change, undefined);
  const { steps: next } = withNewLimits(atBase.steps, rule, head);
  for (const [index, step] of withLimits(atBase.steps, base).entries())
    for (const units of numbers) {
      const at = (each: Step | undefined): Limits => lowerOf(type.limits, own, windowIn(each), units);
      const [before, after] = [at(step), at(next[index])];
      if (fieldsOf(after).some((field) => (after[field]?.count ?? 0) > (before[field]?.count ?? 0)))
        return limitsText(before, numbers.length === 1);
    }
  return undefined;
}

/** `1 at a time`; `1 unavailable and 2 extra at a time`; `10% at a time`, of what is not counted. */
function limitsText({ maxUnavailable, maxSurge, parallelism }: Limits, isCounted: boolean): string {
  const text = (limit: Limits[LimitField]): string =>
    (isCounted ? undefined : limit?.percent?.percent) ?? String(limit?.count ?? 0);
  const [down, extra] = [text(maxUnavailable), text(maxSurge)];
  if (parallelism !== undefined) return `${text(parallelism)} at a time`;
  if (extra === '0') return `${down} at a time`;
  return down === '0' ? `${extra} extra at a time` : `${down} unavailable and ${extra} extra at a time`;
}
