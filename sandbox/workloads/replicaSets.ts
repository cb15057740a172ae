import { createHash } from 'node:crypto';
import { sameValue } from '../../schemas/pods/fields.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { sorted } from '../store/value.ts';
import { controllerReference } from './children.ts';
import type { Deployment, PodTemplate, ReplicaSet } from './kinds.ts';

export const revisionAnnotation = 'deployment.kubernetes.io/revision';
const historyAnnotation = 'deployment.kubernetes.io/revision-history';
export const desiredAnnotation = 'deployment.kubernetes.io/desired-replicas';
export const maxAnnotation = 'deployment.kubernetes.io/max-replicas';
const hashLabel = 'pod-template-hash';

/** Annotations of a Deployment that its ReplicaSets do not get. */
const notCopied = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  revisionAnnotation,
  historyAnnotation,
  desiredAnnotation,
  maxAnnotation,
  'deprecated.deployment.rollback.to',
]);

export function replicasOf({ spec }: ReplicaSet | Deployment): number {
  return spec.replicas ?? 1;
}

export function sumOf(sets: readonly ReplicaSet[], count: (set: ReplicaSet) => number | undefined): number {
  return sets.reduce((sum, set) => sum + (count(set) ?? 0), 0);
}

function createdAt({ metadata }: KubeObject): number {
  return Date.parse(metadata.creationTimestamp ?? '');
}

/** The oldest first; of one second by name. */
export function byAge(sets: readonly ReplicaSet[]): ReplicaSet[] {
  return [...sets].sort(
    (a, b) => createdAt(a) - createdAt(b) || (a.metadata.name < b.metadata.name ? -1 : 1),
  );
}

export function revisionOf({ metadata }: KubeObject): number {
  return Number(metadata.annotations?.[revisionAnnotation] ?? 0) || 0;
}

function withoutHash({ metadata, spec }: PodTemplate) {
  const { [hashLabel]: _hash, ...labels } = metadata?.labels ?? {};
  return { metadata: { ...metadata, labels }, spec };
}

/** The ReplicaSet that has the template of the Deployment; of several the oldest. */
export function currentSet(deployment: Deployment, sets: readonly ReplicaSet[]): ReplicaSet | undefined {
  const template = withoutHash(deployment.spec.template);
  return byAge(sets).find((set) => sameValue(withoutHash(set.spec.template), template));
}

const letters = 'bcdfghjklmnpqrstvwxz2456789';

/** A hash in the alphabet of Kubernetes' hashes; its value is our own, because theirs prints structs of Go. */
export function contentHash(content: unknown, collisions = 0): string {
  const text = JSON.stringify([sorted(content), collisions]);
  const number = createHash('sha256').update(text).digest().readUInt32BE(0);
  return [...String(number)].map((digit) => letters[digit.charCodeAt(0) % letters.length]).join('');
}

/** The ReplicaSet of a new template, with this number of replicas. */
export function newSet(deployment: Deployment, replicas: number, annotations: Record<string, string>) {
  const { template, selector, minReadySeconds } = deployment.spec;
  const hash = contentHash(template, deployment.status?.collisionCount);
  const labels = { ...template.metadata?.labels, [hashLabel]: hash };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${deployment.metadata.name}-${hash}`,
      namespace: deployment.metadata.namespace,
      labels,
      annotations,
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas,
      ...(minReadySeconds === undefined ? {} : { minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector?.matchLabels, [hashLabel]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

/** The annotations of the current ReplicaSet: those of the Deployment, and its revision. */
export function setAnnotations(
  deployment: Deployment,
  set: ReplicaSet | undefined,
  revision: number,
): Record<string, string> {
  const copied = Object.entries(deployment.metadata.annotations ?? {}).filter(([key]) => !notCopied.has(key));
  const current = set?.metadata.annotations ?? {};
  const annotations = { ...current, ...Object.fromEntries(copied) };
  const known = set === undefined ? 0 : revisionOf(set);
  if (known >= revision) return annotations;
  annotations[revisionAnnotation] = String(revision);
  if (known > 0) {
    const history = (annotations[historyAnnotation] ?? '').split(',').filter((each) => each !== '');
    annotations[historyAnnotation] = [...history, String(known)].join(',');
  }
  return annotations;
}
