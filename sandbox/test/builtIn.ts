import type { KubeObject } from '../../schemas/wire/object.ts';
import { refusal, type Stage } from './world.ts';

export const labels = { a: 'b' };

export const selector = { matchLabels: labels };

export const main = { name: 'main', image: 'web:1' };

export const template = { metadata: { labels }, spec: { containers: [main] } };

export const jobTemplate = { spec: { containers: [main], restartPolicy: 'Never' } };

interface Kind {
  group: string;
  version: string;
  plural: string;
  kind: string;
  namespaced: boolean;
}

const kinds = {
  ConfigMap: ['', 'v1', 'configmaps'],
  Secret: ['', 'v1', 'secrets'],
  Event: ['', 'v1', 'events'],
  Deployment: ['apps', 'v1', 'deployments'],
  ReplicaSet: ['apps', 'v1', 'replicasets'],
  StatefulSet: ['apps', 'v1', 'statefulsets'],
  DaemonSet: ['apps', 'v1', 'daemonsets'],
  ControllerRevision: ['apps', 'v1', 'controllerrevisions'],
  Job: ['batch', 'v1', 'jobs'],
  CronJob: ['batch', 'v1', 'cronjobs'],
  PodDisruptionBudget: ['policy', 'v1', 'poddisruptionbudgets'],
  PriorityClass: ['scheduling.k8s.io', 'v1', 'priorityclasses'],
  StorageClass: ['storage.k8s.io', 'v1', 'storageclasses'],
} as const;

export type Name = keyof typeof kinds;

export function resource(kind: Name): Kind {
  const [group, version, plural] = kinds[kind];
  return { group, version, plural, kind, namespaced: !kind.endsWith('Class') };
}

export function object(kind: Name, fields: Record<string, unknown>): KubeObject {
  const { group, version, namespaced } = resource(kind);
  const apiVersion = group === '' ? version : `${group}/${version}`;
  return {
    apiVersion,
    kind,
    metadata: { name: 'x', ...(namespaced ? { namespace: 'default' } : {}) },
    ...fields,
  };
}

export const create = ({ alice }: Stage, kind: Name, fields: Record<string, unknown>) =>
  alice.create(resource(kind), object(kind, fields));

/** The errors, without the object name. */
export async function faults(call: Promise<unknown>): Promise<string> {
  return (await refusal(call)).message.replace(/^\S+ "x" is invalid: /, '');
}
