import type { KubeObject } from '../../schemas/wire/object.ts';
import { NAMESPACE_NAME_LABEL } from '../../semantics/values/namespace-label.ts';
import { exemptNamespaces } from '../../semantics/values/system-namespaces.ts';

/** The name of the configuration. */
export const ADMISSION_NAME = 'kruise-admission';

/** The Service of the program, by which API servers ask. */
export const ADMISSION_SERVICE = 'kruise-admission';

/**
 * For which name the certificate must be where API servers ask the Service.
 *
 * @param namespace of the Service
 */
export function serviceHost(namespace: string): string {
  return `${ADMISSION_SERVICE}.${namespace}.svc`;
}

/** Seconds until the API server goes on without an answer. */
const TIMEOUT_SECONDS = 3;

/**
 * The configuration by which an API server asks for a review of each new pod. It goes on without an answer: pods must be created
 * where the program is down. No pod of the system, and none of the program itself, is reviewed.
 *
 * @param clientConfig where the program is asked
 * @param own the namespaces of the program
 */
export function admissionConfiguration(clientConfig: object, own: readonly string[]): KubeObject {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: ADMISSION_NAME },
    webhooks: [
      {
        name: 'sidecars.admission.plan.kruise.io',
        admissionReviewVersions: ['v1'],
        clientConfig,
        failurePolicy: 'Ignore',
        matchPolicy: 'Equivalent',
        sideEffects: 'None',
        // Asked again it would draw again, and the containers of another revision are there already.
        reinvocationPolicy: 'Never',
        timeoutSeconds: TIMEOUT_SECONDS,
        namespaceSelector: {
          matchExpressions: [{ key: NAMESPACE_NAME_LABEL, operator: 'NotIn', values: exemptNamespaces(own) }],
        },
        rules: [
          {
            apiGroups: [''],
            apiVersions: ['v1'],
            operations: ['CREATE'],
            resources: ['pods'],
            scope: 'Namespaced',
          },
        ],
      },
    ],
  };
}
