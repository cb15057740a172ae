import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Node } from '../kinds/node.ts';
import type { Store } from '../store/store.ts';
import { isRetriable, type Outbox } from './outbox.ts';

export interface NodeMirrorOptions {
  cluster: Cluster;
  store: Store;
  outbox: Outbox;
  /** A separate outbox for Leases, which must not wait for other writes. */
  leases: Outbox;
  isOurs(node: string): boolean;
  onRefused(key: string, error: ApiError): void;
}

/**
 * Nodes on the remote server: local status and Leases are written there, and remote changes are mirrored locally.
 */
export interface NodeMirror {
  observe(node: KubeObject, removed: boolean): void;
  /** Creates a remote Node if it does not exist. Rejects with errors of the cluster port. */
  register(node: Node): Promise<void>;
  /** Writes the node status of a kubelet. */
  writeStatus(user: string, node: Node): KubeObject;
  /** Removes the taint of a node that is not ready, if the node is: for a server where no controller does it. */
  clearTaint(name: string): void;
  /** Creates or renews the Lease of a kubelet. */
  renew(user: string, lease: KubeObject): KubeObject;
  /** Deletes the remote Node and its Lease. */
  remove(name: string): Promise<void>;
}

/** Set at the creation of each Node by admission, which expects the node lifecycle controller to remove it. */
const NOT_READY = 'node.kubernetes.io/not-ready';

const leaseId = 'leases.coordination.k8s.io';

export function createNodeMirror(options: NodeMirrorOptions): NodeMirror {
  const { cluster, store, outbox, leases, isOurs, onRefused } = options;
  const versions = new Map<string, number>();
  /** Status that is not sent yet. */
  const unsent = new Map<string, Node['status']>();

  function see(node: KubeObject, removed: boolean): void {
    const { name, resourceVersion } = node.metadata;
    if (!isOurs(name)) return;
    const version = Number(resourceVersion);
    const before = store.read('nodes', '', name);
    if (version < (versions.get(name) ?? 0)) return;
    versions.set(name, version);
    // Created in the name of the kubelet, as on a real node.
    const user = `system:node:${name}`;
    if (before !== undefined && (removed || before.metadata.uid !== node.metadata.uid))
      store.remove({ user, resource: 'nodes', object: before });
    if (removed) {
      unsent.delete(name);
      return;
    }
    const { managedFields: _bookkeeping, ...metadata } = node.metadata;
    const status = unsent.get(name) ?? node['status'];
    store.write({ user, resource: 'nodes', object: { ...node, metadata, status } });
  }

  /** Sends pending writes; permanent errors are reported. */
  async function carefully(key: string, run: () => Promise<unknown>): Promise<void> {
    try {
      await run();
    } catch (error) {
      if (isRetriable(error) || !(error instanceof ApiError)) throw error;
      if (error.status.code !== 404 && error.status.code !== 409) onRefused(key, error);
    }
  }

  async function sendStatus(name: string): Promise<void> {
    const node = store.read('nodes', '', name);
    const status = unsent.get(name);
    if (node === undefined || status === undefined) return;
    const { uid = '' } = node.metadata;
    const body = { metadata: { uid }, status } as unknown as JsonObject;
    const at = { subresource: 'status', fieldManager: 'kubelet' } as const;
    const answer = await cluster.patch(resources.Node, { name }, { type: 'strategic', body }, at);
    if (unsent.get(name) === status) unsent.delete(name);
    see(answer, false);
  }

  async function sendTaints(name: string): Promise<void> {
    const node: Node | undefined = store.read('nodes', '', name);
    if (node === undefined || !isTainted(node)) return;
    const taints = node.spec?.taints?.filter(({ key }) => key !== NOT_READY) ?? [];
    const { uid = '' } = node.metadata;
    const resourceVersion = String(versions.get(name) ?? '');
    const body = { metadata: { uid, resourceVersion }, spec: { taints } } as unknown as JsonObject;
    const manager = { fieldManager: 'kubelet' };
    see(await cluster.patch(resources.Node, { name }, { type: 'merge', body }, manager), false);
  }

  async function sendLease(name: string, namespace: string): Promise<void> {
    const lease = store.read(leaseId, namespace, name);
    if (lease === undefined) return;
    const body = { spec: lease['spec'] } as JsonObject;
    const manager = { fieldManager: 'kubelet' };
    try {
      await cluster.patch(resources.Lease, { namespace, name }, { type: 'merge', body }, manager);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status.code !== 404) throw error;
      const { uid: _local, resourceVersion: _own, ...metadata } = lease.metadata;
      await cluster.create(resources.Lease, { ...lease, metadata }, manager);
    }
  }

  async function orMissing(run: Promise<unknown>): Promise<void> {
    try {
      await run;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status.code !== 404) throw error;
    }
  }

  return {
    observe: see,
    async register(node) {
      try {
        see(await cluster.create(resources.Node, node, { fieldManager: 'kubelet' }), false);
      } catch (error) {
        if (!(error instanceof ApiError) || error.status.code !== 409) throw error;
        see(await cluster.get(resources.Node, { name: node.metadata.name }), false);
      }
    },
    writeStatus(user, node) {
      const { name } = node.metadata;
      const written: Node = store.write({ user, resource: 'nodes', object: node });
      unsent.set(name, written.status);
      const key = `node ${name}`;
      outbox.enqueue(key, async () => carefully(key, async () => sendStatus(name)));
      return written;
    },
    clearTaint(name) {
      const node: Node | undefined = store.read('nodes', '', name);
      const ready = node?.status?.conditions?.find(({ type }) => type === 'Ready');
      if (node === undefined || ready?.status !== 'True' || unsent.has(name) || !isTainted(node)) return;
      const key = `taints of node ${name}`;
      outbox.enqueue(key, async () => carefully(key, async () => sendTaints(name)));
    },
    renew(user, lease) {
      const { name, namespace = '' } = lease.metadata;
      const written = store.write({ user, resource: leaseId, object: lease });
      const key = `lease ${namespace}/${name}`;
      leases.enqueue(key, async () => carefully(key, async () => sendLease(name, namespace)));
      return written;
    },
    async remove(name) {
      await orMissing(cluster.delete(resources.Node, { name }));
      await orMissing(cluster.delete(resources.Lease, { namespace: 'kube-node-lease', name }));
    },
  };
}

function isTainted({ spec }: Node): boolean {
  return spec?.taints?.some(({ key }) => key === NOT_READY) === true;
}
