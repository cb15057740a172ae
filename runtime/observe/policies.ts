import type { KubeObject } from '../../schemas/wire/object.ts';
import { POLICY_ANNOTATION } from '../../semantics/policy.ts';
import { partialMetadata } from './partial-metadata.ts';

/** The policies of namespaces, and the labels by which targets select them. */
export interface Policies {
  /** A namespace reduced to its policy and labels. */
  keep(namespace: KubeObject): KubeObject;
  /** Stores the policy and labels of a namespace. Returns which of them have changed. */
  file(namespace: KubeObject, gone: boolean): { policy: boolean; labels: boolean };
}

export function createPolicies(): Policies {
  const policies = new Map<string, string | undefined>();
  const labels = new Map<string, string>();
  return {
    keep({ apiVersion, kind, metadata }) {
      const policy = metadata.annotations?.[POLICY_ANNOTATION];
      return {
        apiVersion,
        kind,
        metadata: {
          ...partialMetadata(metadata),
          ...(metadata.labels === undefined ? {} : { labels: metadata.labels }),
          ...(policy === undefined ? {} : { annotations: { [POLICY_ANNOTATION]: policy } }),
        },
      };
    },
    file({ metadata }, gone) {
      const policy = gone ? undefined : metadata.annotations?.[POLICY_ANNOTATION];
      const isNew = policies.get(metadata.name) !== policy;
      if (policy === undefined) policies.delete(metadata.name);
      else policies.set(metadata.name, policy);
      const text = gone ? undefined : JSON.stringify(metadata.labels ?? {});
      const isOther = labels.get(metadata.name) !== text;
      if (text === undefined) labels.delete(metadata.name);
      else labels.set(metadata.name, text);
      return { policy: isNew, labels: isOther };
    },
  };
}
