import type { Authorizer } from '../access/authorizer.ts';
import type { Registry, RelatedObjects } from '../api/registry.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { jsonValue } from '../schema/cel/json.ts';
import type { Values } from './compile.ts';
import { valuesOf } from './environment.ts';
import { matched } from './match.ts';
import { paramsOf } from './params.ts';
import type { AnyPolicy, PolicyBinding } from './policy.ts';
import { inVersion, type AdmittedWrite } from './write.ts';

const group = 'admissionregistration.k8s.io';

/** The resources of policies and of their bindings. */
export const policyIds = {
  mutating: {
    policies: `mutatingadmissionpolicies.${group}`,
    bindings: `mutatingadmissionpolicybindings.${group}`,
  },
  validating: {
    policies: `validatingadmissionpolicies.${group}`,
    bindings: `validatingadmissionpolicybindings.${group}`,
  },
} as const;

/** What a write is held against. */
export interface AdmissionSources {
  related: RelatedObjects;
  registry: Pick<Registry, 'types'>;
  authorizer: Authorizer;
}

/** A policy with a binding that are about a write: with a parameter, or why there is none. */
export type Invocation<P extends AnyPolicy> = { policy: P; binding: PolicyBinding } & (
  | { meant: AdmittedWrite; param: KubeObject | undefined; fault?: undefined }
  | { fault: string }
);

/** Whether a policy of this kind is bound. */
export const isBound = (kind: keyof typeof policyIds, { related }: AdmissionSources): boolean =>
  related.list(policyIds[kind].bindings).length > 0;

const byName = <T extends KubeObject>(list: readonly T[]) =>
  [...list].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));

/** The policies of a kind that are about a write, with their bindings and parameters, in the order of the names. */
export function invocationsOf<P extends AnyPolicy>(
  kind: keyof typeof policyIds,
  write: AdmittedWrite,
  sources: AdmissionSources,
): Invocation<P>[] {
  const { related } = sources;
  const bindings = byName(related.list(policyIds[kind].bindings) as readonly PolicyBinding[]);
  return byName(related.list(policyIds[kind].policies) as readonly P[]).flatMap((policy) => {
    const own = bindings.filter(({ spec }) => spec.policyName === policy.metadata.name);
    const meant = own.length === 0 ? undefined : matched(policy.spec.matchConstraints ?? {}, write, related);
    if (meant === undefined) return [];
    return own.flatMap((binding): Invocation<P>[] => {
      const { matchResources } = binding.spec;
      if (matchResources !== undefined && matched(matchResources, write, related) === undefined) return [];
      const found = paramsOf(policy, binding, write.namespace, sources);
      if ('fault' in found)
        return [{ policy, binding, fault: `failed to configure binding: ${found.fault}` }];
      return found.params.map((param) => ({ policy, binding, meant, param }));
    });
  });
}

/** The write in the version that a policy means, and the variables of its expressions. */
export function inputOf(
  write: AdmittedWrite,
  meant: AdmittedWrite,
  param: KubeObject | undefined,
  sources: AdmissionSources,
): { seen: AdmittedWrite; values: Values } {
  const seen = inVersion(write, meant.served);
  return { seen, values: valuesOf(write, seen, sources).set('params', jsonValue(param)) };
}
