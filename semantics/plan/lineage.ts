import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import type { Accepted, Listed } from './memory.ts';

/** Inherited revisions at most, beyond a plan's own `from`: enough for a long row of fixes on top of one another. */
const MOST_INHERITED = 20;

/** Whether one of the two plans was made on top of the other, in either direction: both are of one reviewed history. */
export function areRelated(plan: RolloutPlanSpec, other: RolloutPlanSpec): boolean {
  return (
    (plan.supersedes?.includes(other.digest) ?? false) || (other.supersedes?.includes(plan.digest) ?? false)
  );
}

/**
 * The revisions that a plan may start from beyond its own `from`: those of the plan that it replaces, and the revision that
 * plan leads to. Otherwise a sixth fix on top of five others would not list the revision that most pods are on, and neither
 * would an earlier plan of the same history after a revert.
 *
 * The mode away from the other plan's revision is the one that was accepted for the way there.
 */
export function inheritedFrom(plan: RolloutPlanSpec, other: Accepted | undefined): Listed[] {
  if (other === undefined || !areRelated(plan, other.spec)) return [];
  const back = other.spec.from.find((entry) => entry.hash === plan.to.hash)?.mode ?? 'Recreate';
  const known = new Set([plan.to.hash, ...plan.from.map((entry) => entry.hash)]);
  const inherited: Listed[] = [];
  for (const { hash, mode } of [
    { hash: other.spec.to.hash, mode: back },
    ...other.spec.from,
    ...(other.progress.inherited ?? []),
  ]) {
    if (known.has(hash)) continue;
    known.add(hash);
    inherited.push({ hash, mode });
  }
  return inherited.slice(0, MOST_INHERITED);
}

/**
 * Whether a change of the manifest may revert the target to a revision without a plan for that
 * (docs/explanation/going-back.md). It may go to the revision that was stable when the active plan was accepted, and to each
 * entry of its `from` without `depart` that the target was complete on.
 *
 * @param complete the revisions that the target was complete on at some time
 */
export function mayReturnTo(
  { spec, progress }: Pick<Accepted, 'spec' | 'progress'>,
  hash: string,
  complete: ReadonlySet<string>,
): boolean {
  if (hash === spec.to.hash || spec.irreversible !== undefined) return false;
  if (hash === progress.before?.stable) return true;
  return complete.has(hash) && spec.from.some((entry) => entry.hash === hash && entry.depart !== true);
}
