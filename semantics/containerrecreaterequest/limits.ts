import type { ObservedObjects } from '../kinds/kind.ts';
import { withinLimits } from '../limits/disruption.ts';
import { budgetSelector, limitOfBudget } from '../limits/disruption-budgets.ts';
import { isUndisturbed, limitOfOwner, type PodCounting } from '../limits/pod-owners.ts';
import type { Pod } from '../pod/types.ts';

/**
 * Why the pod must not become unavailable now, as a clause: the limit of its owner, as far as this runtime manages that, or of a
 * PodDisruptionBudget, or that another decision about it is on its way. Undefined: it may. A pod that is not available takes nothing.
 */
export function limitOn(
  pod: Pod,
  {
    owners = [],
    disruptionBudgets = [],
    reserved = NONE,
    now,
  }: Pick<ObservedObjects, 'owners' | 'disruptionBudgets' | 'reserved' | 'now'>,
): string | undefined {
  const counting: PodCounting = { reserved, now };
  const ofOwners = owners.flatMap((owner) =>
    isUndisturbed(pod, owner.minReadySeconds, counting) ? [limitOfOwner(owner, counting)] : [],
  );
  const budgets = disruptionBudgets.filter(
    (each) => each.metadata.namespace === pod.metadata.namespace && budgetSelector(each)(pod),
  );
  const ofBudgets = isUndisturbed(pod, 0, counting)
    ? budgets.map((each) =>
        limitOfBudget(each, [...inNamespace(pod, owners)].filter(budgetSelector(each)), counting),
      )
    : [];
  const { waiting } = withinLimits([pod], {
    nameOf: ({ metadata }) => metadata.name,
    isReserved: ({ metadata }) => reserved.has(metadata.uid ?? ''),
    limitsOf: () => [...ofOwners, ...ofBudgets],
  });
  return waiting[0]?.reason;
}

const NONE: ReadonlySet<string> = new Set();

/** The pods that are observed: this one, and those of its owner. */
function inNamespace(pod: Pod, owners: NonNullable<ObservedObjects['owners']>): Set<Pod> {
  return new Set([pod, ...owners.flatMap((owner) => owner.pods)]);
}
