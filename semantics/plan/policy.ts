import type { KubeObject } from '../../schemas/wire/object.ts';

/** `Required`: a change of revision waits for a plan that covers it. `Auto`: without a plan it does not. */
export type Policy = 'Required' | 'Auto';

/** On an object or its namespace: whether changes of the object wait for a plan. */
export const POLICY_ANNOTATION = 'plan.kruise.io/policy';

/** What the object itself asks for, as it is written; undefined where it leaves that to its namespace and the runtime. */
export function ownPolicy(object: KubeObject): string | undefined {
  // A manifest may have any value there.
  const value: unknown = object.metadata.annotations?.[POLICY_ANNOTATION];
  return typeof value === 'string' ? value : undefined;
}

/** The stricter of the object, its namespace and the runtime's flag. A value that is neither word is the stricter one. */
export function policyOf(object: KubeObject, namespace: KubeObject | undefined, flag: Policy): Policy {
  const said = [object, namespace].map((o) => o?.metadata.annotations?.[POLICY_ANNOTATION]);
  const strict = flag === 'Required' || said.some((value) => value !== undefined && value !== 'Auto');
  return strict ? 'Required' : 'Auto';
}
