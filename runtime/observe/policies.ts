import type { KubeObject } from '../../schemas/wire/object.ts';
import { POLICY_ANNOTATION } from '../../semantics/plan/policy.ts';
import { partialMetadata } from './partial-metadata.ts';

/** The policies of namespaces. */
export interface Policies {
  /** A namespace reduced to its policy. */
  keep(namespace: KubeObject): KubeObject;
  /** Stores the policy of a namespace. Returns whether it has changed. */
  file(namespace: KubeObject, gone: boolean): boolean;
}

export function createPolicies(): Policies {
  const policies = new Map<string, string | undefined>();
  return {
    keep({ apiVersion, kind, metadata }) {
      const policy = metadata.annotations?.[POLICY_ANNOTATION];
      return {
        apiVersion,
        kind,
        metadata: {
          ...partialMetadata(metadata),
          ...(policy === undefined ? {} : { annotations: { [POLICY_ANNOTATION]: policy } }),
        },
      };
    },
    file({ metadata }, gone) {
      const policy = gone ? undefined : metadata.annotations?.[POLICY_ANNOTATION];
      const isNew = policies.get(metadata.name) !== policy;
      if (policy === undefined) policies.delete(metadata.name);
      else policies.set(metadata.name, policy);
      return isNew;
    },
  };
}
