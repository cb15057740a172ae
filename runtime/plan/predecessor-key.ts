import type { PlanPredecessor } from '../../schemas/generated/types/rolloutplan.ts';
import { kindOf } from '../../semantics/kinds/registry.ts';
import { referredKey, targetKey, type TargetKey } from '../observe/target-key.ts';

/**
 * The key of a target that a plan comes after. A kind without namespaces is looked for in none, any other one in the namespace of
 * the plan; only the plan of a target without a namespace names another, because a plan must not reveal what happens elsewhere.
 *
 * @param namespace that of the plan; empty: it is in none
 */
export function predecessorKey(reference: PlanPredecessor, namespace: string): TargetKey | undefined {
  const key = referredKey(reference, namespace === '' ? (reference.namespace ?? '') : namespace);
  const isInNone = key !== undefined && kindOf(key)?.resource.namespaced === false;
  return isInNone ? targetKey(key, '', key.name) : key;
}
