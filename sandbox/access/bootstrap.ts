import type { KubeObject } from '../../schemas/wire/object.ts';

const group = 'rbac.authorization.k8s.io';

function role(name: string, rules: readonly object[]): KubeObject {
  return { apiVersion: `${group}/v1`, kind: 'ClusterRole', metadata: { name }, rules };
}

function binding(name: string, ...groups: string[]): KubeObject {
  return {
    apiVersion: `${group}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: group, kind: 'ClusterRole', name },
    subjects: groups.map((each) => ({ apiGroup: group, kind: 'Group', name: each })),
  };
}

const system = 'kube-system';

function accountBinding(account: string): KubeObject {
  const name = `system:controller:${account}`;
  return {
    ...binding(name),
    subjects: [{ kind: 'ServiceAccount', namespace: system, name: account }],
  };
}

const reads = ['get', 'list', 'watch'];
const writes = [...reads, 'create', 'delete', 'patch', 'update'];

/** Rules of the accounts of Kubernetes' controllers whose requests policies of workloads tell apart. */
const controllers: Readonly<Record<string, readonly object[]>> = {
  'generic-garbage-collector': [
    { verbs: [...reads, 'patch', 'update', 'delete'], apiGroups: ['*'], resources: ['*'] },
  ],
  'namespace-controller': [
    { verbs: [...reads, 'delete', 'deletecollection'], apiGroups: ['*'], resources: ['*'] },
    { verbs: ['update'], apiGroups: [''], resources: ['namespaces/finalize', 'namespaces/status'] },
  ],
  'statefulset-controller': [
    { verbs: reads, apiGroups: ['apps'], resources: ['statefulsets'] },
    { verbs: ['update'], apiGroups: ['apps'], resources: ['statefulsets/status', 'statefulsets/finalizers'] },
    { verbs: writes, apiGroups: ['apps'], resources: ['controllerrevisions'] },
    { verbs: writes, apiGroups: [''], resources: ['pods'] },
    { verbs: ['update'], apiGroups: [''], resources: ['pods/finalizers'] },
    {
      verbs: [...reads, 'create', 'update', 'delete'],
      apiGroups: [''],
      resources: ['persistentvolumeclaims'],
    },
  ],
};

const openPaths = ['/healthz', '/livez', '/readyz', '/version', '/version/'];
const discoveryPaths = ['/api', '/api/*', '/apis', '/apis/*', '/openapi', '/openapi/*', ...openPaths].sort();

/**
 * The bootstrap policy of every cluster. It applies without being stored; a stored object of the same name
 * overrides it.
 */
export const bootstrapRoles: readonly KubeObject[] = [
  role('system:basic-user', [
    {
      verbs: ['create'],
      apiGroups: ['authorization.k8s.io'],
      resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
    },
    { verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'] },
  ]),
  role('cluster-admin', [
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
    { verbs: ['*'], nonResourceURLs: ['*'] },
  ]),
  role('system:discovery', [{ verbs: ['get'], nonResourceURLs: discoveryPaths }]),
  role('system:public-info-viewer', [{ verbs: ['get'], nonResourceURLs: openPaths }]),
  ...Object.entries(controllers).map(([name, rules]) => role(`system:controller:${name}`, rules)),
];

export const bootstrapBindings: readonly KubeObject[] = [
  binding('system:basic-user', 'system:authenticated'),
  binding('cluster-admin', 'system:masters'),
  binding('system:discovery', 'system:authenticated'),
  binding('system:public-info-viewer', 'system:authenticated', 'system:unauthenticated'),
  ...Object.keys(controllers).map(accountBinding),
];
