import type { KubeObject } from '../../schemas/wire/object.ts';
import { builtInTypes } from '../kinds/builtIn.ts';

const labels = { a: 'b' };
const selector = { matchLabels: labels };
const containers = [{ name: 'main', image: 'web:1' }];
const template = { metadata: { labels }, spec: { containers } };
const jobTemplate = { spec: { containers, restartPolicy: 'Never' } };
const request = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const scaleTargetRef = { kind: 'Deployment', name: 'w', apiVersion: 'apps/v1' };
const roleRef = { kind: 'Role', name: 'r', apiGroup: 'rbac.authorization.k8s.io' };
const rules = [{ apiGroups: ['x.y'], apiVersions: ['v1'], resources: ['x'], operations: ['CREATE'] }];
const webhooks = [
  {
    name: 'a.b.c',
    clientConfig: { service: { namespace: 'n', name: 's' } },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    rules,
  },
];
const time = '2026-01-01T00:00:00.000000Z';

/** A minimal manifest of each kind, by resource id. */
const samples: Readonly<Record<string, object>> = {
  'apiservices.apiregistration.k8s.io': {
    spec: {
      group: 'x.y',
      version: 'v1',
      groupPriorityMinimum: 1,
      versionPriority: 1,
      service: { name: 's', namespace: 'n' },
    },
  },
  'certificatesigningrequests.certificates.k8s.io': {
    spec: { request: 'aGk=', signerName: 'a.b/c', usages: ['client auth'] },
  },
  'clusterrolebindings.rbac.authorization.k8s.io': { roleRef: { ...roleRef, kind: 'ClusterRole' } },
  'clusterroles.rbac.authorization.k8s.io': {},
  configmaps: { data: { a: 'b' } },
  'controllerrevisions.apps': { revision: 1, data: { a: 1 } },
  'cronjobs.batch': { spec: { schedule: '0 0 1 1 *', jobTemplate: { spec: { template: jobTemplate } } } },
  'csidrivers.storage.k8s.io': { spec: {} },
  'csinodes.storage.k8s.io': { spec: { drivers: [{ name: 'd', nodeID: 'n' }] } },
  'csistoragecapacities.storage.k8s.io': { storageClassName: 'x', capacity: '1024Mi' },
  'customresourcedefinitions.apiextensions.k8s.io': {
    spec: {
      group: 'own.example.com',
      scope: 'Namespaced',
      names: { plural: 'owns', kind: 'Own' },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
      ],
    },
  },
  'daemonsets.apps': { spec: { selector, template } },
  'deployments.apps': { spec: { selector, template } },
  endpoints: { subsets: [{ addresses: [{ ip: '1.2.3.4' }], ports: [{ port: 80 }] }] },
  'endpointslices.discovery.k8s.io': {
    addressType: 'IPv4',
    ports: [{ port: 80 }],
    endpoints: [{ addresses: ['1.2.3.4'] }],
  },
  events: { involvedObject: { kind: 'Pod', name: 'x', namespace: 'default' }, reason: 'r' },
  'events.events.k8s.io': {
    eventTime: time,
    regarding: { kind: 'Pod', name: 'x', namespace: 'default' },
    reason: 'r',
    type: 'Normal',
    action: 'a',
    reportingController: 'a/b',
    reportingInstance: 'x',
  },
  'flowschemas.flowcontrol.apiserver.k8s.io': { spec: { priorityLevelConfiguration: { name: 'x' } } },
  'horizontalpodautoscalers.autoscaling': { spec: { maxReplicas: 3, scaleTargetRef } },
  'ingressclasses.networking.k8s.io': {
    spec: { controller: 'a.b/c', parameters: { kind: 'X', name: 'x' } },
  },
  'ingresses.networking.k8s.io': {
    spec: { defaultBackend: { service: { name: 'x', port: { number: 80 } } } },
  },
  'ipaddresses.networking.k8s.io': {
    spec: { parentRef: { resource: 'services', name: 'x', namespace: 'y' } },
  },
  'jobs.batch': { spec: { template: jobTemplate } },
  'leases.coordination.k8s.io': {},
  limitranges: { spec: { limits: [{ type: 'Container', max: { cpu: '100' }, min: { cpu: '1m' } }] } },
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': { webhooks },
  namespaces: {},
  'networkpolicies.networking.k8s.io': { spec: { podSelector: {}, ingress: [{ ports: [{ port: 80 }] }] } },
  nodes: { spec: { podCIDR: '10.1.0.0/24' }, status: { capacity: { cpu: '1000m' } } },
  persistentvolumeclaims: { spec: request },
  persistentvolumes: {
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/x' } },
  },
  'poddisruptionbudgets.policy': { spec: { minAvailable: 1, selector } },
  pods: { spec: { containers, serviceAccountName: 'builder', nodeName: 'nowhere' } },
  podtemplates: { template },
  'priorityclasses.scheduling.k8s.io': { value: 5 },
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': {
    spec: { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: {} } } },
  },
  'replicasets.apps': { spec: { selector, template } },
  replicationcontrollers: { spec: { template } },
  resourcequotas: { spec: { hard: { cpu: '1000m' } } },
  'rolebindings.rbac.authorization.k8s.io': { roleRef, subjects: [{ kind: 'User', name: 'u' }] },
  'roles.rbac.authorization.k8s.io': {},
  'runtimeclasses.node.k8s.io': { handler: 'x' },
  secrets: { stringData: { a: 'b' } },
  'servicecidrs.networking.k8s.io': { spec: { cidrs: ['10.250.0.0/24'] } },
  serviceaccounts: {},
  services: { spec: { type: 'LoadBalancer', ports: [{ port: 80 }], externalTrafficPolicy: 'Local' } },
  'statefulsets.apps': {
    spec: { selector, template, volumeClaimTemplates: [{ metadata: { name: 'w' }, spec: request }] },
  },
  'storageclasses.storage.k8s.io': { provisioner: 'p' },
  'validatingadmissionpolicies.admissionregistration.k8s.io': {
    spec: { matchConstraints: { resourceRules: rules }, validations: [{ expression: 'true' }] },
  },
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': {
    spec: { policyName: 'x', validationActions: ['Deny'] },
  },
  'validatingwebhookconfigurations.admissionregistration.k8s.io': { webhooks },
  'volumeattachments.storage.k8s.io': {
    spec: { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: 'x' } },
  },
};

const names: Readonly<Record<string, string>> = {
  'apiservices.apiregistration.k8s.io': 'v1.x.y',
  'customresourcedefinitions.apiextensions.k8s.io': 'owns.own.example.com',
  'ipaddresses.networking.k8s.io': '192.168.250.7',
};

export interface KindSample {
  id: string;
  resource: { group: string; version: string; plural: string; kind: string; namespaced: boolean };
  manifest: KubeObject;
}

/** Every built-in kind in its storage version, with a minimal manifest; fails for a kind that has none. */
export function kindSamples(): KindSample[] {
  return builtInTypes()
    .map(({ group, plural, kind, namespaced, storageVersion: version }) => {
      const id = group === '' ? plural : `${plural}.${group}`;
      const fields = samples[id];
      if (fields === undefined) throw new Error(`no manifest of ${id}`);
      const metadata = { name: names[id] ?? 'own', ...(namespaced ? { namespace: 'default' } : {}) };
      const apiVersion = group === '' ? version : `${group}/${version}`;
      return {
        id,
        resource: { group, version, plural, kind, namespaced },
        manifest: { apiVersion, kind, metadata, ...fields },
      };
    })
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** The minimal manifest of a kind with other fields at its top, and those of the given metadata. */
export function sampleWith(id: string, fields: object = {}): KindSample {
  const sample = kindSamples().find((each) => each.id === id);
  if (sample === undefined) throw new Error(`no kind ${id}`);
  const { metadata, ...rest } = fields as { metadata?: object };
  const manifest = {
    ...sample.manifest,
    ...rest,
    metadata: { ...sample.manifest.metadata, ...metadata },
  };
  return { ...sample, manifest };
}
