import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import type { Action } from '../../semantics/decision.ts';
import type { Lifecycle } from '../../semantics/lifecycle/hooks.ts';
import { hookOfState } from '../../semantics/lifecycle/wait.ts';
import { nodeOfPod } from '../../semantics/node/placement.ts';
import { hasInPlaceGate } from '../../semantics/pod/readiness.ts';
import { timestamp } from '../../semantics/values/timestamp.ts';
import {
  type ContainerStatus,
  IN_PLACE_READY,
  LIFECYCLE_LABEL,
  type Pod,
} from '../../semantics/pod/types.ts';
import { patched } from '../../semantics/reconcile/patched.ts';

/** Milliseconds from a change of a pod to its readiness in the model. It is a unit of time, not a prediction. */
export const READY_AFTER_MS = 1_000;

/**
 * Pods of a model cluster: every pod is scheduled at once, every image is pulled, every container becomes ready a fixed
 * time after its start, and the readiness gates of the user open with the containers. Controllers let a pod pass its
 * lifecycle hooks at once. It has just enough state for the rules to decide.
 */
export interface PodModel {
  pods(): Pod[];
  /** Executes an action on a pod. The caller executes all other actions. */
  apply(action: Action, now: number): void;
  /** Marks pods as ready whose time has come, and returns when the next one will be ready; undefined if none is starting. */
  markReady(now: number): number | undefined;
}

export function createPodModel(initial: readonly Pod[], lifecycle: Lifecycle): PodModel {
  const rows = new Map(initial.map((pod) => [pod.metadata.name, pod] as const));
  const due = new Map<string, number>();
  let version = 1;

  function store(changed: Pod): void {
    version += 1;
    const pod = withHooksPassed(changed, lifecycle);
    rows.set(pod.metadata.name, { ...pod, metadata: { ...pod.metadata, resourceVersion: String(version) } });
  }

  return {
    pods: () => [...rows.values()],
    apply(action, now) {
      if (action.kind !== 'Pod') return;
      if (action.do === 'create') {
        const name = action.object.metadata.name;
        due.set(name, now + READY_AFTER_MS);
        store(started(action.object, `uid-of-${name}`, now));
      } else if (action.do === 'delete') {
        rows.delete(action.name);
        due.delete(action.name);
      } else if (action.do === 'patch') {
        const pod = rows.get(action.name);
        if (pod === undefined) return;
        const changed = patched(pod, action.body);
        if (action.body['spec'] !== undefined) due.set(action.name, now + READY_AFTER_MS);
        store(due.has(action.name) ? changed : withReadiness(changed, now));
      }
    },
    markReady(now) {
      for (const [name, at] of due) {
        const pod = rows.get(name);
        if (at > now || pod === undefined) continue;
        due.delete(name);
        store(withReadiness(running(pod), now));
      }
      return due.size === 0 ? undefined : Math.min(...due.values());
    },
  };
}

/** What the controllers behind the hooks do about a pod that waits: they remove the handlers, or add them. */
function withHooksPassed(pod: Pod, lifecycle: Lifecycle): Pod {
  const wait = hookOfState(pod.metadata.labels?.[LIFECYCLE_LABEL]);
  const hook = wait && lifecycle[wait.hook];
  if (wait === undefined || hook === undefined) return pod;
  const { labels = {}, finalizers = [], ...metadata } = pod.metadata;
  const others = Object.entries(labels).filter(([key]) => !Object.hasOwn(hook.labels, key));
  const free = finalizers.filter((each) => !hook.finalizers.includes(each));
  return {
    ...pod,
    metadata: {
      ...metadata,
      labels: { ...Object.fromEntries(others), ...(wait.has ? {} : hook.labels) },
      finalizers: wait.has ? free : [...free, ...hook.finalizers],
    },
  };
}

/** A pod of the model that has been running and ready since the given time. */
export function readyPod(object: KubeObject, uid: string, since: number): Pod {
  const open: Condition = {
    type: IN_PLACE_READY,
    status: 'True',
    lastTransitionTime: timestamp(since),
  };
  const pod = started(object, uid, since);
  const labels = { ...pod.metadata.labels, 'lifecycle.apps.kruise.io/state': 'Normal' };
  const opened = {
    ...pod,
    metadata: { ...pod.metadata, labels },
    status: { ...pod.status, conditions: [open] },
  };
  return withReadiness(running(opened), since);
}

function started(object: KubeObject, uid: string, now: number): Pod {
  const pod = object as Pod;
  return {
    ...pod,
    metadata: { ...pod.metadata, uid, resourceVersion: '1', creationTimestamp: timestamp(now) },
    spec: { ...pod.spec, nodeName: nodeOfPod(pod) || 'node' },
    status: { phase: 'Running', conditions: [] },
  };
}

function running(pod: Pod): Pod {
  const containerStatuses: ContainerStatus[] = pod.spec.containers.map(({ name, image, resources }) => ({
    name,
    image,
    imageID: `id-of-${image}`,
    restartCount: 0,
    ready: true,
    ...(resources !== undefined && { resources }),
  }));
  return { ...pod, status: { ...pod.status, phase: 'Running', containerStatuses } };
}

/**
 * Sets readiness as a kubelet would: all containers are ready, and the gate of the in-place update is open. Assumes that
 * readiness gates of the user open as soon as the containers are ready.
 */
function withReadiness(pod: Pod, now: number): Pod {
  const conditions = pod.status?.conditions ?? [];
  const gate = conditions.find((c) => c.type === IN_PLACE_READY);
  const open = !hasInPlaceGate(pod) || gate?.status === 'True';
  const wanted = open ? 'True' : 'False';
  const before = conditions.find((c) => c.type === 'Ready');
  if (before?.status === wanted) return pod;
  const ready: Condition = { type: 'Ready', status: wanted, lastTransitionTime: timestamp(now) };
  const rest = conditions.filter((c) => c.type !== 'Ready' && c.type !== 'ContainersReady');
  const containers: Condition = { type: 'ContainersReady', status: 'True' };
  return { ...pod, status: { ...pod.status, conditions: [...rest, containers, ready] } };
}
