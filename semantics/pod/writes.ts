import type { KubeObject } from '../../schemas/wire/object.ts';
import type { DeleteAction, EventDraft, PatchAction } from '../decision.ts';
import { withResourceVersion } from './in-place.ts';
import type { Pod } from './types.ts';

/** Deletes the pod as observed. */
export function deletePod({ metadata }: Pod, reason: string, event: EventDraft): DeleteAction {
  const { name, uid = '', resourceVersion = '' } = metadata;
  return { do: 'delete', kind: 'Pod', verb: 'delete', name, uid, resourceVersion, reason, event };
}

/**
 * Releases a pod whose labels no longer match the selector of its owner: the owner reference is removed. The pod does not
 * count any more, so a replacement is created (OpenKruise workloads, rule 6.1 step 5; CS-44).
 */
export function releasePod(pod: Pod, owner: KubeObject): PatchAction {
  return {
    do: 'patch',
    kind: 'Pod',
    verb: 'release',
    name: pod.metadata.name,
    body: withResourceVersion(pod, {
      metadata: { ownerReferences: [{ $patch: 'delete', uid: owner.metadata.uid ?? '' }] },
    }),
    reason: 'its labels no longer match the selector',
  };
}
