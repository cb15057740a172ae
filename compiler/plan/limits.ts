import type { StepRule } from '../../schemas/generated/types/config.ts';
import { rolloutSize } from '../../semantics/kinds/git-units.ts';
import type { RolloutPlan, Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { Limit } from '../../semantics/limits/window.ts';
import type { IntOrPercent } from '../../semantics/values/int-or-percent.ts';
import { nodesWith } from '../../semantics/plan/step-nodes.ts';
import { subsetsText } from '../../semantics/plan/step-subsets.ts';
import { isSameSelector } from '../../semantics/values/selector.ts';
import { canonicalJson } from '../../semantics/values/canonical-json.ts';
import { addsHistoryAlone } from './earlier-plans.ts';
import { areOfSameSubsets } from './batch-subsets.ts';
import { nextSteps } from './pull-step.ts';
import type { Target } from './target.ts';

/** How many nodes pull images at a time where nothing says so, as the runtime reads it. */
const PULLS_AT_A_TIME = 1;

/**
 * The steps with every limit that the kind of the target reads and no other, field by field: that of the step, else that of the
 * manifest, after defaults and as written (plan section 4). So the "2 at a time" of a forecast is under the digest of its plan,
 * and a limit of the manifest that is loosened later widens no plan that was reviewed.
 */
export function withLimits(
  steps: readonly Step[],
  { manifest: { type, object } }: Pick<Target, 'manifest'>,
): Step[] {
  const { maxUnavailable, maxSurge, parallelism } = type.limits.windowFields(object);
  return steps.map((step): Step => {
    const { pull, update, run } = step;
    if (pull !== undefined)
      return { ...step, pull: { ...pull, parallelism: pull.parallelism ?? PULLS_AT_A_TIME } };
    if (update !== undefined && (maxUnavailable !== undefined || maxSurge !== undefined)) {
      const { window = {} } = update;
      const stated = {
        ...(maxUnavailable !== undefined && { maxUnavailable: window.maxUnavailable ?? maxUnavailable }),
        ...(maxSurge !== undefined && { maxSurge: window.maxSurge ?? maxSurge }),
      };
      return { ...step, update: { ...update, window: stated } };
    }
    if (run === undefined || parallelism === undefined) return step;
    const { spread, ...sizes } = run;
    return {
      ...step,
      run: { ...sizes, parallelism: run.parallelism ?? parallelism, ...(spread !== undefined && { spread }) },
    };
  });
}

/**
 * The steps of a plan for a change that goes back, each with this limit: a cluster that goes back by itself takes the widest of
 * them (plan section 6). What the manifest does not allow at all stays so.
 */
export function withReturnLimit(
  steps: readonly Step[],
  limit: IntOrPercent,
  { manifest: { type, object }, normal }: Target,
): Step[] {
  const { maxUnavailable, maxSurge } = type.limits.inUnits(
    type.limits.windowFields(object),
    rolloutSize(normal.units) ?? 0,
  );
  const isOpen = (own: Limit | undefined): boolean => own !== undefined && own.count > 0;
  const window = {
    ...(isOpen(maxUnavailable) && { maxUnavailable: limit }),
    ...(isOpen(maxSurge) && { maxSurge: limit }),
  };
  return steps.map((step) =>
    step.update === undefined ? step : { ...step, update: { ...step.update, window } },
  );
}

/** The steps without any limit. Two plans that differ in limits alone have the same. */
export function withoutLimits(steps: readonly Step[]): Step[] {
  return steps.map((step): Step => {
    const { pull, update, run } = step;
    if (pull !== undefined) return { ...step, pull: without(pull, 'parallelism') };
    if (update !== undefined) return { ...step, update: without(update, 'window') };
    return run === undefined ? step : { ...step, run: without(run, 'parallelism') };
  });
}

function without<T extends object, K extends keyof T>(value: T, key: K): Omit<T, K> {
  const { [key]: _, ...rest } = value;
  return rest;
}

/** A step that keeps its limits, as kruise.yaml has no batch of its size that says other ones. */
export interface UnmatchedStep {
  step: string;
  /** The size of the batch: `50%`. */
  size: string;
  /** `maxUnavailable 1 and maxSurge 0`. */
  limits: string;
}

/**
 * The steps of a plan with the limits that kruise.yaml and the manifest give them now; all else stays as it is. Batches have no
 * names: the batch of a step is the one of its size, so that one more before it gives it no limits of another. A step without a
 * batch keeps what it states: the limits of the manifest may be wider than those that its batch had.
 */
export function withNewLimits(
  steps: readonly Step[],
  rule: StepRule | undefined,
  target: Target,
): { steps: Step[]; unmatched: UnmatchedStep[] } {
  const now = nextSteps(rule, target.manifest.type);
  const stated = steps.map((step): Step => {
    const batch = now.find((each) => isOfBatch(step, each));
    if (batch === undefined && sizeOf(step) !== undefined) return step;
    const { pull, update, run } = batch ?? {};
    const [bare = step] = withoutLimits([step]);
    if (bare.pull !== undefined && pull?.parallelism !== undefined)
      return { ...bare, pull: { ...bare.pull, parallelism: pull.parallelism } };
    if (bare.update !== undefined && update?.window !== undefined)
      return { ...bare, update: { ...bare.update, window: update.window } };
    return bare.run !== undefined && run?.parallelism !== undefined
      ? { ...bare, run: { ...bare.run, parallelism: run.parallelism } }
      : bare;
  });
  const next = withLimits(stated, target);
  const ofManifest = withLimits(withoutLimits(steps), target);
  const unmatched = next.flatMap((step, index): UnmatchedStep[] => {
    const size = sizeOf(step);
    if (size === undefined || now.some((each) => isOfBatch(step, each))) return [];
    if (canonicalJson(step) === canonicalJson(ofManifest[index] ?? step)) return [];
    const { nodes, subsets } = step.update ?? {};
    const units = nodes === undefined ? subsets && subsetsText(subsets) : nodesWith(nodes);
    const of = units === undefined ? '' : ` of ${units}`;
    return [{ step: step.id, size: `${size}${of}`, limits: writtenLimits(step) }];
  });
  return { steps: next, unmatched };
}

/** Whether both steps are of one batch; a plan pulls images once. */
function isOfBatch(step: Step, other: Step): boolean {
  if (step.pull !== undefined) return other.pull !== undefined;
  const size = sizeOf(step);
  const isOfSize = size !== undefined && size === sizeOf(other);
  const isOfNodes = isSameSelector(step.update?.nodes, other.update?.nodes);
  return isOfSize && isOfNodes && areOfSameSubsets(step.update ?? {}, other.update ?? {});
}

function sizeOf({ update, run }: Step): IntOrPercent | undefined {
  return update?.to ?? run?.to;
}

function writtenLimits({ update, run }: Step): string {
  const limits = update?.window ?? { parallelism: run?.parallelism };
  return Object.entries(limits)
    .map(([field, limit]) => `${field} ${limit}`)
    .join(' and ');
}

/**
 * Whether a committed plan is the planned one, but for limits that it does not state, as older versions of kruise wrote it. Those
 * that kruise.yaml gives were always written.
 *
 * @param ofRule the planned steps with the limits of kruise.yaml alone; empty: none may be missing
 */
export function lacksLimitsAlone(
  committed: RolloutPlan,
  planned: RolloutPlan,
  ofRule: readonly Step[],
  atBase: RolloutPlan | undefined,
): boolean {
  const { steps } = planned.spec;
  if (ofRule.length !== steps.length) return false;
  const filled = committed.spec.steps.map((step, index) => filledFrom(step, steps[index], ofRule[index]));
  return (
    canonicalJson(filled) === canonicalJson(steps) &&
    addsHistoryAlone({ ...committed, spec: { ...committed.spec, steps } }, planned, atBase)
  );
}

/** A step with the limits of the planned one that it does not state, except for those of kruise.yaml. */
function filledFrom(step: Step, planned: Step | undefined, ofRule: Step | undefined): Step {
  if (step.pull !== undefined && ofRule?.pull?.parallelism === undefined)
    return { ...step, pull: { ...pick(planned?.pull, 'parallelism'), ...step.pull } };
  if (step.run !== undefined && ofRule?.run?.parallelism === undefined)
    return { ...step, run: { ...pick(planned?.run, 'parallelism'), ...step.run } };
  if (step.update === undefined || planned?.update?.window === undefined) return step;
  const own = { ...planned.update.window };
  for (const field of Object.keys(ofRule?.update?.window ?? {}) as (keyof typeof own)[]) delete own[field];
  return { ...step, update: { ...step.update, window: { ...own, ...step.update.window } } };
}

function pick<T extends object, K extends keyof T>(value: T | undefined, key: K): Partial<Pick<T, K>> {
  return value?.[key] === undefined ? {} : ({ [key]: value[key] } as Pick<T, K>);
}
