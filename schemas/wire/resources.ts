import type { Resource } from './cluster.ts';

function resource(group: string, version: string, plural: string, kind: string, namespaced = true): Resource {
  return { group, version, plural, kind, namespaced };
}

/** Every resource this project reads or writes, by kind. Custom kinds are named at the version we store. */
export const resources = {
  Namespace: resource('', 'v1', 'namespaces', 'Namespace', false),
  Node: resource('', 'v1', 'nodes', 'Node', false),
  Pod: resource('', 'v1', 'pods', 'Pod'),
  Event: resource('', 'v1', 'events', 'Event'),
  PersistentVolumeClaim: resource('', 'v1', 'persistentvolumeclaims', 'PersistentVolumeClaim'),
  ControllerRevision: resource('apps', 'v1', 'controllerrevisions', 'ControllerRevision'),
  SelfSubjectReview: resource(
    'authentication.k8s.io',
    'v1',
    'selfsubjectreviews',
    'SelfSubjectReview',
    false,
  ),
  SelfSubjectAccessReview: resource(
    'authorization.k8s.io',
    'v1',
    'selfsubjectaccessreviews',
    'SelfSubjectAccessReview',
    false,
  ),
  Lease: resource('coordination.k8s.io', 'v1', 'leases', 'Lease'),
  CloneSet: resource('apps.kruise.io', 'v1beta1', 'clonesets', 'CloneSet'),
  RolloutPlan: resource('plan.kruise.io', 'v1alpha1', 'rolloutplans', 'RolloutPlan'),
  RolloutCommand: resource('plan.kruise.io', 'v1alpha1', 'rolloutcommands', 'RolloutCommand'),
  ClusterRolloutPlan: resource(
    'plan.kruise.io',
    'v1alpha1',
    'clusterrolloutplans',
    'ClusterRolloutPlan',
    false,
  ),
  ClusterRolloutCommand: resource(
    'plan.kruise.io',
    'v1alpha1',
    'clusterrolloutcommands',
    'ClusterRolloutCommand',
    false,
  ),
} as const satisfies Record<string, Resource>;
