import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { GATE, MATCHED_ANNOTATION } from '../../../semantics/workloadspread/resource.ts';
import { type Caps, inZone, NOW } from './spreads.ts';

/** A WorkloadSpread of the Deployment `web` with these subsets, each of a zone of its name. */
export function spreadOfDeployment(caps: Caps, spec: JsonObject = {}, status: JsonObject = {}): KubeObject {
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'WorkloadSpread',
    metadata: { name: 'spread', namespace: 'shop', uid: 'of-spread', generation: 1 },
    spec: {
      targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      subsets: Object.entries(caps).map(([name, maxReplicas]) => ({
        name,
        requiredNodeSelector: inZone(name),
        ...(maxReplicas !== null && { maxReplicas }),
      })),
      ...spec,
    },
    status,
  };
}

export function deploymentOf(replicas: number, rollout = '1'): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: 'web',
      namespace: 'shop',
      uid: 'of-web',
      annotations: { 'deployment.kubernetes.io/revision': rollout },
    },
    spec: { replicas, selector: { matchLabels: { app: 'web' } } },
  };
}

export function replicaSetOf(hash: string, rollout: string): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `web-${hash}`,
      namespace: 'shop',
      labels: { app: 'web', 'pod-template-hash': hash },
      annotations: { 'deployment.kubernetes.io/revision': rollout },
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'of-web', controller: true },
      ],
    },
  };
}

/** A pod of the Deployment: with the gate, or in a subset. */
export function podOf(name: string, subset?: string, more: { hash?: string; spec?: JsonObject } = {}): Pod {
  const { hash = 'h1', spec = {} } = more;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'shop',
      uid: `uid-${name}`,
      resourceVersion: '7',
      labels: { app: 'web', 'pod-template-hash': hash },
      creationTimestamp: new Date(NOW).toISOString(),
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: `web-${hash}`,
          uid: `of-${hash}`,
          controller: true,
        },
      ],
      ...(subset !== undefined && {
        annotations: { [MATCHED_ANNOTATION]: JSON.stringify({ name: 'spread', subset }) },
      }),
    },
    spec: {
      containers: [{ name: 'main', image: 'web:1' }],
      ...(subset === undefined && { schedulingGates: [{ name: GATE }] }),
      ...spec,
    },
    status: { phase: 'Pending' },
  };
}
