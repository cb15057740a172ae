import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import type { Accepted, Listed } from './memory.ts';

/** Revisions remembered beyond a plan's own five: enough for a long row of fixes on top of one another. */
const MOST_INHERITED = 20;

/** One of the two was planned on top of the other: they belong to one reviewed history, in either direction. */
export function areRelated(plan: RolloutPlanSpec, other: RolloutPlanSpec): boolean {
  return (
    (plan.supersedes?.includes(other.digest) ?? false) || (other.supersedes?.includes(plan.digest) ?? false)
  );
}

/**
 * What a plan may start from beyond its own `from`, because the plan it takes the place of was accepted from there: that
 * one's list, and where it leads. Without this a sixth fix on top of five others would no longer know the revision that
 * most pods are on, and going back to an earlier plan of the same history would find pods it never heard of.
 *
 * Where the other leads may be left by as much as was accepted for the way there.
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
 * Whether the manifest may take the target back to a revision without a plan of its own: to what was stable when the plan
 * in force was accepted, and to entries of its `from` that pods may do more than depart from and that the target was
 * complete on (plan, section 6).
 *
 * @param complete the revisions that the target was complete on
 */
export function mayReturnTo(
  { spec, progress }: Pick<Accepted, 'spec' | 'progress'>,
  hash: string,
  complete: ReadonlySet<string>,
): boolean {
  if (hash === spec.to.hash || spec.irreversible !== undefined) return false;
  if (hash === progress.stable) return true;
  return complete.has(hash) && spec.from.some((entry) => entry.hash === hash && entry.depart !== true);
}
