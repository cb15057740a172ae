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
];

export const bootstrapBindings: readonly KubeObject[] = [
  binding('system:basic-user', 'system:authenticated'),
  binding('cluster-admin', 'system:masters'),
  binding('system:discovery', 'system:authenticated'),
  binding('system:public-info-viewer', 'system:authenticated', 'system:unauthenticated'),
];
