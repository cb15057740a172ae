/** The namespace of this project's programs, and of their records of cluster-scoped targets, unless another one is named. */
export const STATE_NAMESPACE = 'kruise-system';

/**
 * The namespaces about whose pods nobody asks a webhook: those of Kubernetes, and of the webhook itself.
 *
 * @param own the namespaces of the webhook
 */
export function exemptNamespaces(own: readonly string[]): string[] {
  return ['kube-system', ...own];
}
