import type { KubeObject } from '../../schemas/wire/object.ts';
import { PROTECTION_LABEL } from '../../semantics/protection/label.ts';

/** One object with a value of the label, and what comes of its deletion. */
export interface ProtectionCase {
  item: string;
  object: KubeObject;
  /** What kubectl deletes it by. */
  resource: string;
  /** A part of the refusal; undefined: it may be deleted. */
  refusal: string | undefined;
  /** A part of the warning when it is created; undefined: there is none. */
  warning?: string;
}

const template = {
  metadata: { labels: { app: 'a' } },
  spec: { containers: [{ name: 'main', image: 'nginx:1' }] },
};
const pods = { selector: { matchLabels: { app: 'a' } }, template };
/** A selector that fits no node: where nodes are, nothing starts. */
const nowhere = { ...template, spec: { ...template.spec, nodeSelector: { nowhere: 'true' } } };

const once = { template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } };

/** The specs that are valid to a server. */
const SPECS: Readonly<Record<string, object>> = {
  Deployment: pods,
  ReplicaSet: pods,
  StatefulSet: { ...pods, serviceName: 'a' },
  CloneSet: pods,
  DaemonSet: { ...pods, template: nowhere },
  BroadcastJob: { template: { ...nowhere, spec: { ...nowhere.spec, restartPolicy: 'Never' } } },
  Job: { ...once, suspend: true },
  CronJob: { schedule: '0 3 * * *', jobTemplate: { spec: once }, suspend: true },
  Service: { ports: [{ port: 80 }] },
  Ingress: { defaultBackend: { service: { name: 'a', port: { number: 80 } } } },
  PersistentVolumeClaim: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};

let made = 0;

/** An object with the label, of a name that no other case has. */
export function labelled(apiVersion: string, kind: string, value: string, spec?: object): KubeObject {
  const name = `${kind.toLowerCase()}-${++made}`;
  const whole = { ...SPECS[kind], ...spec };
  return {
    apiVersion,
    kind,
    metadata: { name, labels: { [PROTECTION_LABEL]: value } },
    ...(Object.keys(whole).length > 0 && { spec: whole }),
  };
}

type Row = readonly [item: string, resource: string, object: KubeObject, refusal?: string, warning?: string];

const ALWAYS = 'remove the label first';
const replicas = (count: number): string =>
  `, and replicas is ${count}: scale it to 0 first, or remove the label`;
const noEffect = (resource: string): string =>
  `${PROTECTION_LABEL}=Cascading protects nothing of ${resource}: write Always`;

/** Rows of every workload with a number of replicas. */
const scaled = (item: string, resource: string, apiVersion: string, kind: string): Row[] => [
  [item, resource, labelled(apiVersion, kind, 'Always', { replicas: 0 }), ALWAYS],
  [item, resource, labelled(apiVersion, kind, 'Cascading', { replicas: 2 }), replicas(2)],
  [item, resource, labelled(apiVersion, kind, 'Cascading', { replicas: 0 })],
];

const rows: readonly Row[] = [
  ...scaled('DP-8, DP-9', 'clonesets.apps.kruise.io', 'apps.kruise.io/v1beta1', 'CloneSet'),
  ...scaled('DP-18', 'clonesets.v1alpha1.apps.kruise.io', 'apps.kruise.io/v1alpha1', 'CloneSet'),
  ...scaled('DP-10', 'statefulsets.apps.kruise.io', 'apps.kruise.io/v1beta1', 'StatefulSet'),
  ...scaled('DP-10', 'deployments.apps', 'apps/v1', 'Deployment'),
  ...scaled('DP-10', 'replicasets.apps', 'apps/v1', 'ReplicaSet'),
  ...scaled('DP-10', 'statefulsets.apps', 'apps/v1', 'StatefulSet'),
  // The definition gives it the number that OpenKruise's webhook gives it.
  [
    'DP-24',
    'clonesets.apps.kruise.io',
    labelled('apps.kruise.io/v1beta1', 'CloneSet', 'Cascading'),
    replicas(1),
  ],
  ['DP-11', 'services', labelled('v1', 'Service', 'Always'), ALWAYS],
  ['DP-11', 'services', labelled('v1', 'Service', 'Cascading'), undefined, noEffect('services')],
  ['DP-12', 'ingresses', labelled('networking.k8s.io/v1', 'Ingress', 'Always'), ALWAYS],
  [
    'DP-12',
    'ingresses',
    labelled('networking.k8s.io/v1', 'Ingress', 'Cascading'),
    undefined,
    noEffect('ingresses.networking.k8s.io'),
  ],
  [
    'DP-16',
    'configmaps',
    labelled('v1', 'ConfigMap', 'always'),
    undefined,
    `${PROTECTION_LABEL}=always protects nothing: the values are Always and Cascading`,
  ],
  // Not in OpenKruise.
  ['DP-17', 'daemonsets.apps', labelled('apps/v1', 'DaemonSet', 'Always'), ALWAYS],
  [
    'DP-17',
    'daemonsets.apps',
    labelled('apps/v1', 'DaemonSet', 'Cascading'),
    undefined,
    noEffect('daemonsets.apps'),
  ],
  ['beyond', 'daemonsets.apps.kruise.io', labelled('apps.kruise.io/v1beta1', 'DaemonSet', 'Always'), ALWAYS],
  [
    'beyond',
    'broadcastjobs.apps.kruise.io',
    labelled('apps.kruise.io/v1beta1', 'BroadcastJob', 'Always'),
    ALWAYS,
  ],
  ['beyond', 'jobs.batch', labelled('batch/v1', 'Job', 'Always'), ALWAYS],
  ['beyond', 'cronjobs.batch', labelled('batch/v1', 'CronJob', 'Always'), ALWAYS],
  ['beyond', 'configmaps', labelled('v1', 'ConfigMap', 'Always'), ALWAYS],
  ['beyond', 'persistentvolumeclaims', labelled('v1', 'PersistentVolumeClaim', 'Always'), ALWAYS],
];

/** The cases about objects of a namespace: a sandbox and an API server answer the same. */
export const protectionCases: readonly ProtectionCase[] = rows.map(
  ([item, resource, object, refusal, warning]) => ({
    item,
    resource,
    object,
    refusal,
    ...(warning !== undefined && { warning }),
  }),
);
