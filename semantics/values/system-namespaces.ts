/** The namespace of this project's programs, and of their records of cluster-scoped targets, unless another one is named. */
export const STATE_NAMESPACE = 'kruise-system';

/** The service account of the runtime as it is installed. */
export const RUNTIME_ACCOUNT = 'kruise-runtime';

/** The namespaces of the GitOps engines whose accounts write plans: `deploy/components/argocd` and `deploy/components/flux`. */
const ENGINE_NAMESPACES = ['argocd', 'flux-system'];

/** Namespaces with privileged service accounts: those of Kubernetes, of this project and of the engines that write plans. */
export const CLOSED_NAMESPACES: readonly string[] = ['kube-system', STATE_NAMESPACE, ...ENGINE_NAMESPACES];

/**
 * The namespaces about whose pods nobody asks a webhook: those of Kubernetes, of the engines that write plans, and of the webhook
 * itself. Who writes a set must not get a container into a pod that may write plans.
 *
 * @param own the namespaces of the webhook
 */
export function exemptNamespaces(own: readonly string[]): string[] {
  return ['kube-system', ...ENGINE_NAMESPACES, ...own];
}
