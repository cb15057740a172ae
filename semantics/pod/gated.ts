import { listOf, textOf } from '../values/read.ts';
import { timeOf } from '../values/timestamp.ts';
import { isActive } from './readiness.ts';
import type { Pod } from './types.ts';

/** Whether a pod waits with one of these scheduling gates. */
export function isGatedBy({ spec }: Pod, gates: readonly string[]): boolean {
  return listOf(spec['schedulingGates']).some(({ name }) => gates.includes(textOf(name)));
}

/** Since when the oldest of these pods has waited with such a gate, milliseconds since 1970; undefined: none waits. */
export function gatedSince(pods: readonly Pod[], gates: readonly string[]): number | undefined {
  if (gates.length === 0) return undefined;
  const since = pods
    .filter((pod) => isGatedBy(pod, gates) && isActive(pod))
    .map(({ metadata }) => timeOf(metadata.creationTimestamp));
  return since.length === 0 ? undefined : Math.min(...since);
}
