import type { KubeObject } from '../../schemas/wire/object.ts';
import type { PatchAction } from '../decision.ts';
import { listOf, objectOf, textOf } from '../values/read.ts';
import { timeOf } from '../values/timestamp.ts';
import { withResourceVersion } from './in-place.ts';
import { isActive } from './readiness.ts';
import type { Pod } from './types.ts';

/** Whether a pod waits with one of these scheduling gates. */
export function isGatedBy({ spec }: Pod, gates: readonly string[]): boolean {
  const own = spec['schedulingGates'];
  return own !== undefined && listOf(own).some(({ name }) => gates.includes(textOf(name)));
}

/** Whether an object is a pod that waits with one of these gates, and is not about to go. */
export function isWaiting(object: KubeObject, gates: readonly string[]): boolean {
  if (gates.length === 0 || objectOf(object['spec'])['schedulingGates'] === undefined) return false;
  return isGatedBy(object as Pod, gates) && isActive(object as Pod);
}

/** Since when the oldest of these pods has waited with such a gate, milliseconds since 1970; undefined: none waits. */
export function gatedSince(pods: readonly Pod[], gates: readonly string[]): number | undefined {
  if (gates.length === 0) return undefined;
  const since = pods
    .filter((pod) => isGatedBy(pod, gates) && isActive(pod))
    .map(({ metadata }) => timeOf(metadata.creationTimestamp));
  return since.length === 0 ? undefined : Math.min(...since);
}

/** So long a pod waits whose gate nobody removes: whoever does may come later, and it must not wait for ever. */
export const UNCLAIMED_MS = 60_000;

/**
 * The write that lets a pod go whose gates nobody else removes, once it has waited long enough; before that the time of it, milliseconds
 * since 1970. Undefined: it does not wait.
 *
 * @param isTooLarge a target would, but cannot read where the pod may run
 */
export function unclaimedRelease(
  pod: Pod,
  { gates, isTooLarge }: { gates: readonly string[]; isTooLarge: boolean },
  now: number,
): PatchAction | number | undefined {
  if (!isWaiting(pod, gates)) return undefined;
  const dueAt = timeOf(pod.metadata.creationTimestamp) + UNCLAIMED_MS;
  if (dueAt > now) return dueAt;
  const own = listOf(pod.spec['schedulingGates']).map(({ name }) => textOf(name));
  const removed = own.filter((name) => gates.includes(name));
  return {
    do: 'patch',
    kind: 'Pod',
    verb: 'place',
    name: pod.metadata.name,
    body: withResourceVersion(pod, {
      spec: { schedulingGates: removed.map((name) => ({ name, $patch: 'delete' })) },
    }),
    reason: isTooLarge
      ? 'it is too large to be placed in a subset'
      : `nobody removes its gate ${removed.join(', ')}`,
  };
}
