import { groupResource } from '../api/errors.ts';
import type { ResourceType, ScalePaths } from '../api/registry.ts';
import { kindRules } from './rules.ts';

/** group, version, plural, kind, short names, marks: c cluster-scoped, s status, g generation, r scale. */
type Row = readonly [string, string, string, string, string, string];

const rows: readonly Row[] = [
  ['', 'v1', 'configmaps', 'ConfigMap', 'cm', ''],
  ['', 'v1', 'endpoints', 'Endpoints', 'ep', ''],
  ['', 'v1', 'events', 'Event', 'ev', ''],
  ['', 'v1', 'limitranges', 'LimitRange', 'limits', ''],
  ['', 'v1', 'namespaces', 'Namespace', 'ns', 'cs'],
  ['', 'v1', 'nodes', 'Node', 'no', 'cs'],
  ['', 'v1', 'persistentvolumeclaims', 'PersistentVolumeClaim', 'pvc', 's'],
  ['', 'v1', 'persistentvolumes', 'PersistentVolume', 'pv', 'cs'],
  ['', 'v1', 'pods', 'Pod', 'po', 'sg'],
  ['', 'v1', 'resourcequotas', 'ResourceQuota', 'quota', 's'],
  ['', 'v1', 'secrets', 'Secret', '', ''],
  ['', 'v1', 'serviceaccounts', 'ServiceAccount', 'sa', ''],
  ['', 'v1', 'services', 'Service', 'svc', 's'],
  ['apps', 'v1', 'controllerrevisions', 'ControllerRevision', '', ''],
  ['apps', 'v1', 'daemonsets', 'DaemonSet', 'ds', 'sg'],
  ['apps', 'v1', 'deployments', 'Deployment', 'deploy', 'sgr'],
  ['apps', 'v1', 'replicasets', 'ReplicaSet', 'rs', 'sgr'],
  ['apps', 'v1', 'statefulsets', 'StatefulSet', 'sts', 'sgr'],
  ['autoscaling', 'v2', 'horizontalpodautoscalers', 'HorizontalPodAutoscaler', 'hpa', 's'],
  ['batch', 'v1', 'cronjobs', 'CronJob', 'cj', 'sg'],
  ['batch', 'v1', 'jobs', 'Job', '', 'sg'],
  ['coordination.k8s.io', 'v1', 'leases', 'Lease', '', ''],
  ['discovery.k8s.io', 'v1', 'endpointslices', 'EndpointSlice', '', 'g'],
  ['policy', 'v1', 'poddisruptionbudgets', 'PodDisruptionBudget', 'pdb', 'sg'],
  ['rbac.authorization.k8s.io', 'v1', 'clusterrolebindings', 'ClusterRoleBinding', '', 'c'],
  ['rbac.authorization.k8s.io', 'v1', 'clusterroles', 'ClusterRole', '', 'c'],
  ['rbac.authorization.k8s.io', 'v1', 'rolebindings', 'RoleBinding', '', ''],
  ['rbac.authorization.k8s.io', 'v1', 'roles', 'Role', '', ''],
  ['scheduling.k8s.io', 'v1', 'priorityclasses', 'PriorityClass', 'pc', 'c'],
  ['storage.k8s.io', 'v1', 'storageclasses', 'StorageClass', 'sc', 'c'],
  ['apiextensions.k8s.io', 'v1', 'customresourcedefinitions', 'CustomResourceDefinition', 'crd,crds', 'csg'],
];

const nativeScale: ScalePaths = {
  specReplicas: ['spec', 'replicas'],
  statusReplicas: ['status', 'replicas'],
};

function builtIn([group, version, plural, kind, shortNames, marks]: Row): ResourceType {
  const id = groupResource({ group, plural });
  return {
    id,
    group,
    kind,
    plural,
    singular: kind.toLowerCase(),
    shortNames: shortNames === '' ? [] : shortNames.split(','),
    categories: [],
    namespaced: !marks.includes('c'),
    storageVersion: version,
    versions: new Map([
      [
        version,
        {
          version,
          hasStatus: marks.includes('s'),
          ...(marks.includes('r') ? { scale: nativeScale } : {}),
        },
      ],
    ]),
    custom: false,
    tracksGeneration: marks.includes('g'),
    rules: kindRules[id] ?? {},
  };
}

/** The kinds every cluster serves, as far as this one does. */
export function builtInTypes(): ResourceType[] {
  return rows.map(builtIn);
}
