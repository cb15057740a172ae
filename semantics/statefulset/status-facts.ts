import { podNouns } from '../kinds/nouns.ts';
import type { ShownRefusals, StatusFacts } from '../kinds/status-facts.ts';
import { replicaFacts } from '../status/replicas.ts';
import { normalizeStatefulSet } from './normalize.ts';

/** The conditions about writes that the server refuses (OpenKruise advanced-statefulset, section 3). */
export const statefulSetRefusals = {
  in: 'conditions',
  types: { scale: 'FailedCreatePod', update: 'FailedUpdatePod' },
} as const satisfies ShownRefusals;

/** What the status of a StatefulSet says (OpenKruise advanced-statefulset, section 3). */
export const statefulSetStatusFacts: StatusFacts = replicaFacts({
  nouns: podNouns,
  required: ['replicas', 'readyReplicas', 'availableReplicas', 'updatedReplicas', 'currentReplicas'],
  refusals: statefulSetRefusals,
  wanted: normalizeStatefulSet,
  strategy(target) {
    const { onDelete, paused } = normalizeStatefulSet(target);
    if (onDelete) return { is: 'byHand', type: 'OnDelete', namespace: target.metadata.namespace ?? '' };
    return { is: paused ? 'paused' : 'active' };
  },
});
