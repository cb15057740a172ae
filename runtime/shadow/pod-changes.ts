import type { Action } from '../../semantics/decision.ts';
import { isDrained } from '../../semantics/pod/in-place.ts';
import { isActive } from '../../semantics/pod/readiness.ts';
import { type Pod, REVISION_LABEL, SPECIFIED_DELETE_LABEL } from '../../semantics/pod/types.ts';
import { patched } from '../../semantics/reconcile/patched.ts';
import { shortHash } from '../../semantics/pod/revision-label.ts';

/** The changes to pods that are compared: creation, in-place update, mark for recreation, deletion. */
export type PodChangeKind = 'create' | 'update' | 'mark' | 'delete';

export interface PodChange {
  kind: PodChangeKind;
  pod: string;
  /** The hash of the revision that the pod is created at, or was at before. */
  revision: string;
}

/** A change that is due by the dry-run decision, and its reason. */
export interface DueChange {
  change: PodChange;
  reason: string;
}

/**
 * The changes that actions make to pods, in order. They follow from the effect on the pod, for every kind alike: an action
 * without an effect that another client can observe is no change.
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

/** The changes between two states of a pod. The end of an update whose start was observed is no change of its own. */
export function podChangesBetween(before: Pod | undefined, after: Pod | undefined): PodChange[] {
  const pod = after ?? before;
  if (pod === undefined) return [];
  const change = (kind: PodChangeKind, of: Pod): PodChange => ({
    kind,
    pod: pod.metadata.name,
    revision: revisionOf(of),
  });
  if (before === undefined) return isActive(pod) ? [change('create', pod)] : [];
  const isGoing = after === undefined || after.metadata.deletionTimestamp !== undefined;
  if (isGoing) return before.metadata.deletionTimestamp === undefined ? [change('delete', before)] : [];
  const changes: PodChange[] = [];
  const isMarked = (of: Pod): boolean => of.metadata.labels?.[SPECIFIED_DELETE_LABEL] !== undefined;
  if (isMarked(after) && !isMarked(before)) changes.push(change('mark', before));
  const isUpdated = (isDrained(after) || revisionOf(after) !== revisionOf(before)) && !isDrained(before);
  if (isUpdated) changes.push(change('update', before));
  return changes;
}

export function keyOfPodChange({ kind, pod, revision }: PodChange): string {
  return kind === 'create' ? `create/${revision}` : `${kind}/${pod}`;
}

function revisionOf({ metadata }: { metadata: { labels?: Record<string, string> } }): string {
  return shortHash(metadata.labels?.[REVISION_LABEL] ?? '');
}

/** A change for messages, such as `update web-x in place`. */
export function podChangeText({ kind, pod, revision }: PodChange): string {
  switch (kind) {
    case 'create':
      return `create a pod at ${revision}`;
    case 'update':
      return `update ${pod} in place`;
    case 'mark':
      return `mark ${pod} for recreation`;
    case 'delete':
      return `delete ${pod}`;
  }
}
