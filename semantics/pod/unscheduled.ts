import { condition } from './readiness.ts';
import type { Pod } from './types.ts';

/** Whether a scheduler has found no node for a pod, and it waits for one. */
export function isUnscheduled(pod: Pod): boolean {
  const { status, reason } = condition(pod, 'PodScheduled') ?? {};
  return (
    pod.status?.phase === 'Pending' && !pod.spec.nodeName && status === 'False' && reason === 'Unschedulable'
  );
}
