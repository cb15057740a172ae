import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { Node } from '../../../semantics/node/node.ts';
import type { ContainerStatus, Pod } from '../../../semantics/pod/types.ts';
import { newPullPod } from '../../../semantics/pull/pod.ts';
import type { PullWork } from '../../../semantics/pull/work.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';

export const NOW = Date.UTC(2026, 0, 1, 12);
export const SECOND = 1_000;

export const owner: KubeObject = {
  apiVersion: 'apps.kruise.io/v1alpha1',
  kind: 'CloneSet',
  metadata: { name: 'web', namespace: 'shop', uid: 'uid-of-web' },
};

/** A ready node that offers room; `images`: what it lists. */
export function nodeOf(name: string, images: readonly string[] = []): Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { pool: name } },
    status: {
      allocatable: { cpu: '2', memory: '4Gi', pods: '110' },
      conditions: [{ type: 'Ready', status: 'True' }],
      images: images.map((image) => ({ names: [image] })),
    },
  };
}

export function workOf(parts: Partial<PullWork> = {}): PullWork {
  return {
    owner,
    key: 'k1',
    images: ['nginx:1.27'],
    podSpec: {},
    nodes: ['a', 'b', 'c'].map((name) => nodeOf(name)),
    parallelism: 2,
    attempts: 3,
    attemptMs: 600 * SECOND,
    isRefused: false,
    ...parts,
  };
}

type State = Record<string, { reason?: string }>;

export const PULLING: State = { waiting: { reason: 'ContainerCreating' } };
export const STARTED: State = { terminated: { reason: 'StartError' } };
/** The kubelet has ended the pod, by its deadline or because the node has no room, and does not know the container. */
export const LOST: State = { terminated: { reason: 'ContainerStatusUnknown' } };
export const REFUSED: State = { waiting: { reason: 'ImagePullBackOff' } };

/** A pod that pulls to a node, as the cache has it. `states`: one for each image; empty: the kubelet has not seen it. */
export function podOf(
  node: string,
  states: readonly State[],
  { attempt = 1, round = 1, ageMs = 0, work = workOf(), ...metadata }: PodParts = {},
): Pod {
  const pod = newPullPod(work, node, attempt, round) as Pod;
  const containerStatuses = states.map((state, index): ContainerStatus => ({
    name: `image-${index + 1}`,
    state,
  }));
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      uid: `uid-${node}-${attempt}`,
      resourceVersion: '7',
      creationTimestamp: timestamp(NOW - ageMs),
      ...metadata,
    },
    status: { phase: 'Pending', containerStatuses },
  };
}

interface PodParts {
  attempt?: number;
  round?: number;
  ageMs?: number;
  work?: PullWork;
  deletionTimestamp?: string;
}
