import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { PatchAction } from '../decision.ts';
import { addNotReadyKey, type NotReadyKey, removeNotReadyKey } from '../pod/kruise-ready.ts';
import type { Pod } from '../pod/types.ts';
import { requestResource, UNREADY_KEY } from './resource.ts';

/** Under which name a request keeps its pod out of traffic (OpenKruise container-recreate-request, section 5). */
function holderOf({ metadata }: KubeObject): NotReadyKey {
  return { userAgent: 'ContainerRecreateRequest', key: `${metadata.namespace ?? ''}/${metadata.name}` };
}

export function hasFinalizer({ metadata }: KubeObject): boolean {
  return metadata.finalizers?.includes(UNREADY_KEY) === true;
}

/** Writes the metadata of a request, on the version that was observed. */
export function markRequest(
  target: KubeObject,
  verb: string,
  reason: string,
  metadata: JsonObject,
): PatchAction {
  const { name, uid = '', resourceVersion = '' } = target.metadata;
  const body = { metadata: { uid, resourceVersion, ...metadata } };
  return { do: 'patch', kind: 'Target', resource: requestResource, verb, name, body, reason };
}

/**
 * The next write that takes the pod out of traffic (rule 6a.8): first the finalizer, so that whatever ends the request ends this, too;
 * then the gate. `done`: the pod is out of traffic, or has no gate.
 */
export function drain(target: KubeObject, pod: Pod, now: number): PatchAction | 'done' {
  const holder = holderOf(target);
  const body = addNotReadyKey(pod, holder, now);
  if (body === undefined) return 'done';
  if (!hasFinalizer(target)) {
    const finalizers = [...(target.metadata.finalizers ?? []), UNREADY_KEY];
    return markRequest(target, 'hold', 'its pod is about to be taken out of traffic', { finalizers });
  }
  const { name } = pod.metadata;
  const reason = `${target.metadata.name} restarts containers of it`;
  return { do: 'patch', kind: 'Pod', verb: 'take out of traffic', name, subresource: 'status', body, reason };
}

/**
 * The next write that gives the pod back (rule 6a.2): the gate first, then the finalizer. None: nothing is held.
 *
 * @param pod the pod that the request is about; undefined: it is gone, or another one has its name
 */
export function release(target: KubeObject, pod: Pod | undefined, now: number): PatchAction[] {
  if (!hasFinalizer(target)) return [];
  const isAlive = pod !== undefined && pod.metadata.deletionTimestamp === undefined;
  const body = isAlive ? removeNotReadyKey(pod, holderOf(target), now) : undefined;
  if (isAlive && body !== undefined) {
    const { name } = pod.metadata;
    const reason = `${target.metadata.name} needs it no more`;
    const patch = {
      do: 'patch',
      kind: 'Pod',
      verb: 'return to traffic',
      name,
      subresource: 'status',
    } as const;
    return [{ ...patch, body, reason, restoresTraffic: true }];
  }
  const finalizers = (target.metadata.finalizers ?? []).filter((each) => each !== UNREADY_KEY);
  return [markRequest(target, 'release', 'its pod is back in traffic', { finalizers })];
}
