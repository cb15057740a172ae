import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { CreatedPod, LaterPod } from '../../../semantics/influence/influence.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { matchedOf } from '../../../semantics/workloadspread/matched.ts';
import { spreadPods } from '../../../semantics/workloadspread/influence.ts';
import { MATCHED_ANNOTATION } from '../../../semantics/workloadspread/resource.ts';

export const NOW = Date.UTC(2026, 0, 1);
export const GROUP = 'apps.kruise.io/v1beta1';

/** Subsets by their names, with their caps; null: without a cap. */
export type Caps = Readonly<Record<string, number | string | null>>;

/** Nodes of a zone. */
export const inZone = (zone: string): JsonObject => ({
  matchExpressions: [{ key: 'zone', operator: 'In', values: [zone] }],
});

/** A WorkloadSpread of the workload `web` with these subsets, each of a zone of its name. */
export function spreadOf(caps: Caps, spec: JsonObject = {}, kind = 'CloneSet'): KubeObject {
  return {
    apiVersion: GROUP,
    kind: 'WorkloadSpread',
    metadata: { name: 'spread', namespace: 'shop', uid: 'of-spread', generation: 1 },
    spec: {
      targetRef: { apiVersion: GROUP, kind, name: 'web' },
      subsets: Object.entries(caps).map(([name, maxReplicas]) => ({
        name,
        requiredNodeSelector: inZone(name),
        ...(maxReplicas !== null && { maxReplicas }),
      })),
      ...spec,
    },
  };
}

export function ownerOf(replicas: number, kind = 'CloneSet'): KubeObject {
  return {
    apiVersion: GROUP,
    kind,
    metadata: { name: 'web', namespace: 'shop', uid: 'of-web' },
    spec: { replicas, selector: { matchLabels: { app: 'web' } } },
  };
}

/** A pod of the workload; in a subset, or not yet. */
export function podIn(name: string, subset?: string, more: Partial<Pod> = {}, kind = 'CloneSet'): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'shop',
      uid: `uid-${name}`,
      labels: { app: 'web' },
      creationTimestamp: '2026-01-01T00:00:00Z',
      ownerReferences: [{ apiVersion: GROUP, kind, name: 'web', uid: 'of-web', controller: true }],
      ...(subset !== undefined && {
        annotations: { [MATCHED_ANNOTATION]: JSON.stringify({ name: 'spread', subset }) },
      }),
    },
    spec: { containers: [{ name: 'main', image: 'web:1' }] },
    status: { phase: 'Running' },
    ...more,
  };
}

/** Every pod is on record, and of the only version. */
export const SETTLED = { assigned: new Map<string, string>(), isOlder: false };

/** Pods of a subset, by how many. */
export const podsIn = (subset: string, count: number): Pod[] =>
  Array.from({ length: count }, (_, index) => podIn(`${subset}-${index}`, subset));

/** The pods that are created now. */
export const madeIn = (created: readonly (CreatedPod | LaterPod)[]): KubeObject[] =>
  created.flatMap((each) => ('later' in each ? [] : [each.pod]));

/** The subsets that new pods with these names get. */
export function chosen(
  spread: KubeObject,
  {
    owner = ownerOf(6),
    present = [],
    names,
  }: { owner?: KubeObject; present?: readonly Pod[]; names: string[] },
): (string | undefined)[] {
  const pods = names.map((name) => podIn(name, undefined, {}, owner.kind));
  return madeIn(spreadPods(spread, owner, pods, NOW, { pods: present, nodes: undefined })).map(
    (pod) => matchedOf(pod)?.subset,
  );
}

/** The same spread with a status that leaves out these subsets. */
export function withClosed(spread: KubeObject, closed: readonly string[]): KubeObject {
  const conditions = [{ type: 'Schedulable', status: 'False', lastTransitionTime: '2026-01-01T00:00:00Z' }];
  return {
    ...spread,
    status: { subsetStatuses: closed.map((name) => ({ name, replicas: 0, missingReplicas: 0, conditions })) },
  };
}
