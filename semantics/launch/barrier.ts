import type { KubeObject, OwnerReference } from '../../schemas/wire/object.ts';
import type { CreateAction } from '../decision.ts';
import { canonicalJson } from '../values/canonical-json.ts';
import { objectOf } from '../values/read.ts';
import { barrierName, barrierPriorities } from '../pod/launching.ts';
import type { Container, Pod } from '../pod/types.ts';
import {
  keyOfPriority,
  LAUNCH_BARRIER_ENV,
  priorityOfKey,
  variableOf,
  variablesOf,
  writtenPriorities,
} from '../pod/launch-priority.ts';

/**
 * A new pod whose containers wait for their priority: each has a variable that needs the key of its priority in the ConfigMap of
 * the pod, and the kubelet creates no container that lacks a variable. A pod without an order stays as it is.
 *
 * @param highest the highest priority, where its key is in the ConfigMap already: the others follow at the same distances
 */
export function withLaunchOrder(pod: KubeObject, highest?: number): KubeObject {
  const spec = objectOf(pod['spec']);
  const containers = Array.isArray(spec['containers']) ? (spec['containers'] as Container[]) : [];
  const priorities = writtenPriorities(pod.metadata.annotations, containers);
  // A variable that somebody wrote would wait for a key that is never there, or for none.
  const isWritten = containers.some((each) => variableOf(each, LAUNCH_BARRIER_ENV) !== undefined);
  if (priorities.size === 0 && !isWritten) return pod;
  const shift = highest === undefined ? 0 : highest - Math.max(...priorities.values());
  return {
    ...pod,
    spec: {
      ...spec,
      containers: containers.map((container) => {
        const env = variablesOf(container).filter(({ name }) => name !== LAUNCH_BARRIER_ENV);
        const priority = priorities.get(container.name);
        const barrier = {
          name: LAUNCH_BARRIER_ENV,
          valueFrom: {
            configMapKeyRef: {
              name: barrierName(pod.metadata.name),
              key: keyOfPriority((priority ?? 0) + shift),
            },
          },
        };
        return { ...container, env: priority === undefined ? env : [...env, barrier] };
      }),
    },
  };
}

/**
 * The creation of a pod, after that of its ConfigMap: the containers of the highest priority need not wait. One that an earlier
 * pod of this name has left is reset first, so that the order holds for this pod, too. The target owns it until the pod does.
 */
export function afterBarrier(pod: CreateAction, target: KubeObject): CreateAction {
  const object = pod.object as Pod;
  const priorities = [...barrierPriorities(object).values()];
  if (priorities.length === 0) return pod;
  const { apiVersion, kind, metadata } = target;
  const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '' };
  return {
    do: 'create',
    kind: 'ConfigMap',
    verb: 'create launch barrier',
    object: barrierOf(object, owner, [Math.max(...priorities)]),
    reason: 'the containers of its pod start in an order',
    next: pod,
  };
}

/** The ConfigMap of a pod whose containers of these priorities may start. */
export function barrierOf(
  { metadata: { name, namespace } }: Pod,
  owner: OwnerReference,
  released: readonly number[],
): KubeObject {
  const keys = [...new Set(released)].sort((a, b) => b - a).map(keyOfPriority);
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: barrierName(name),
      ...(namespace === undefined ? {} : { namespace }),
      ownerReferences: [owner],
    },
    data: Object.fromEntries(keys.map((key) => [key, 'true'])),
  };
}

/**
 * What a ConfigMap becomes that has the name of a barrier.
 *
 * @returns the object to write; `undefined`: it is as wanted; `taken`: it is not a barrier, and must not be changed
 */
export function barrierOver(found: KubeObject, wanted: KubeObject): KubeObject | undefined | 'taken' {
  if (!isBarrier(found)) return 'taken';
  const [owner] = wanted.metadata.ownerReferences ?? [];
  const isSame = found.metadata.ownerReferences?.some(({ uid }) => uid === owner?.uid) === true;
  // A key that another controller has added for the same pod stays: its containers may run already.
  const data = {
    ...(isSame && owner?.kind === 'Pod' ? objectOf(found['data']) : {}),
    ...objectOf(wanted['data']),
  };
  const ownerReferences = wanted.metadata.ownerReferences ?? [];
  const isEqual =
    canonicalJson(data) === canonicalJson(objectOf(found['data'])) &&
    canonicalJson(ownerReferences) === canonicalJson(found.metadata.ownerReferences ?? []);
  return isEqual ? undefined : { ...found, metadata: { ...found.metadata, ownerReferences }, data };
}

/** Whether a ConfigMap is what a runtime or OpenKruise has made for a pod: it has an owner, and no other keys. */
function isBarrier(found: KubeObject): boolean {
  const owned = (found.metadata.ownerReferences ?? []).length > 0;
  return (
    owned &&
    found['binaryData'] === undefined &&
    Object.keys(objectOf(found['data'])).every((key) => priorityOfKey(key) !== undefined)
  );
}
