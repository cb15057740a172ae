import { restartsBesidesPlanned } from '../lifecycle/planned-changes.ts';
import type { Pod } from '../pod/types.ts';
import type { NormalBroadcastJob } from './normalize.ts';

/** The pods of a job by what they count as. A pod that is being deleted before it has ended is in none of them. */
export interface JobPods {
  active: Pod[];
  succeeded: Pod[];
  failed: Pod[];
}

/** Sorts pods (OpenKruise broadcastjob, rule 6.3). The order of a list is that of `pods`. */
export function classified(
  pods: readonly Pod[],
  { restartLimit }: Pick<NormalBroadcastJob, 'restartLimit'>,
): JobPods {
  const found: JobPods = { active: [], succeeded: [], failed: [] };
  for (const pod of pods) {
    if (pod.status?.phase === 'Succeeded') found.succeeded.push(pod);
    else if (pod.status?.phase === 'Failed') found.failed.push(pod);
    else if (pod.metadata.deletionTimestamp !== undefined) continue;
    else if (pod.spec['restartPolicy'] === 'OnFailure' && restartsBesidesPlanned(pod) > restartLimit)
      found.failed.push(pod);
    else found.active.push(pod);
  }
  return found;
}

/**
 * Whether the pod of a node does not hold up completion any more (OpenKruise broadcastjob, rule 6.5): it has ended, or is
 * being deleted. One over its restart limit still runs, and is waited for.
 */
export function isDone({ metadata, status }: Pod): boolean {
  return (
    status?.phase === 'Succeeded' || status?.phase === 'Failed' || metadata.deletionTimestamp !== undefined
  );
}
