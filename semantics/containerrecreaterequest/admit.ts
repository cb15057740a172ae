import type { KubeObject } from '../../schemas/wire/object.ts';
import { containerStatus } from '../pod/in-place.ts';
import { condition, isActive } from '../pod/readiness.ts';
import type { Pod } from '../pod/types.ts';
import { invalidRequest } from './invalid.ts';
import { type Instance, normalizeRequest } from './normalize.ts';

/** A pod whose sidecars were stopped may still be asked for: OpenKruise's condition. */
const SIDECARS_ENDED = 'SidecarTerminated';

/**
 * Whether a request may begin: what OpenKruise's webhook refuses, with its message, or the containers as they are now (OpenKruise
 * container-recreate-request, section 7). Sidecars of Kubernetes are refused, as their status is in another list.
 *
 * @param pod the pod of its name, as observed
 */
export function admitted(
  target: KubeObject,
  pod: Pod | undefined,
): { refused: string } | { context: Readonly<Record<string, Instance>> } {
  const { podName, containers } = normalizeRequest(target);
  const [invalid] = invalidRequest(target);
  if (invalid !== undefined) return { refused: invalid.rule };
  if (pod === undefined) return { refused: `no found Pod named ${podName}` };
  if (!isActive(pod) && condition(pod, SIDECARS_ENDED)?.status !== 'True')
    return { refused: 'not allowed to recreate containers in an inactive Pod' };
  if ((pod.spec.nodeName ?? '') === '')
    return { refused: 'not allowed to recreate containers in a pending Pod' };
  const context: Record<string, Instance> = {};
  for (const name of containers) {
    const isThere = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].some(
      (each) => each.name === name,
    );
    if (!isThere) return { refused: `container ${name} not found in Pod` };
    const status = containerStatus(pod, name);
    if (status === undefined) return { refused: `not found ${name} containerStatus in Pod Status` };
    const { containerID = '', restartCount = 0 } = status;
    if (containerID === '')
      return {
        refused: `no containerID in ${name} containerStatus, maybe the container has not been initialized`,
      };
    context[name] = { containerID, restartCount };
  }
  return { context };
}
