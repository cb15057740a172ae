import type { KubeObject } from '../../schemas/wire/object.ts';
import { withField } from '../store/value.ts';
import { readRows } from './rows.ts';
import { refusal, stage } from './world.ts';

const labels = { app: 'x' };
const container = {
  name: 'main',
  image: 'web:1',
  ports: [{ name: 'http', containerPort: 80 }],
  env: [{ name: 'A', value: 'b' }],
  volumeMounts: [{ name: 'v', mountPath: '/v' }],
  livenessProbe: { httpGet: { port: 80 } },
  readinessProbe: { exec: { command: ['x'] } },
  resources: { requests: { cpu: '1' }, limits: { cpu: '2' } },
};
const podSpec = { containers: [container], volumes: [{ name: 'v', emptyDir: {} }] };
const template = { metadata: { labels }, spec: podSpec };
const workload = { replicas: 1, selector: { matchLabels: labels }, template };
const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const job = { template: { spec: { ...podSpec, restartPolicy: 'Never' } } };

/** A valid object of each kind: apiVersion, plural, fields. */
const manifests = {
  Pod: ['v1', 'pods', { spec: podSpec }],
  Deployment: ['apps/v1', 'deployments', { spec: workload }],
  ReplicaSet: ['apps/v1', 'replicasets', { spec: workload }],
  DaemonSet: ['apps/v1', 'daemonsets', { spec: { selector: workload.selector, template } }],
  StatefulSet: [
    'apps/v1',
    'statefulsets',
    { spec: { ...workload, volumeClaimTemplates: [{ metadata: { name: 'd' }, spec: claim }] } },
  ],
  Job: ['batch/v1', 'jobs', { spec: job }],
  CronJob: ['batch/v1', 'cronjobs', { spec: { schedule: '* * * * *', jobTemplate: { spec: job } } }],
  PodDisruptionBudget: [
    'policy/v1',
    'poddisruptionbudgets',
    { spec: { minAvailable: 1, selector: { matchLabels: labels } } },
  ],
  PersistentVolumeClaim: ['v1', 'persistentvolumeclaims', { spec: claim }],
} as const;

export type Kind = keyof typeof manifests;
/** A kind, the changed path and value (undefined removes it), and the expected error. */
type Row = readonly [Kind, string, unknown, string];

/** Exact messages of a server for objects with one invalid field; removed fields have no value. */
export function rowsOf(subject: string): readonly Row[] {
  return readRows<[Kind, string, string] | Row>(`refused-${subject}`).map((row) =>
    row.length === 3 ? [row[0], row[1], undefined, row[2]] : row,
  );
}

function changed(value: unknown, [key, ...rest]: readonly string[], leaf: unknown): unknown {
  if (key === undefined) return leaf;
  if (!Array.isArray(value))
    return withField(value, [key], changed((value as Record<string, unknown>)?.[key], rest, leaf));
  const copy = [...(value as unknown[])];
  copy[Number(key)] = changed(copy[Number(key)], rest, leaf);
  return copy;
}

/** The message for an object with one invalid field. */
export async function faultsOf(kind: Kind, at: string, value: unknown): Promise<string> {
  const [apiVersion, plural, fields] = manifests[kind];
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  const metadata = { name: 'x', namespace: 'default' };
  const whole = { apiVersion, kind, metadata, ...structuredClone(fields) };
  const object = changed(whole, at.replace(/\[(\d+)\]/g, '.$1').split('.'), value) as KubeObject;
  const resource = { group, version, plural, kind, namespaced: true };
  const { message } = await refusal(stage({ nodes: 0 }).alice.create(resource, object));
  return message.replace(/^\S+ "x" is invalid: /, '');
}
