import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { Pod } from '../../../semantics/pod/types.ts';

export const NOW = Date.UTC(2026, 0, 1, 12);
/** So many seconds before now. */
export const ago = (seconds: number): string =>
  `${new Date(NOW - seconds * 1000).toISOString().slice(0, 19)}Z`;
export const SHOP = 'shop';
export const SELECTOR = { matchLabels: { app: 'web' } };

/** The budget `web` of the pods with the label app=web, counted at its present generation. */
export function budget(spec: JsonObject = {}, status: JsonObject = {}, metadata: object = {}): KubeObject {
  return {
    apiVersion: 'policy.kruise.io/v1beta1',
    kind: 'PodUnavailableBudget',
    metadata: { name: 'web', namespace: SHOP, uid: 'uid-budget', generation: 1, ...metadata },
    spec: {
      ...(!('targetRef' in spec) && { selector: SELECTOR }),
      ...(!('minAvailable' in spec) && { maxUnavailable: 1 }),
      ...spec,
    },
    ...(Object.keys(status).length > 0 && { status: { observedGeneration: 1, ...status } }),
  };
}

/** The status of a budget of three pods of which one may be unavailable, and none is. */
export const OPEN = { unavailableAllowed: 1, currentAvailable: 3, desiredAvailable: 2, totalReplicas: 3 };
/** The same, with no slot left. */
export const FULL = { ...OPEN, unavailableAllowed: 0, currentAvailable: 2 };

interface Parts {
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  /** Group/version, kind and name of its controller; null: it has none. */
  owner?: readonly [apiVersion: string, kind: string, name: string] | null;
  isReady?: boolean;
  createdAt?: string;
  metadata?: object;
  image?: string;
  /** As the kubelet reports it. Default: that of the spec. */
  running?: string;
  imageID?: string;
  spec?: JsonObject;
  phase?: string;
  /** Why it is about to be deleted. */
  target?: string;
  /** When its condition DisruptionTarget became True. */
  targetSince?: string;
}

/** A pod of the CloneSet `web`. */
export function pod(name: string, parts: Parts = {}): Pod {
  const { labels = {}, annotations = {}, isReady = true, image = 'web:1', phase = 'Running' } = parts;
  const [apiVersion, kind, owner] = parts.owner ?? ['apps.kruise.io/v1beta1', 'CloneSet', 'web'];
  const reference = { apiVersion, kind, name: owner, uid: `uid-${owner}`, controller: true };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: SHOP,
      uid: `uid-${name}`,
      resourceVersion: '7',
      creationTimestamp: parts.createdAt ?? ago(600),
      labels: { app: 'web', ...labels },
      annotations,
      ...(parts.owner !== null && { ownerReferences: [reference] }),
      ...parts.metadata,
    },
    spec: { containers: [{ name: 'main', image }], ...parts.spec },
    status: {
      phase,
      conditions: [
        { type: 'Ready', status: isReady ? ('True' as const) : ('False' as const) },
        ...(parts.target === undefined
          ? []
          : [
              {
                type: 'DisruptionTarget',
                status: 'True' as const,
                reason: parts.target,
                ...(parts.targetSince !== undefined && { lastTransitionTime: parts.targetSince }),
              },
            ]),
      ],
      containerStatuses: [
        { name: 'main', image: parts.running ?? image, imageID: parts.imageID ?? `registry/${image}` },
      ],
    },
  };
}

/** A workload with so many replicas. */
export function workload(
  replicas: number | undefined,
  [apiVersion, kind, name]: readonly [string, string, string] = ['apps.kruise.io/v1beta1', 'CloneSet', 'web'],
  metadata: object = {},
): KubeObject {
  return {
    apiVersion,
    kind,
    metadata: { name, namespace: SHOP, uid: `uid-${name}`, ...metadata },
    spec: replicas === undefined ? {} : { replicas },
  };
}

/** Pods of a Deployment: by a ReplicaSet that is named after it. */
export function podsOfDeployment(name: string, count: number): Pod[] {
  const hash = '5d8c7f';
  return Array.from({ length: count }, (_, index) =>
    pod(`${name}-${index}`, {
      labels: { 'pod-template-hash': hash },
      owner: ['apps/v1', 'ReplicaSet', `${name}-${hash}`],
    }),
  );
}
