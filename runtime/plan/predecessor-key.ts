import type { PlanPredecessor } from '../../schemas/generated/types/rolloutplan.ts';
import { kindOf } from '../../semantics/registry/registry.ts';
import { referredKey, targetKey, type TargetKey } from '../observe/target-key.ts';

/**
 * The key of a target that a plan comes after. A predecessor of a cluster-scoped kind has no namespace, any other one has
 * the namespace of the plan; only the plan of a cluster-scoped target may name a namespace, because a plan must not reveal
 * the state of other namespaces.
 *
 * @param namespace that of the plan; empty: the plan is cluster-scoped
 */
export function predecessorKey(reference: PlanPredecessor, namespace: string): TargetKey | undefined {
  const key = referredKey(reference, namespace === '' ? (reference.namespace ?? '') : namespace);
  const isInNone = key !== undefined && kindOf(key)?.resource.namespaced === false;
  return isInNone ? targetKey(key, '', key.name) : key;
}
