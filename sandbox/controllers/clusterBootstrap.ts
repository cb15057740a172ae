import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { attempt } from '../api/attempt.ts';
import { lowestServiceAddress } from '../kinds/serviceAddress.ts';
import type { Commit } from '../store/history.ts';
import { sameValue } from '../../schemas/pods/fields.ts';
import type { ControllerContext } from './context.ts';
import { createWorkQueue } from './workQueue.ts';

const server = 'system:apiserver';
const accountsUser = 'system:serviceaccount:kube-system:service-account-controller';
const certificatesUser = 'system:serviceaccount:kube-system:root-ca-cert-publisher';

interface Piece {
  id: string;
  user: string;
  manager: string;
  object: KubeObject;
  /** Objects that are restored after a change. */
  kept?: (object: KubeObject) => JsonObject;
}

const ofServer = { user: server, manager: 'kube-apiserver' };

const namespaces = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

function namespacePiece(name: string): Piece {
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  return { id: 'namespaces', ...ofServer, object };
}

function priorityClass(name: string, value: number, description: string): Piece {
  const type = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass' };
  return {
    id: 'priorityclasses.scheduling.k8s.io',
    ...ofServer,
    object: { ...type, metadata: { name }, value, description },
  };
}

const apiService: Piece = {
  id: 'services',
  ...ofServer,
  object: {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: 'kubernetes',
      namespace: 'default',
      labels: { component: 'apiserver', provider: 'kubernetes' },
    },
    spec: {
      type: 'ClusterIP',
      clusterIP: lowestServiceAddress,
      ipFamilyPolicy: 'SingleStack',
      sessionAffinity: 'None',
      internalTrafficPolicy: 'Cluster',
      ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: 6443 }],
    },
  },
};

const standardClass: Piece = {
  id: 'storageclasses.storage.k8s.io',
  user: server,
  manager: 'kruise-sandbox',
  object: {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: {
      name: 'standard',
      annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' },
    },
    provisioner: 'sandbox.kruise.io/memory',
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'WaitForFirstConsumer',
    allowVolumeExpansion: true,
  },
};

/** Cluster-scoped objects in creation order. */
const clusterWide: readonly Piece[] = [
  ...namespaces.map(namespacePiece),
  priorityClass(
    'system-node-critical',
    2_000_001_000,
    'For pods of the system that their node cannot do without.',
  ),
  priorityClass(
    'system-cluster-critical',
    2_000_000_000,
    'For pods of the system that the cluster cannot do without, on whatever node they are.',
  ),
  standardClass,
];

const certificates = {
  annotations: {
    'kubernetes.io/description':
      'Stands where clusters keep the certificates by which pods know their API server.',
  },
};
const placeholder =
  '# A sandbox speaks plain HTTP: there is no certificate to trust, and this text stands in its place.\n';

/** Objects of every namespace. */
function contentOf(namespace: string): readonly Piece[] {
  const manager = 'kube-controller-manager';
  return [
    {
      id: 'serviceaccounts',
      user: accountsUser,
      manager,
      object: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } },
    },
    {
      id: 'configmaps',
      user: certificatesUser,
      manager,
      object: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'kube-root-ca.crt', namespace, ...certificates },
        data: { 'ca.crt': placeholder },
      },
      kept: ({ data }) => ({ data }) as JsonObject,
    },
    ...(namespace === 'default' ? [apiService] : []),
  ];
}

/** The objects that a new cluster contains. */
export interface ClusterBootstrap {
  /** Creates missing objects immediately. */
  begin(): void;
  stop(): void;
}

/**
 * Creates the objects of a new cluster: system namespaces, priority classes, a default storage class, the Service
 * of the API server, and in every namespace the service account `default` and kube-root-ca.crt. Deleted objects are
 * restored after `collectMs`, except for the storage class. Existing objects are not written; terminating
 * namespaces get no new objects.
 */
export function startClusterBootstrap({
  store,
  server: api,
  clock,
  timings,
}: ControllerContext): ClusterBootstrap {
  const enqueue = createWorkQueue(clock);

  function ensure({ id, user, manager, object, kept }: Piece): void {
    const [version = '', group = ''] = object.apiVersion.split('/').reverse();
    const resource = { group, version, plural: id.split('.')[0] ?? '' };
    const { name, namespace = '' } = object.metadata;
    const found = store.read(id, namespace, name);
    const options = { fieldManager: manager };
    if (found === undefined) attempt(() => api.create(user, resource, object, options));
    else if (kept !== undefined && !sameValue(kept(found), kept(object)))
      attempt(() => api.replace(user, resource, { ...found, ...kept(object) }, options));
  }

  function furnish(namespace: string): void {
    const found = store.read('namespaces', '', namespace);
    if (found !== undefined && found.metadata.deletionTimestamp === undefined)
      contentOf(namespace).forEach(ensure);
  }

  /** Debounces: runs once for all changes until then. */
  function soon(what: string, run: () => void): void {
    enqueue(what, timings.collectMs, run);
  }

  function see({ type, resource, object, previous }: Commit): void {
    const { name, namespace } = object.metadata;
    if (resource === 'namespaces' && type === 'ADDED') soon(`in ${name}`, () => furnish(name));
    const piece =
      type === 'DELETED' ? clusterWide.find((each) => each !== standardClass && isOf(each)) : undefined;
    if (piece !== undefined) soon(`${resource} ${name}`, () => ensure(piece));
    function isOf(each: Piece): boolean {
      return each.id === resource && each.object.metadata.name === name;
    }
    if (namespace === undefined || (type !== 'DELETED' && previous === undefined)) return;
    if (contentOf(namespace).some(isOf)) soon(`in ${namespace}`, () => furnish(namespace));
  }

  const stop = store.followAll(see);
  return {
    begin() {
      clusterWide.forEach(ensure);
      for (const { metadata } of store.list('namespaces')) furnish(metadata.name);
    },
    stop,
  };
}
