import type { Action } from '../../semantics/decision.ts';
import { isDrained } from '../../semantics/pod/in-place.ts';
import { isActive } from '../../semantics/pod/readiness.ts';
import { type Pod, REVISION_LABEL, SPECIFIED_DELETE_LABEL } from '../../semantics/pod/types.ts';
import { patched } from '../../semantics/reconcile/patched.ts';
import { shortHash } from '../../semantics/revision/revisions.ts';

/** What can be done to a pod that others would see: it is made, taken in place, marked to be made anew, or deleted. */
export type PodChangeKind = 'create' | 'update' | 'mark' | 'delete';

export interface PodChange {
  kind: PodChangeKind;
  pod: string;
  /** The hash of the revision that it is made at, or was on before. */
  revision: string;
}

/** A change that would have been made here, and why. */
export interface DueChange {
  change: PodChange;
  reason: string;
}

/**
 * What actions would change of pods, one action after the other. It follows from what an action does to the pod, whatever
 * kind has decided it: one that nobody else would see changes nothing.
 */
export function podChangesOf(actions: readonly Action[], before: readonly Pod[]): DueChange[] {
  const pods = new Map(before.map((pod) => [pod.metadata.name, pod]));
  return actions.flatMap((action) => {
    const { reason } = action;
    if (action.do === 'create')
      return podChangesBetween(undefined, action.object as Pod).map((change) => ({ change, reason }));
    const pod = pods.get(action.name);
    if (pod === undefined) return [];
    const after = action.do === 'patch' ? patched(pod, action.body) : undefined;
    if (after !== undefined) pods.set(action.name, after);
    return podChangesBetween(pod, after).map((change) => ({ change, reason }));
  });
}

/** What was done to a pod between two states of it. The end of an update that was seen to begin is no move of its own. */
export function podChangesBetween(before: Pod | undefined, after: Pod | undefined): PodChange[] {
  const pod = after ?? before;
  if (pod === undefined) return [];
  const move = (kind: PodChangeKind, of: Pod): PodChange => ({
    kind,
    pod: pod.metadata.name,
    revision: revisionOf(of),
  });
  if (before === undefined) return isActive(pod) ? [move('create', pod)] : [];
  const isGoing = after === undefined || after.metadata.deletionTimestamp !== undefined;
  if (isGoing) return before.metadata.deletionTimestamp === undefined ? [move('delete', before)] : [];
  const moves: PodChange[] = [];
  const isMarked = (of: Pod): boolean => of.metadata.labels?.[SPECIFIED_DELETE_LABEL] !== undefined;
  if (isMarked(after) && !isMarked(before)) moves.push(move('mark', before));
  const isTaken = (isDrained(after) || revisionOf(after) !== revisionOf(before)) && !isDrained(before);
  if (isTaken) moves.push(move('update', before));
  return moves;
}

export function keyOfPodChange({ kind, pod, revision }: PodChange): string {
  return kind === 'create' ? `create/${revision}` : `${kind}/${pod}`;
}

function revisionOf({ metadata }: { metadata: { labels?: Record<string, string> } }): string {
  return shortHash(metadata.labels?.[REVISION_LABEL] ?? '');
}

/** In words. */
export function podChangeText({ kind, pod, revision }: PodChange): string {
  switch (kind) {
    case 'create':
      return `make a pod at ${revision}`;
    case 'update':
      return `update ${pod} in place`;
    case 'mark':
      return `mark ${pod} to be made anew`;
    case 'delete':
      return `delete ${pod}`;
  }
}
