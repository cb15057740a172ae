import type { KubeObject } from '../schemas/wire/object.ts';

/** `Required`: a change of revision waits for a plan that covers it. `Auto`: it proceeds if there is no plan. */
export type Policy = 'Required' | 'Auto';

/** Annotation of an object or its namespace: the policy. */
export const POLICY_ANNOTATION = 'plan.kruise.io/policy';

/** The policy annotation of the object itself, unparsed; undefined: its namespace and the flag of the runtime decide. */
export function ownPolicy(object: KubeObject): string | undefined {
  // A manifest may have any value there.
  const value: unknown = object.metadata.annotations?.[POLICY_ANNOTATION];
  return typeof value === 'string' ? value : undefined;
}

/**
 * The strictest policy of the object, its namespaces and the runtime's flag. An unknown value counts as `Required`.
 *
 * @param namespaces that of the object, or those whose pods a cluster-scoped one changes
 */
export function policyOf(object: KubeObject, namespaces: readonly KubeObject[], flag: Policy): Policy {
  const values = [object, ...namespaces].map((o) => o.metadata.annotations?.[POLICY_ANNOTATION]);
  const strict = flag === 'Required' || values.some((value) => value !== undefined && value !== 'Auto');
  return strict ? 'Required' : 'Auto';
}

/** Whether a target asks for plans by its own annotation, whatever its namespace and the runtime say. */
export function asksForPlan(object: KubeObject): boolean {
  const own = ownPolicy(object);
  return own !== undefined && own !== 'Auto';
}
