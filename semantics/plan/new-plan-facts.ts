import { distinct } from './plan-object.ts';
import type { RolloutPlanSpec, Step, Wave } from '../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { canonicalJson } from '../values/canonical-json.ts';
import { tooManyBroken } from './baseline.ts';
import { growthElsewhere } from './growth-facts.ts';
import { areRelated } from './lineage.ts';
import type { Accepted } from './memory.ts';
import type { PlanObject } from './plan-object.ts';
import type { FactDetails, Situation } from './situation.ts';
import { isForManifest } from './stale.ts';
import { standingVerdict, unlistedMessage } from './start-conditions.ts';
import { columnOf, type FactName } from './table.ts';

type NewPlanFact = Extract<FactName, `newPlan${string}`>;

/** Facts about a plan object that is not the active plan, while there is one. */
export const newPlanFacts: Record<NewPlanFact, (s: Situation) => FactDetails | undefined> = {
  newPlanContinues: (s) => {
    const plan = newPlan(s);
    if (plan === undefined || s.accepted === undefined) return undefined;
    const { spec, progress } = s.accepted;
    const isSame = canonicalJson(plan.spec.to) === canonicalJson(spec.to) && s.view.liveHash === spec.to.hash;
    if (!isSame || (plan.spec.attempt ?? 1) !== (spec.attempt ?? 1)) return undefined;
    if (!areRelated(plan.spec, spec) || !sameUpTo(spec, plan.spec, progress.step)) return undefined;
    if (!areSame(spec.waves ?? [], plan.spec.waves ?? [])) return undefined;
    if (growthElsewhere(s.view, plan.spec, false) !== undefined) return undefined;
    const column = columnOf(progress.phase);
    // What has gone back for git starts again; so does what is not complete any more.
    if (column === 'Reverted' && progress.cause === 'git') return undefined;
    if (column === 'Succeeded' && !s.view.rules(plan.spec).isComplete(s.view, plan.spec)) return undefined;
    if (column === 'active' && unlistedMessage(s, plan.spec) !== undefined) return undefined;
    return { message: `${plan.name} continues the same steps`, plan };
  },

  newPlanSameTo: (s) => {
    const plan = newPlan(s);
    if (plan === undefined || s.accepted === undefined) return undefined;
    const { spec, progress } = s.accepted;
    if (plan.spec.to.hash !== spec.to.hash || s.view.liveHash !== spec.to.hash) return undefined;
    if (growthElsewhere(s.view, plan.spec, false) !== undefined) return undefined;
    const active =
      progress.phase !== 'Succeeded' && progress.phase !== 'Reverted' && progress.phase !== 'Aborted';
    // Claims that grow to other sizes take the first steps again.
    if (active && plan.spec.to.claims !== spec.to.claims) return undefined;
    if (active && !areRelated(plan.spec, spec)) return undefined;
    if (active && !sameUpTo(spec, plan.spec, progress.step)) return undefined;
    if (standingVerdict(s, plan) !== undefined || unlistedMessage(s, plan.spec) !== undefined)
      return undefined;
    if (tooManyBroken(s.view, plan.spec.to.hash, s.accepted) !== undefined) return undefined;
    return { message: `${plan.name} continues the same change`, plan };
  },

  newPlanTakesOver: (s) => {
    const plan = newPlan(s);
    if (plan === undefined || s.accepted === undefined) return undefined;
    const { spec, progress } = s.accepted;
    // A plan that leads to the same revision, or starts from it, was made with knowledge of the change in progress,
    // though not of its plan. It starts at its own step 1 and skips none of its gates.
    const knows = [plan.spec.to, ...plan.spec.from].some((entry) => entry.hash === spec.to.hash);
    const related = knows || areRelated(plan.spec, spec);
    if (!related || s.view.liveHash !== plan.spec.to.hash) return undefined;
    if (growthElsewhere(s.view, plan.spec, false) !== undefined) return undefined;
    // The target reverts to that revision already, and a revert needs no gates. The plan is judged once it is done.
    if (progress.phase === 'Reverting' && plan.spec.to.hash === progress.goal) return undefined;
    // A revert after a failure is not reversed by a plan to the revision that failed.
    if (progress.phase === 'Reverting' && progress.cause !== 'git' && plan.spec.to.hash === spec.to.hash)
      return undefined;
    if (standingVerdict(s, plan) !== undefined || unlistedMessage(s, plan.spec) !== undefined)
      return undefined;
    if (tooManyBroken(s.view, plan.spec.to.hash, s.accepted) !== undefined) return undefined;
    return { message: `${plan.name} takes over`, plan };
  },

  newPlanNeither: (s) => {
    const plan = newPlan(s);
    if (plan === undefined || s.accepted === undefined) return undefined;
    const name = `${plan.name} (${plan.spec.digest.slice(0, 11)})`;
    const pendingFor = pendingReason(s, plan, s.accepted);
    return {
      message: `${name} ${standingVerdict(s, plan) ?? pendingMessage(s, plan, s.accepted)}`,
      plan,
      ...(pendingFor === undefined ? {} : { reason: pendingFor }),
    };
  },
};

/** The one plan object that is not the active plan. */
export function newPlan({ plans, accepted }: Situation): PlanObject | undefined {
  // Of two different plans, neither is the new one.
  if (distinct(plans).length > 1) return undefined;
  return plans.find((plan) => plan.refused === undefined && plan.spec.digest !== accepted?.spec.digest);
}

function pendingMessage(s: Situation, plan: PlanObject, accepted: Accepted): string {
  const { view } = s;
  if (accepted.progress.phase === 'Reverting') return 'waits until the target is reverted';
  if (!isForManifest(view, plan.spec)) return 'waits for its manifest';
  const unlisted = unlistedMessage(s, plan.spec);
  const broken = tooManyBroken(view, plan.spec.to.hash, accepted);
  if (areRelated(plan.spec, accepted.spec) && broken !== undefined) return `cannot take over: ${broken}`;
  if (areRelated(plan.spec, accepted.spec) && unlisted !== undefined) return `cannot take over: ${unlisted}`;
  return `does not supersede ${accepted.spec.digest.slice(0, 11)}, which is active. Plan it again on top of that one, or revert the manifest first`;
}

/** The reason for a new plan object that waits for something other than the active plan; undefined: the row's reason. */
function pendingReason({ view }: Situation, { spec }: PlanObject, accepted: Accepted): string | undefined {
  if (!isForManifest(view, spec)) return 'ManifestChanged';
  const isRelated = areRelated(spec, accepted.spec);
  return isRelated && tooManyBroken(view, spec.to.hash, accepted) !== undefined ? 'TooManyBroken' : undefined;
}

/** Whether the steps up to one are equal, but for their limits. */
function sameUpTo(a: RolloutPlanSpec, b: RolloutPlanSpec, step: number): boolean {
  return areSame(a.steps.slice(0, step + 1), b.steps.slice(0, step + 1));
}

/** Whether two lists of steps are equal, but for their limits. */
function areSame(a: readonly (Step | Wave)[], b: readonly (Step | Wave)[]): boolean {
  return canonicalJson(a.map(withoutLimits)) === canonicalJson(b.map(withoutLimits));
}

/** A step without what only says how many units change, or how many nodes pull, at a time. */
function withoutLimits({ run, ...more }: Step | Wave): JsonObject {
  const { update, pull, ...step }: Partial<Step> = more;
  const { window: _window, ...size } = update ?? {};
  const { parallelism: _pulling, ...pulled } = pull ?? {};
  const { parallelism: _parallelism, ...nodes } = run ?? {};
  return {
    ...step,
    ...(pull && { pull: pulled }),
    ...(update && { update: size }),
    ...(run && { run: nodes }),
  } as JsonObject;
}
