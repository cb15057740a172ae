import { resources } from '../../schemas/wire/resources.ts';
import { attempt } from '../api/attempt.ts';
import type { ComponentContext } from '../controllers/context.ts';

const namespace = 'kube-node-lease';
const renewMs = 10_000;
const durationSeconds = 40;

/**
 * Renews the Lease of a node: created when the namespace exists, renewed every ten seconds while the kubelet is up.
 * Returns a function that stops it.
 */
export function keepLease(
  { store, server, clock }: Pick<ComponentContext, 'store' | 'server' | 'clock'>,
  name: string,
  isUp: () => boolean,
): () => void {
  const user = `system:node:${name}`;
  let cancel = clock.after(0, renew);

  function write(): void {
    const renewTime = `${new Date(clock.now()).toISOString().slice(0, -1)}000Z`;
    if (store.read('leases.coordination.k8s.io', namespace, name) !== undefined) {
      const body = { spec: { renewTime } };
      server.patch(user, resources.Lease, { namespace, name }, { type: 'merge', body });
      return;
    }
    const node = store.read('nodes', '', name);
    const { uid = '' } = node?.metadata ?? {};
    server.create(user, resources.Lease, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name, namespace, ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }] },
      spec: { holderIdentity: name, leaseDurationSeconds: durationSeconds, renewTime },
    });
  }

  function renew(): void {
    cancel = clock.after(renewMs, renew);
    if (!isUp() || store.read('namespaces', '', namespace) === undefined) return;
    attempt(write);
  }

  return () => cancel();
}
