import type { LabelSelector } from '../../schemas/pods/pod.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { RelatedObjects } from '../api/registry.ts';
import type { ResourceRule } from '../policies/match.ts';

/** A webhook of a configuration, with the defaults of the API server. */
export interface Webhook {
  name?: string;
  clientConfig?: {
    url?: string;
    service?: { namespace?: string; name?: string; path?: string; port?: number };
    /** PEM, in base64. */
    caBundle?: string;
  };
  rules?: readonly ResourceRule[];
  failurePolicy?: string;
  matchPolicy?: string;
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
  matchConditions?: readonly { name?: string; expression?: string }[];
  sideEffects?: string;
  timeoutSeconds?: number;
  reinvocationPolicy?: string;
  admissionReviewVersions?: readonly string[];
}

/** A webhook and where it stands: `configuration/index`. */
export interface Hook {
  id: string;
  name: string;
  webhook: Webhook;
}

const group = 'admissionregistration.k8s.io';

/** The resources of the two kinds of configurations. */
export const configurationIds = {
  mutating: `mutatingwebhookconfigurations.${group}`,
  validating: `validatingwebhookconfigurations.${group}`,
} as const;

/** The webhooks of all configurations, in the order of the names of these and of their lists. */
export function hooksOf(kind: keyof typeof configurationIds, related: RelatedObjects): readonly Hook[] {
  const configurations = related.list(configurationIds[kind]);
  if (configurations.length === 0) return [];
  return [...configurations]
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    .flatMap((each: KubeObject) =>
      ((each['webhooks'] ?? []) as readonly Webhook[]).map((webhook, index) => ({
        id: `${each.metadata.name}/${index}`,
        name: webhook.name ?? '',
        webhook,
      })),
    );
}
