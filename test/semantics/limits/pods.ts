import type { KubeObject, OwnerReference } from '../../../schemas/wire/object.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';

export const NOW = Date.UTC(2026, 0, 2, 12);

const owner = (kind: string, name: string): OwnerReference => ({
  apiVersion: kind === 'ReplicaSet' ? 'apps/v1' : 'apps.kruise.io/v1beta1',
  kind,
  name,
  uid: `uid-${name}`,
  controller: true,
});

/**
 * Pods `a b! c~ dt es`, of a controller if one is given. `!`: not ready, `~`: ready for a second, `t`: being deleted, `f`: it
 * has failed, `d`: drained, `s`: a set has changed its image, and the old one still runs.
 */
export function podsOf(text: string, controller?: readonly [kind: string, name: string]): Pod[] {
  return text
    .split(' ')
    .filter((each) => each !== '')
    .map((each) => podOf(each, controller && owner(...controller)));
}

function podOf(text: string, controller: OwnerReference | undefined): Pod {
  const [name = '', ...marks] = text;
  const since = timestamp(NOW - (marks.includes('~') ? 1_000 : 60_000));
  const ready = {
    type: 'Ready',
    status: marks.includes('!') ? 'False' : 'True',
    lastTransitionTime: since,
  } as const;
  const drained = { type: 'InPlaceUpdateReady', status: 'False', reason: 'StartInPlaceUpdate' } as const;
  const state = { log: { lastContainerStatuses: { log: { imageID: 'log@1' } } } };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'shop',
      uid: `uid-${name}`,
      labels: { app: 'web', name },
      ...(marks.includes('s') && {
        annotations: { 'kruise.io/sidecarset-inplace-update-state': JSON.stringify(state) },
      }),
      ...(marks.includes('t') && { deletionTimestamp: timestamp(NOW) }),
      ...(controller && { ownerReferences: [controller] }),
    },
    spec: { containers: [{ name: 'log', image: marks.includes('s') ? 'log:2' : 'log:1' }] },
    status: {
      phase: marks.includes('f') ? 'Failed' : 'Running',
      conditions: [ready, ...(marks.includes('d') ? [drained] : [])],
      containerStatuses: [{ name: 'log', ready: true, restartCount: 0, image: 'log:1', imageID: 'log@1' }],
    },
  };
}

/** Pods `a b` of a ReplicaSet of the Deployment `web`. */
export function podsOfDeployment(text: string, hash = '5d9f'): Pod[] {
  return podsOf(text, ['ReplicaSet', `web-${hash}`]).map((pod) => ({
    ...pod,
    metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, 'pod-template-hash': hash } },
  }));
}

/** The Deployment `web`. */
export function deploymentOf(spec: JsonObject, status: JsonObject = {}): KubeObject {
  const metadata = { name: 'web', namespace: 'shop' };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec, status };
}

/** A PodDisruptionBudget `web` of the pods with these names; default: of all. */
export function budgetOf(spec: JsonObject, status: JsonObject = {}, names?: readonly string[]): KubeObject {
  const selector =
    names === undefined
      ? { matchLabels: { app: 'web' } }
      : { matchExpressions: [{ key: 'name', operator: 'In', values: [...names] }] };
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'web', namespace: 'shop', generation: 2 },
    spec: { selector, ...spec },
    status,
  };
}
