import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import { inheritedFrom } from './lineage.ts';
import { type Listed, retainedRecords } from './memory.ts';
import type { PlanObject } from './plan-object.ts';
import type { Situation } from './situation.ts';
import { nextStable, unlistedPodsMessage, unlistedStableMessage } from './unlisted-revisions.ts';
import { verdictOn } from './verdict.ts';

/** The revisions that pods may be on when this plan starts or continues: its own `from`, and those it inherits. */
export function listedRevisions(s: Situation, spec: RolloutPlanSpec): Listed[] {
  const own = s.accepted?.spec.digest === spec.digest;
  const more = own ? (s.accepted?.progress.inherited ?? []) : inheritedFrom(spec, s.accepted ?? s.before);
  return [...spec.from, ...more];
}

/**
 * Why a plan cannot be accepted now, as a sentence: pods, or `stable`, are on a revision that it does not list. A run starts
 * from no revision.
 */
export function unlistedMessage(s: Situation, spec: RolloutPlanSpec): string | undefined {
  if (!s.view.rules().hasStable) return undefined;
  const known = listedRevisions(s, spec);
  return unlistedPodsMessage(s.view, spec, known) ?? unlistedStableMessage(s.view, spec, known);
}

/** The revision that must become stable before the plan is accepted; undefined: none is needed, or none qualifies. */
export function nextStableFor({ memory, view, ...s }: Situation, spec: RolloutPlanSpec): string | undefined {
  if (!view.rules().hasStable) return undefined;
  const known = listedRevisions({ memory, view, ...s }, spec);
  if (
    unlistedPodsMessage(view, spec, known) !== undefined ||
    unlistedStableMessage(view, spec, known) === undefined
  )
    return undefined;
  const next = nextStable(view, retainedRecords(memory, s.accepted ?? s.before));
  return next === spec.to.hash || known.some(({ hash }) => hash === next) ? next : undefined;
}

/** Why a plan may not start: a verdict on the same change still applies. */
export function standingVerdict({ memory, view, ...s }: Situation, plan: PlanObject): string | undefined {
  return verdictOn(retainedRecords(memory, s.accepted ?? s.before), view, plan.spec.to, plan.spec);
}
