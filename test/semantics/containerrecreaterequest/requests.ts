import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { decideRequest, type ObservedRequest } from '../../../semantics/containerrecreaterequest/decide.ts';
import type { Decision } from '../../../semantics/decision.ts';
import type { RequestStatus } from '../../../semantics/containerrecreaterequest/status.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { patched } from '../../../semantics/reconcile/patched.ts';
import { objectOf } from '../../../semantics/values/read.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';
import { recreateRequest } from '../../fixtures/recreate-requests.ts';

export const T0: number = Date.UTC(2026, 0, 1);
export const DIGEST: string = `sha256:${'a'.repeat(64)}`;

/** The pod `web-0` with these containers, which have run for an hour. */
export function podWith(names: readonly string[], spec: JsonObject = {}, container: JsonObject = {}): Pod {
  const startedAt = timestamp(T0 - 3_600_000);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web-0', namespace: 'shop', uid: 'pod-uid', resourceVersion: '1', generation: 1 },
    spec: {
      nodeName: 'node-1',
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      ...spec,
      containers: names.map((name) => ({ name, image: `${name}:1`, ...container })),
    },
    status: {
      phase: 'Running',
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'ContainersReady', status: 'True' },
      ],
      containerStatuses: names.map((name) => ({
        name,
        ready: true,
        restartCount: 0,
        image: `docker.io/library/${name}:1`,
        imageID: `docker.io/library/${name}@${DIGEST}`,
        containerID: `containerd://${name}-0`,
        state: { running: { startedAt } },
      })),
    },
  } as unknown as Pod;
}

/** The pod after the kubelet has restarted a container at a time, ready or not. */
export function restarted(pod: Pod, name: string, at: number, ready = true): Pod {
  const containerStatuses = (pod.status?.containerStatuses ?? []).map((status) => {
    if (status.name !== name) return status;
    const restartCount = (status.restartCount ?? 0) + 1;
    const state = { running: { startedAt: timestamp(at) } };
    return { ...status, restartCount, ready, state, containerID: `containerd://${name}-${restartCount}` };
  });
  return { ...pod, status: { ...pod.status, containerStatuses } };
}

/** A request, its pod, and what is decided about them, as a runtime carries it out. */
export interface Played {
  target: KubeObject;
  pod: Pod | undefined;
  /** What was done, as verbs and the spellings that containers got. */
  done: string[];
  decision: Decision<RequestStatus>;
}

export function begun(
  spec: JsonObject,
  pod: Pod | undefined,
  containers: readonly string[] = ['main'],
): Played {
  const { metadata, ...rest } = recreateRequest('restart', 'web-0', containers, spec);
  const own = { uid: 'request-uid', resourceVersion: '1', creationTimestamp: timestamp(T0) };
  const target = { ...rest, metadata: { ...metadata, ...own } } as KubeObject;
  return { target, pod, done: [], decision: { actions: [], explanations: [], status: {} } };
}

/** One reconcile at a time: its writes and its status are in the result. */
export function reconciled(
  { target, pod, done }: Played,
  now: number,
  more: Partial<ObservedRequest> = {},
  held?: { reason: string; message: string },
): Played {
  const pods = pod === undefined ? [] : [pod];
  const decision = decideRequest({ target, pods, now, ...more }, held);
  let [nextTarget, nextPod] = [target, pod];
  const verbs: string[] = [];
  for (const action of decision.actions) {
    verbs.push(action.verb);
    if (action.do !== 'patch') continue;
    const { metadata, ...body } = action.body as { metadata?: JsonObject };
    const { uid: _uid, resourceVersion: _version, finalizers, ...own } = metadata ?? {};
    if (action.kind === 'Target') {
      nextTarget = patched(nextTarget, { metadata: own });
      if (Array.isArray(finalizers)) nextTarget.metadata.finalizers = finalizers as string[];
    } else if (nextPod !== undefined) nextPod = patched(nextPod, { ...body, metadata: own });
  }
  const status = decision.actions.some(({ kind }) => kind === 'Target') ? target['status'] : decision.status;
  const reported = status === undefined ? {} : { status: objectOf(status) };
  return { target: { ...nextTarget, ...reported }, pod: nextPod, done: [...done, ...verbs], decision };
}

/** Several reconciles, until nothing is decided any more. */
export function settledAt(played: Played, now: number, more: Partial<ObservedRequest> = {}): Played {
  let next = played;
  for (let index = 0; index < 10; index += 1) {
    const after = reconciled(next, now, more);
    if (JSON.stringify([after.target, after.pod]) === JSON.stringify([next.target, next.pod])) return after;
    next = after;
  }
  throw new Error('it never settles');
}

/** The images of the pod. */
export const imagesOf = ({ pod }: Played): string[] => (pod?.spec.containers ?? []).map(({ image }) => image);
