import type { Served } from '../api/registry.ts';
import type { Fields } from '../store/value.ts';

const podTemplate = { metadata: {}, spec: { containers: null } };

/**
 * What the server's own empty object of a kind holds: fields that are always there, so that a new object's first
 * writer owns what is in them but not the fields themselves. Of a custom resource nothing is.
 */
const blanks: Readonly<Record<string, Fields>> = {
  endpoints: {},
  events: { involvedObject: {}, source: {} },
  namespaces: { spec: {} },
  nodes: { spec: {} },
  persistentvolumeclaims: { spec: { resources: {} } },
  persistentvolumes: { spec: {} },
  pods: { spec: { containers: null } },
  podtemplates: { template: podTemplate },
  replicationcontrollers: { spec: {} },
  resourcequotas: { spec: {} },
  services: { spec: {} },
  'controllerrevisions.apps': { data: null },
  'daemonsets.apps': { spec: { selector: null, template: podTemplate, updateStrategy: {} } },
  'deployments.apps': { spec: { selector: null, template: podTemplate, strategy: {} } },
  'replicasets.apps': { spec: { selector: null, template: podTemplate } },
  'statefulsets.apps': { spec: { selector: null, template: podTemplate, updateStrategy: {} } },
  'horizontalpodautoscalers.autoscaling': { spec: { scaleTargetRef: {} } },
  'cronjobs.batch': { spec: { jobTemplate: { metadata: {}, spec: { template: podTemplate } } } },
  'jobs.batch': { spec: { template: podTemplate } },
  'leases.coordination.k8s.io': { spec: {} },
  'ingresses.networking.k8s.io': { spec: {} },
  'ingressclasses.networking.k8s.io': { spec: {} },
  'networkpolicies.networking.k8s.io': { spec: {} },
  'poddisruptionbudgets.policy': { spec: {} },
  'customresourcedefinitions.apiextensions.k8s.io': { spec: { names: {}, versions: null } },
};

/** The object that a new one is compared with. */
export function blankOf({ type }: Served): Fields {
  const blank = type.custom ? undefined : blanks[type.id];
  return { ...blank, metadata: {} };
}
