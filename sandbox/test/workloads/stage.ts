import type { Cluster } from '../../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { Pod } from '../../../schemas/pods/pod.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import type { WorldOptions } from '../../world.ts';
import { stage } from '../world.ts';

const served = (group: string, plural: string, kind: string) => ({
  group,
  version: 'v1',
  plural,
  kind,
  namespaced: true,
});

export const deployments = served('apps', 'deployments', 'Deployment');
export const replicaSets = served('apps', 'replicasets', 'ReplicaSet');
export const statefulSets = served('apps', 'statefulsets', 'StatefulSet');
export const daemonSets = served('apps', 'daemonsets', 'DaemonSet');
export const jobs = served('batch', 'jobs', 'Job');
export const cronJobs = served('batch', 'cronjobs', 'CronJob');

export type Status = Record<string, unknown> & {
  conditions?: { type: string; status: string; reason: string; message: string }[];
};

/** A world whose workload controllers run. */
export function workloadStage(options: Partial<WorldOptions> = {}) {
  const set = stage({ workloads: true, ...options });
  return { ...set, wait: (seconds: number) => set.clock.advance(seconds * 1000) };
}

export const at = (name: string) => ({ namespace: 'default', name });

export function statusOf(object: KubeObject): Status {
  return object['status'] as Status;
}

/** `TYPE STATUS REASON` of each condition, sorted. */
export function conditionsOf(object: KubeObject): string[] {
  return (statusOf(object).conditions ?? [])
    .map(({ type, status, reason }) => `${type} ${status} ${reason}`)
    .sort();
}

export async function podsOf(cluster: Cluster, labelSelector: string): Promise<Pod[]> {
  const { items } = await cluster.list(resources.Pod, { namespace: 'default', labelSelector });
  return items as Pod[];
}

export function merge(body: object) {
  return { type: 'merge', body: body as Record<string, never> } as const;
}

export const resourceQuotas = {
  group: '',
  version: 'v1',
  plural: 'resourcequotas',
  kind: 'ResourceQuota',
  namespaced: true,
};

/** Of the pods of a namespace. */
export function podQuota(name: string, pods: number): KubeObject {
  return { apiVersion: 'v1', kind: 'ResourceQuota', metadata: at(name), spec: { hard: { pods } } };
}

const template = (image: string) => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image }] },
});

/** A workload of pods with the label `app: web`. */
export function workload(kind: string, spec: object = {}, image = 'web:1'): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: 'web', namespace: 'default' },
    spec: { selector: { matchLabels: { app: 'web' } }, template: template(image), ...spec },
  };
}

export const imageChange = (image: string) =>
  merge({ spec: { template: { spec: { containers: [{ name: 'main', image }] } } } });
