import type { RolloutPlan, RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import { mostDisruptive } from '../../semantics/template/mode.ts';
import type { GitField } from '../../semantics/kinds/git-side.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Locate } from '../validate/schema-errors.ts';
import { type BoundPart, loosenedBound, newBound } from './bound.ts';
import type { Change } from './change.ts';
import type { PlanHistory } from './earlier-plans.ts';
import { fieldPath, shownName } from './target.ts';
import type { Target } from './target.ts';
import { leastMode, policyText } from './update-policy.ts';

/**
 * Reports problems of a committed plan that this run does not replace: it leads to another template or bound than the
 * manifest, or allows less disruption than the update would cause. Git does not show which clusters have run it.
 *
 * @param base the target at base; undefined if there is only one state
 * @param path what to plan to get the target anew; undefined if its manifest is in no file
 */
export function committedPlanProblems(
  head: Target,
  base: Target | undefined,
  { spec }: RolloutPlan,
  locate: Locate,
  path: string | undefined,
): Diagnostic[] {
  const { kind, name } = head.manifest;
  const pathOf = (field: GitField): string[] => fieldPath(head, field);
  const target = `${kind} ${shownName(head.manifest)}`;
  const args = { target, again: `${kind}/${name}`, isCommitted: base !== undefined };
  if (!leadsTo(spec, head)) {
    // The manifest returns to a revision from which the plan starts, which needs no other plan.
    if (mayReturnTo(spec, head)) return [];
    const what = head.normal.units.of !== 'run' ? 'template' : 'run';
    return [diagnostic('KR3013', { ...args, what, path }, locate(pathOf('template'), 'key'))];
  }
  const what = loosenedBound(head.normal, spec.to.bound);
  if (what !== undefined) {
    const position = locate(pathOf(FIELDS[what]), 'value');
    return [diagnostic('KR3013', { ...args, what, path }, position)];
  }
  const least = leastMode(head.normal);
  const promised = spec.from.map(({ mode }) => mode).find((mode) => mostDisruptive([mode, least]) !== mode);
  // Reported by the commit that changes the policy, and not by every later one.
  if (promised === undefined || (base !== undefined && leastMode(base.normal) === least)) return [];
  const position = locate(pathOf('policy'), 'value');
  return [diagnostic('KR3012', { ...args, path, promised, reason: policyText(head) }, position)];
}

/** The field that holds each part of a bound. */
const FIELDS: Record<BoundPart, GitField> = {
  partition: 'partition',
  selector: 'boundSelector',
  selection: 'selector',
};

/** Whether the plan leads to the template of the manifest, whatever its partition. */
export function leadsTo({ to }: Pick<RolloutPlanSpec, 'to'>, { hash }: Target): boolean {
  return to.hash === hash;
}

/** Whether a plan leads to the manifest, its bound and the sizes of its claims included. */
export function isFor({ spec }: Pick<RolloutPlan, 'spec'>, head: Target): boolean {
  const isBound = newBound(spec.to.bound, head.normal) === undefined;
  return leadsTo(spec, head) && isBound && spec.to.claims === head.claims;
}

/** Whether the plan starts from the template of the manifest, so that its clusters may return there. */
export function mayReturnTo({ from }: Pick<RolloutPlanSpec, 'from'>, { hash }: Target): boolean {
  return from.some((entry) => entry.hash === hash && entry.depart !== true);
}

/**
 * Whether a plan at head supersedes the one at base for the manifest that both states have. It was created with `--again`
 * or with another base, and is left unchanged.
 */
export function isSuccessor(
  { spec }: RolloutPlan,
  { head }: Pick<Change, 'head'>,
  atBase: RolloutPlan,
): boolean {
  return (
    head !== undefined && isFor({ spec }, head) && spec.supersedes?.includes(atBase.spec.digest) === true
  );
}

/**
 * Whether a change goes back to a template from which the plan at base starts. A cluster that accepted that plan and was
 * complete on this template goes back by itself, whatever plan is present, or none (plan.md section 6). A run goes back if an
 * earlier version of its plan led to it: nothing begins again where it is over.
 */
export function goesBack(
  { base, head }: Change,
  atBase: RolloutPlan | undefined,
  { hashes }: Pick<PlanHistory, 'hashes'>,
): boolean {
  if (base === undefined || head === undefined || base.hash === head.hash) return false;
  if (head.normal.units.of === 'run') return hashes.includes(head.hash);
  if (atBase === undefined || !leadsTo(atBase.spec, base)) return false;
  return atBase.spec.irreversible === undefined && mayReturnTo(atBase.spec, head);
}
