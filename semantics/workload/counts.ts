import { isUpdateReady } from '../pod/readiness.ts';
import type { Pod } from '../pod/types.ts';
import type { Workload } from './view.ts';

/** The counts of pods in the status of a workload. `updated…`: those on the live revision. */
export interface PodCounts {
  replicas: number;
  readyReplicas: number;
  availableReplicas: number;
  updatedReplicas: number;
  updatedReadyReplicas: number;
  updatedAvailableReplicas: number;
}

/** Counts the pods of a workload (OpenKruise workloads, section 3). */
export function podCounts(
  { active, liveHash, hashOf }: Pick<Workload, 'active' | 'liveHash' | 'hashOf'>,
  available: (pod: Pod) => boolean,
  now: number,
): PodCounts {
  const counts: PodCounts = {
    replicas: active.length,
    readyReplicas: 0,
    availableReplicas: 0,
    updatedReplicas: 0,
    updatedReadyReplicas: 0,
    updatedAvailableReplicas: 0,
  };
  for (const pod of active) {
    const [ready, isThere] = [Number(isUpdateReady(pod, 0, now)), Number(available(pod))];
    counts.readyReplicas += ready;
    counts.availableReplicas += isThere;
    if (hashOf(pod) !== liveHash) continue;
    counts.updatedReplicas += 1;
    counts.updatedReadyReplicas += ready;
    counts.updatedAvailableReplicas += isThere;
  }
  return counts;
}
