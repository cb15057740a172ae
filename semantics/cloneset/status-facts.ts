import { podNouns } from '../kinds/nouns.ts';
import type { ShownRefusals, StatusFacts } from '../kinds/status-facts.ts';
import { replicaFacts } from '../status/replicas.ts';
import { normalizeCloneSet } from './normalize.ts';

/** The conditions about writes that the server refuses (OpenKruise cloneset, section 3). */
export const cloneSetRefusals = {
  in: 'conditions',
  types: { scale: 'FailedScale', update: 'FailedUpdate' },
} as const satisfies ShownRefusals;

/** What the status of a CloneSet says (OpenKruise cloneset, section 3). */
export const cloneSetStatusFacts: StatusFacts = replicaFacts({
  nouns: podNouns,
  required: ['replicas', 'readyReplicas', 'availableReplicas', 'updatedReplicas', 'updatedReadyReplicas'],
  refusals: cloneSetRefusals,
  wanted: normalizeCloneSet,
  strategy(target) {
    const { type, paused } = normalizeCloneSet(target);
    if (type === 'OnDelete') return { is: 'byHand', type, namespace: target.metadata.namespace ?? '' };
    return { is: paused ? 'paused' : 'active' };
  },
});
