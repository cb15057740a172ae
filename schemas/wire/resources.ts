import { customResources } from '../generated/resources.ts';
import type { Resource } from './cluster.ts';

function resource(group: string, version: string, plural: string, kind: string, namespaced = true): Resource {
  return { group, version, plural, kind, namespaced };
}

/**
 * Every resource that this project reads or writes, by kind. Those of its own definitions follow from their
 * schemas.
 */
export const resources = {
  Namespace: resource('', 'v1', 'namespaces', 'Namespace', false),
  Node: resource('', 'v1', 'nodes', 'Node', false),
  Pod: resource('', 'v1', 'pods', 'Pod'),
  Event: resource('', 'v1', 'events', 'Event'),
  ConfigMap: resource('', 'v1', 'configmaps', 'ConfigMap'),
  Secret: resource('', 'v1', 'secrets', 'Secret'),
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
  SubjectAccessReview: resource(
    'authorization.k8s.io',
    'v1',
    'subjectaccessreviews',
    'SubjectAccessReview',
    false,
  ),
  TokenReview: resource('authentication.k8s.io', 'v1', 'tokenreviews', 'TokenReview', false),
  PodDisruptionBudget: resource('policy', 'v1', 'poddisruptionbudgets', 'PodDisruptionBudget'),
  Lease: resource('coordination.k8s.io', 'v1', 'leases', 'Lease'),
  CustomResourceDefinition: resource(
    'apiextensions.k8s.io',
    'v1',
    'customresourcedefinitions',
    'CustomResourceDefinition',
    false,
  ),
  ...customResources,
} as const satisfies Record<string, Resource>;
