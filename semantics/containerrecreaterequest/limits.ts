import type { ObservedObjects } from '../kinds/kind.ts';
import { lastingText, withinLimits } from '../limits/disruption.ts';
import { budgetSelector, limitOfBudget } from '../limits/disruption-budgets.ts';
import { isUndisturbed, limitOfController, limitOfOwner, type PodCounting } from '../limits/pod-owners.ts';
import { controllerOf } from '../owner.ts';
import type { Pod } from '../pod/types.ts';

/** Why a pod must not become unavailable now, as clauses. */
export interface Limited {
  /** With the pods that are unavailable. */
  reason: string;
  /** The limit alone, in words that stay while other requests end. Undefined: it is none. */
  limit?: string;
}

/**
 * Why the pod must not become unavailable now: the limit of its owner, as far as this runtime manages that, or of a
 * PodDisruptionBudget, or that another decision about it is on its way. Undefined: it may. A pod that is not available takes nothing.
 *
 * Of another controller without a budget, a quarter of the pods that are asked for may be unavailable, and at least one.
 */
export function limitOn(
  pod: Pod,
  {
    owners = [],
    named = [],
    disruptionBudgets = [],
    reserved = NONE,
    now,
  }: Pick<ObservedObjects, 'owners' | 'named' | 'disruptionBudgets' | 'reserved' | 'now'>,
): Limited | undefined {
  const counting: PodCounting = { reserved, now };
  const ofOwners = owners.flatMap((owner) =>
    isUndisturbed(pod, owner.minReadySeconds, counting) ? [limitOfOwner(owner, counting)] : [],
  );
  const budgets = disruptionBudgets.filter(
    (each) => each.metadata.namespace === pod.metadata.namespace && budgetSelector(each)(pod),
  );
  const isAvailable = isUndisturbed(pod, 0, counting);
  const known = isAvailable && budgets.length > 0 ? observed(pod, owners, named) : [];
  const ofBudgets = isAvailable
    ? budgets.map((each) => limitOfBudget(each, known.filter(budgetSelector(each)), counting))
    : [];
  const isForeign = isAvailable && owners.length + budgets.length === 0 && controllerOf(pod) !== undefined;
  const ofController = isForeign ? [limitOfController(withSameController(pod, named), counting)] : [];
  const { waiting } = withinLimits([pod], {
    nameOf: ({ metadata }) => metadata.name,
    isReserved: ({ metadata }) => reserved.has(metadata.uid ?? ''),
    limitsOf: () => [...ofOwners, ...ofBudgets, ...ofController],
  });
  const [first] = waiting;
  const [full] = first?.full ?? [];
  return first && { reason: first.reason, ...(full !== undefined && { limit: lastingText(full) }) };
}

const NONE: ReadonlySet<string> = new Set();

/** The pods that are observed: this one, those of its owner, and those that other requests are about. */
function observed(pod: Pod, owners: NonNullable<ObservedObjects['owners']>, named: readonly Pod[]): Pod[] {
  const all = [pod, ...owners.flatMap((owner) => owner.pods), ...named];
  return [...new Map(all.map((each) => [each.metadata.uid, each])).values()];
}

function withSameController(pod: Pod, named: readonly Pod[]): Pod[] {
  const uid = controllerOf(pod)?.uid;
  const others = named.filter((each) => controllerOf(each)?.uid === uid);
  return [pod, ...others.filter(({ metadata }) => metadata.uid !== pod.metadata.uid)];
}
