import type { KubeObject } from '../../schemas/wire/object.ts';

export type Policy = 'Required' | 'Auto';

export const POLICY_ANNOTATION = 'plan.kruise.io/policy';

/** The stricter of the object, its namespace and the runtime's flag. A value that is neither word is the stricter one. */
export function policyOf(object: KubeObject, namespace: KubeObject | undefined, flag: Policy): Policy {
  const said = [object, namespace].map((o) => o?.metadata.annotations?.[POLICY_ANNOTATION]);
  const strict = flag === 'Required' || said.some((value) => value !== undefined && value !== 'Auto');
  return strict ? 'Required' : 'Auto';
}
